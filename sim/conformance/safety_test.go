package conformance_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// assertOnlyResidue asserts that all that differs at a bank is what the report lists, and tokens that are revoked.
func (b bank) assertOnlyResidue(t *testing.T, report conformance.Report) {
	t.Helper()
	text, alerts := strings.Join(report.LeftBehind(), "\n"), 0
	for _, c := range b.changes() {
		assert.Nil(t, c.Before, "%s was there before", c.Row)
		switch table, _, _ := strings.Cut(c.Row, "/"); table {
		case "groups":
			name, _ := c.After["groupName"].(string)
			assert.Contains(t, text, strings.ReplaceAll(name, "\t", `\t`), "a group is left, and isn't listed")
		case "alertPreferences":
			alerts++
		case "grants":
			assert.Equal(t, true, c.After["revoked"], "%s is not revoked: %v", c.Row, c.After)
		default:
			assert.Fail(t, "changed for good", "%s: %v is now %v", c.Row, c.Before, c.After)
		}
	}
	assert.GreaterOrEqual(t, alerts, strings.Count(text, "an alert preference: "), text)
	assert.LessOrEqual(t, alerts, strings.Count(text, "an alert preference"), text) // whose answer may be lost
}

// A revocation names tokens that the run was issued, or some that nobody has. The bank's own never arrive, nor does the
// password of a user. How a user's statements are delivered is not changed, not even by a request that is expected to
// be refused.
func TestOnlyOwnTokensAreRevoked(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true})
	revocations := 0
	for _, r := range p.requests() {
		switch {
		case strings.HasSuffix(strings.TrimRight(r.path, "/"), "/revoke"):
			revocations++
			assert.NotRegexp(t, `demo-token|demo-refresh|avery|second-token|client_credentials`, r.body)
			assert.NotEmpty(t, r.body)
		case strings.Contains(r.path, "e-statements") || strings.Contains(r.path, "user-disclosures"):
			assert.Contains(t, []string{http.MethodGet, http.MethodHead}, r.method, r.path)
		}
		assert.NotContains(t, r.body, "refresh_token=demo-refresh", "a refresh token of the bank would be used up")
	}
	assert.Greater(t, revocations, 40)
}

// A service that answers a request for tokens with those that others use must not have them revoked.
func TestTokensThatOthersUseAreNotRevoked(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/token") {
			_, _ = io.WriteString(w,
				`{"token_type":"Bearer","access_token":"demo-token","expires_in":"1","refresh_token":"demo-refresh"}`)
			return true
		}
		return false
	}, nil)
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"tokens.*"}})
	for _, r := range p.requests() {
		assert.NotRegexp(t, `"demo-token"|demo-refresh`, r.body)
	}
	assert.Contains(t, simtest.JSON(report.Results),
		"needs tokens of its own, and the service issues none: see tokens.issue/200-")
	assert.Empty(t, b.changes())
}

// The service creates something and loses its answer: the report has the error and lists it, and the other exchanges
// are run.
func TestALostAnswerIsReported(t *testing.T) {
	b := startBank(t, retail)
	var created atomic.Int32
	p := startProxy(t, b.url, nil, func(res *http.Response) error {
		if res.Request.Method == http.MethodPost && res.StatusCode < 300 && created.Add(1)%5 == 0 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"groups.*", "alerts.*"}})
	assert.NotEmpty(t, report.Errors())
	assert.Empty(t, report.Stopped)
	assert.Greater(t, replayed(report), 50)
	assert.Contains(t, strings.Join(report.LeftBehind(), "\n"), "if the service created it: the answer was lost")
	b.assertOnlyResidue(t, report)
}

// Whatever a check sends, and wherever it is interrupted, the bank is as before, except for revoked tokens. The bank
// accepts a name twice: so journeys find a difference, and are shrunk.
func TestChecksLeaveNothing(t *testing.T) {
	t.Parallel()
	b := startBank(t, retail+"behavior: {groups: {duplicateName: allow}}\n")
	random := rand.New(rand.NewPCG(7, 7))
	var sent, last atomic.Int64
	var interrupt context.CancelFunc
	p := startProxy(t, b.url, func(http.ResponseWriter, *http.Request) bool {
		if sent.Add(1) == last.Load() {
			interrupt()
		}
		return false
	}, nil)
	requests := int64(0) // of a check that comes to its end
	for i := range simtest.Times(4, 20) {
		ctx, cancel := context.WithCancel(t.Context())
		interrupt = cancel
		sent.Store(0)
		if last.Store(0); i%4 == 3 {
			last.Store(1 + random.Int64N(requests/2))
		}
		report, err := conformance.Run(ctx, conformance.Config{
			BaseURL: p.URL, Dialect: []sim.Dialect{sim.DialectDocument, public, ""}[i%3], AllowWrites: true,
			Only:  []string{"groups.update", "alerts.updatePreference", "tokens.revoke", "estatements.update*"},
			Users: everyone, Journeys: 10, Seed: random.Uint64(),
		})
		cancel()
		require.NoError(t, err)
		assert.Empty(t, report.LeftBehind())
		if last.Load() > 0 {
			assert.NotEmpty(t, report.Stopped+strings.Join(report.Errors(), ""), "it is not interrupted")
		} else {
			assert.Empty(t, report.Errors())
			requests = sent.Load()
		}
		b.assertOnlyResidue(t, report)
	}
}

// Of a kind that the service doesn't delete or revoke, the check makes one and no more.
func TestOnlyWhatCanBeUndoneIsMade(t *testing.T) {
	for only, left := range map[string]string{
		"tokens.*": "an access token: the service answered 403 to its revocation",
		"groups.*": "the service answered 403 to its deletion",
		"alerts.*": "an alert preference: the service answered 403 to its deletion",
	} {
		b := startBank(t, retail)
		p := startProxy(t, b.url, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusForbidden)
			}
			return r.Method == http.MethodDelete
		}, nil)
		report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{only}})
		require.NotEmpty(t, report.LeftBehind())
		assert.LessOrEqual(t, len(report.LeftBehind()), 2, "of one exchange")
		assert.Contains(t, report.LeftBehind()[len(report.LeftBehind())-1], left)
	}
}

// A user whose preferences can't be read is left out, and named.
func TestUsersWithoutARecordAreLeftOut(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, func(res *http.Response) error {
		if strings.HasSuffix(res.Request.URL.Path, "/institution-user-disclosures") {
			body, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			body = bytes.ReplaceAll(body, []byte("acc-1001-savings"), []byte("acc-1001-another"))
			res.Body = io.NopCloser(bytes.NewReader(body))
		}
		return nil
	})
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Users: []string{"1001", "1003"},
		Only: []string{"estatements.update*"}})
	assert.Contains(t, simtest.JSON(report.Results),
		"user 1001 is left out: no record shows the preference of acc-1001-savings")
	for _, r := range p.requests() {
		if r.method == http.MethodPut {
			assert.Equal(t, "hostUserId=1003", r.query)
		}
	}
	assert.Equal(t, 2, replayed(report))
}

// A preference that the service doesn't put back is listed, and the user is not changed any more.
func TestAPreferenceThatIsNotPutBackIsListed(t *testing.T) {
	b := startBank(t, retail)
	changes := 0
	p := startProxy(t, b.url, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			changes++
		}
		isRefused := r.Method == http.MethodPut && changes > 1
		if isRefused {
			w.WriteHeader(http.StatusForbidden)
		}
		return isRefused
	}, nil)
	two := []string{
		"estatements.getDisclosures/200-after-account-update-on", "estatements.updateAccount/204-no-content",
	}
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Users: everyone, Only: two})
	assert.Equal(t, []string{"e-statement preferences of user 1001: the service did not put them back"},
		report.LeftBehind())
	assert.Equal(t, "user 1001 is left out: the preferences could not be put back, see "+report.Results[0].Exchange,
		report.Results[1].Skipped)
	assert.NotEmpty(t, b.changes())
}

// After the end of its context, a check waits for no answer longer than it says. It reports what it may leave behind.
func TestAnInterruptedCheckEnds(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	gone := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			interrupt()
		}
		<-gone
	}))
	defer service.Close()
	defer close(gone)
	begun := time.Now()
	report, err := conformance.Run(ctx, conformance.Config{
		BaseURL: service.URL, AllowWrites: true, Only: []string{"groups.create/200-created"},
	})
	require.NoError(t, err)
	assert.Less(t, time.Since(begun), 10*time.Second)
	require.Len(t, report.Results, 1)
	assert.Equal(t, "it was interrupted", report.Results[0].Error)
	assert.Contains(t, report.Results[0].LeftBehind[0], "if the service created it")
}
