package conformance_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

// A service whose disclosures don't show what it has set gives no way to put it back. The first exchange that notices is an
// error, and no more settings are changed.
func TestSettingsThatAreNotShownAreNotChangedAnyMore(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		w.WriteHeader(http.StatusOK) // and keeps the setting to itself
		return true
	}, nil)
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"estatements.updateAccount"}})
	require.Len(t, report.Errors(), 1)
	assert.Contains(t, report.Errors()[0], "the service accepted activateEstatement true, and its disclosures still have paperWaiver false")
	last := report.Results[len(report.Results)-1]
	assert.Contains(t, last.Skipped, "the service doesn't show the settings that it accepts")
}

// At a service whose disclosures say the opposite, the settings are put back, too.
func TestSettingsThatAreShownAsTheirOppositeAreRestored(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, func(res *http.Response) error {
		if !strings.HasSuffix(res.Request.URL.Path, "/disclosures") {
			return nil
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		body = []byte(strings.NewReplacer(`"paperWaiver":false`, `"paperWaiver":true`, `"paperWaiver":true`, `"paperWaiver":false`).Replace(string(body)))
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		res.Header.Del("Content-Length")
		return nil
	})
	for _, exchange := range []string{"estatements.updateAccount/200-on", "estatements.updateUser/204-on"} {
		report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{exchange}})
		assert.Len(t, report.Errors(), 1, "the check can't be sure")
		assert.Empty(t, b.changes(t), exchange)
	}
}

// Whatever accounts an all-accounts update meets, each gets back what it had.
func TestSettingsThatDifferAreRestored(t *testing.T) {
	b := startBank(t, strings.Replace(retail, "retail", "retail\nbehavior: {estatements: {correlationId: optional}}", 1))
	credentials := conformance.Credentials{"demo-token": "demo-token", "02688": "02688", "1001": "1004", "acc-1001-checking": "acc-1004-checking", "acc-1001-savings": "acc-1004-savings"}
	report := run(t, conformance.Config{BaseURL: b.url, Credentials: credentials, AllowWrites: true, Only: []string{"estatements.updateUser"}})
	assert.Empty(t, report.Errors())
	assert.Empty(t, b.changes(t))
	var left []string
	for _, result := range report.Results {
		left = append(left, result.LeftBehind...)
	}
	assert.Contains(t, left, "the setting of all accounts of user 1001 at once, which no request reads")
}
