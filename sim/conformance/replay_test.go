package conformance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bank is a simulator that stands for a bank's service.
type bank struct {
	*simtest.Bank
	url string // base URL
}

// startBank starts a simulator on a scenario's YAML.
func startBank(t *testing.T, yaml string) bank {
	t.Helper()
	b := simtest.StartScenario(t, yaml)
	return bank{b, b.BaseURL()}
}

const retail = "name: test\nextends: retail\n"

func run(t *testing.T, cfg conformance.Config) conformance.Report {
	report, err := conformance.Run(t.Context(), cfg)
	require.NoError(t, err)
	return report
}

// everyone are the users of the bank whose preferences can be put back.
var everyone = []string{"1001", "1002", "1003", "1004", "2001"}

// replayed counts the exchanges that were not skipped.
func replayed(r conformance.Report) int {
	n := 0
	for _, result := range r.Results {
		if result.Skipped == "" {
			n++
		}
	}
	return n
}

func TestTheSimulatorPasses(t *testing.T) {
	b := startBank(t, retail)
	report := run(t, conformance.Config{BaseURL: b.url})
	assert.Empty(t, report.Differences())
	assert.Greater(t, replayed(report), 35)
	assert.Empty(t, b.changes(), "by default nothing is changed")
}

// With writes and users, it passes as often as it is checked, and nothing but revoked tokens is left. The public
// dialect has as many exchanges as the document's, at bare paths.
func TestTheSimulatorPassesWithWrites(t *testing.T) {
	b := startBank(t, retail)
	tried := map[sim.Dialect]int{}
	for _, dialect := range []sim.Dialect{sim.DialectPublic, sim.DialectDocument, sim.DialectDocument} {
		report := run(t, conformance.Config{BaseURL: b.url + "/", AllowWrites: true, Dialect: dialect, Users: everyone})
		assert.Empty(t, slices.Concat(describe(report.Differences()), report.Errors(), report.LeftBehind()))
		tried[dialect] = replayed(report)
		if dialect == sim.DialectPublic {
			for _, x := range b.Search("dialect:document") {
				op := contract.Document().Operation(x.Operation)
				assert.Nil(t, op, "%s is sent at its prefixed path", x.Operation)
			}
		}
	}
	assert.Greater(t, tried[sim.DialectDocument], 200)
	assert.GreaterOrEqual(t, tried[sim.DialectPublic], tried[sim.DialectDocument])
	assert.NotEmpty(t, b.changes())
	b.assertOnlyResidue(t, conformance.Report{})
}

// A difference says which exchange, which entry of the ledger and which place it is about.
func TestDifferencesSayWhatTheyAreAbout(t *testing.T) {
	url, current := startPlanted(t)
	for exchange, test := range map[string]struct {
		answer func(*call)
		want   conformance.Difference
	}{
		"estatements.getDisclosures/200-not-accepted": {set("paperWaiver", "no"), conformance.Difference{
			Entry: "estatements.disclosures.answer", Basis: "document", Source: "sections 2.1 and 4.1",
			Place:   ".institutionUserDisclosures.paperWaiver",
			Message: ".institutionUserDisclosures.paperWaiver: expected a boolean (basis document), got a string"}},
		"estatements.getDisclosures/401-no-token": {noHeader("WWW-Authenticate"), conformance.Difference{
			Entry: "everywhere.challenge", Basis: "convention", Source: "RFC 9110 11.6.1, RFC 6750 3, RFC 7617 2",
			Place:   "Www-Authenticate",
			Message: `Www-Authenticate: expected Bearer realm="banksim" (basis convention), got none`}},
		"unknown/405-cors-off": {header("Allow", "POST, GET"), conformance.Difference{
			Entry: "everywhere.unknown-method", Basis: "convention", Source: "RFC 9110 9.1, RFC 9110 15.5.6",
			Place:   "Allow",
			Message: "Allow: expected GET, HEAD, POST (basis convention), got POST, GET"}},
		"groups.list/200-last-page": {func(c *call) { c.status = http.StatusAccepted }, conformance.Difference{
			Entry: "groups.list.answer", Basis: "document", Source: "sections 2.6 and 4.6",
			Place:   "status 202",
			Message: "expected status 200 (basis document), got 202"}},
	} {
		current.Store(&planted{answer: test.answer})
		test.want.Exchange = exchange
		report := run(t, conformance.Config{BaseURL: url, Only: []string{exchange}})
		assert.JSONEq(t, simtest.JSON([]conformance.Difference{test.want}), simtest.JSON(report.Differences()))
	}
}

// A list that is too large to be read back is reported.
func TestALargeListIsNotReadBack(t *testing.T) {
	p := startProxy(t, startBank(t, retail).url, nil, func(res *http.Response) error {
		if res.Request.URL.RawQuery == "size=2000" {
			res.Body = io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat(" ", 1<<20)), res.Body))
			res.ContentLength = -1
			res.Header.Del("Content-Length")
		}
		return nil
	})
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"groups.create/200-created"}})
	require.Len(t, report.Differences(), 1)
	assert.Contains(t, report.Differences()[0].Message, "size=2000: the answer has over 1 MiB; not compared")
}

// A service that knows other values is checked with those; what needs a value that it doesn't have is skipped.
func TestCredentials(t *testing.T) {
	b := startBank(t, `
name: other
institutions:
  - institutionId: "4711"
    clients: [{sharedKey: a/b & "c", secretKey: "s:ecret"}]
    tokens: [{accessToken: T0ken, client: a/b & "c"}]
    users:
      - hostUserId: u/1 ?
        username: "q\"uote"
        password: p&w=
        disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS}]
        accounts:
          - {accountId: "x/y", disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS}]}
`)
	credentials, err := conformance.ReadCredentials([]byte(`{
		"02688": "4711", "demo-app": "a/b & \"c\"", "demo-secret": "s:ecret", "demo-token": "T0ken",
		"1001": "u/1 ?", "avery": "q\"uote", "demo": "p&w=", "acc-1001-checking": "x/y", "acc-1001-savings": "x/y"}`))
	require.NoError(t, err)
	report := run(t, conformance.Config{BaseURL: b.url, Credentials: credentials, AllowWrites: true,
		Only: []string{"tokens.*", "estatements.*"}})
	assert.Empty(t, report.Differences())
	assert.Greater(t, replayed(report), 30)
	skipped := map[string]string{}
	for _, result := range report.Results {
		skipped[result.Exchange] = result.Skipped
	}
	assert.Equal(t, `needs a value for "acc-1004-savings", which the credentials don't have`,
		skipped["estatements.getDisclosures/200-not-accepted"])
	assert.Empty(t, skipped["tokens.issue/200-password-json"])
}

// A replay revokes only tokens that were issued for it: without a token to name, a request could revoke all of a
// client's.
func TestNothingIsRevokedIfNoTokenIsIssued(t *testing.T) {
	var methods []string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
	}))
	defer service.Close()
	report := run(t, conformance.Config{BaseURL: service.URL, AllowWrites: true,
		Only: []string{"tokens.revoke/200-refresh-token"}})
	require.Len(t, report.Differences(), 1)
	assert.Contains(t, report.Differences()[0].Message, "to issue tokens, got an answer without them")
	assert.Equal(t, []string{http.MethodPost}, methods)
}

// Whatever answers at a wrong address is not compared exchange by exchange.
func TestAnotherService(t *testing.T) {
	b := startBank(t, retail)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>")
	}))
	defer pages.Close()
	for url, last := range map[string]string{b.url + "/elsewhere": "404", pages.URL: "200"} {
		report := run(t, conformance.Config{BaseURL: url})
		assert.Contains(t, report.Stopped,
			url+" is not the interface: none of the first 5 answers is one of it, the last is "+last+" to GET /")
		assert.Empty(t, report.Differences())
	}
}

// Credentials that the service refuses are one sentence, not a difference for each exchange.
func TestCredentialsThatDoNotFit(t *testing.T) {
	b := startBank(t, retail)
	credentials := conformance.Credentials{"demo-token": "expired", "demo-app": "other", "demo-secret": "wrong",
		"1001": "1001", "02688": "02688", "acc-1001-checking": "acc-1001-checking"}
	report := run(t, conformance.Config{BaseURL: b.url, Credentials: credentials, AllowWrites: true})
	assert.Empty(t, report.Differences())
	assert.Contains(t, report.Stopped,
		"the credentials don't fit: "+b.url+" answers 401 to each of the first 5 requests with them")
	assert.Regexp(t, `^Check of http\S+ \(document dialect\)\n\nSTOPPED: the credentials`, written(t, report)["text"])
}

func TestWrongConfigurations(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  conformance.Config
		want string
	}{
		"no URL": {conformance.Config{BaseURL: "bank"}, `the base URL "bank" is not an address`},
		"unknown": {conformance.Config{BaseURL: "http://127.0.0.1:1", Only: []string{"group.list"}},
			`no golden exchange is selected by "group.list": did you mean "groups.list"?`},
		"bad key": {
			conformance.Config{BaseURL: "http://127.0.0.1:1", Credentials: conformance.Credentials{"token": "x"}},
			`no golden exchange has the value "token"`,
		},
		"secrets": {conformance.Config{BaseURL: "https://user:pass@bank.example"},
			"the base URL of bank.example has credentials in it"},
		"empty": {conformance.Config{BaseURL: "http://127.0.0.1:1", Credentials: conformance.Credentials{"1001": ""}},
			`the value for "1001" is empty`},
		"no dialect": {conformance.Config{BaseURL: "http://127.0.0.1:1", Dialect: "bare"}, "there is no dialect"},
		"bad rate":   {conformance.Config{BaseURL: "http://127.0.0.1:1", Rate: -1}, "the rate -1 is negative"},
		"users to read": {conformance.Config{BaseURL: "http://127.0.0.1:1", Users: []string{"1001"}},
			"users are changed only with --allow-writes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := conformance.Run(t.Context(), test.cfg)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
