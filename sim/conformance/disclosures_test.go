package conformance_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// withESIGN is a bank whose users have what the exchanges about disclosures name.
const withESIGN = `name: bank
extends: retail
institutions:
  - institutionId: "02688"
    users:
      - hostUserId: "1001"
        disclosures:
          - {institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED}
          - {institutionDisclosureName: ESIGN, institutionDisclosureStatus: NOT_ACCEPTED, institutionUserDisclosureStatusUpdateDateTime: "2025-11-03T14:12:08Z"}
`

var onDisclosures = []string{"disclosures.*"}

// What the exchanges change is put back, also where the service accepts what should be refused: here whoever asks, and
// whatever type the account has.
func TestDisclosuresArePutBack(t *testing.T) {
	simtest.Whole(t)
	generous := func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Set("Authorization", "Bearer demo-token")
		query := r.URL.Query()
		if query.Has("hostUserId") {
			query.Del("loginId")
		} else {
			query.Set("hostUserId", "1001")
		}
		query.Set("accountType", "CHECKING")
		r.URL.RawQuery = query.Encode()
		return false
	}
	for _, dialect := range contract.Dialects {
		t.Run(string(dialect), func(t *testing.T) {
			b := startBank(t, withESIGN)
			report := run(t, conformance.Config{BaseURL: b.url, AllowWrites: true, Dialect: dialect, Only: onDisclosures})
			assert.Empty(t, report.Errors())
			assert.Empty(t, leftBehind(report))
			assert.Greater(t, replayed(report), 35)
			assert.Empty(t, b.changes(t))

			p := startProxy(t, b.url, generous, nil)
			report = run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Dialect: dialect, Only: onDisclosures})
			assert.Greater(t, len(report.Drifts()), 10)
			assert.Empty(t, report.Errors())
			assert.Empty(t, leftBehind(report))
			assert.Empty(t, b.changes(t))
		})
	}
}

// A disclosure of an account that is new is deleted. The account's setting, which it set, can't be read without it: the report
// lists that.
func TestNewDisclosuresAreDeleted(t *testing.T) {
	for _, dialect := range contract.Dialects {
		b := startBank(t, `name: bank
extends: retail
institutions:
  - institutionId: "02688"
    users: [{hostUserId: "1001", accounts: [{accountId: acc-1001-checking, activateEstatement: false, disclosures: null}]}]
`)
		name := map[bool]string{true: "204-account", false: "204-public-account"}[dialect == contract.Dialects[0]]
		report := run(t, conformance.Config{BaseURL: b.url, AllowWrites: true, Dialect: dialect, Only: []string{"disclosures.createUser/" + name}})
		assert.Empty(t, report.Drifts())
		assert.Equal(t, []string{"the setting of account acc-1001-checking of user 1001, if the service changed it: no request reads it without the disclosure"}, leftBehind(report))
		changes := b.changes(t)
		require.Len(t, changes, 1)
		assert.Equal(t, "accounts/02688/1001/acc-1001-checking", changes[0].Row)
		assert.Equal(t, changes[0].Before["disclosures"], changes[0].After["disclosures"])
		assert.Equal(t, true, changes[0].After["activateEstatement"])
	}
}

// What can't be put back, or can't be read first, is not sent.
func TestDisclosuresThatCantBePutBackAreNotRisked(t *testing.T) {
	b := startBank(t, retail)
	for name, refuse := range map[string]bool{"no list": true, "ESIGN is not there": false} {
		p := startProxy(t, b.url, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet && refuse {
				w.WriteHeader(http.StatusNotFound)
			}
			return r.Method == http.MethodGet && refuse
		}, nil)
		report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"disclosures.createUser/204-time", "disclosures.updateUser/204-updated"}})
		require.Len(t, report.Results, 2)
		for _, result := range report.Results {
			assert.NotEmpty(t, result.Skipped, name)
			assert.Equal(t, refuse, strings.Contains(result.Skipped, "can't be read first: the service answered 404"), result.Skipped)
		}
		for _, r := range p.requests() {
			assert.Equal(t, http.MethodGet, r.method)
		}
	}
}
