package bankapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// site is a page in a browser, of an origin of its own, that calls a bank.
type site struct{ *browser.Tab }

// newOrigin serves a page without content and returns its origin.
func newOrigin(t *testing.T) string {
	t.Helper()
	browser.Need(t)
	serving := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>an app</title>`)
	}))
	t.Cleanup(serving.Close)
	return serving.URL
}

// openSite opens the page of an origin, which may send requests to the bank's simulator.
func openSite(t *testing.T, origin string, b *simtest.Bank) site {
	t.Helper()
	tab := browser.Open(t, origin+"/")
	tab.Allow(b.Server.ServiceURL())
	return site{tab}
}

// fetched is what a page can see of an answer.
type fetched struct {
	Status   int
	Body     string
	Exchange string // the header Banksim-Exchange
	Node     string // the header X-Node, which a fault sets
	Failed   bool   // whether the browser gives the page no answer
}

// fetch lets the page send a request with options of fetch, in JavaScript, and waits for the answer.
func (s site) fetch(url, options string) (got fetched) {
	s.Eval(fmt.Sprintf(`fetch(%q, {%s}).then(async (r) => ({status: r.status, body: await r.text(),
		exchange: r.headers.get("Banksim-Exchange") ?? "", node: r.headers.get("X-Node") ?? ""}), () => ({failed: true}))`, url, options), &got)
	return got
}

// The options of requests as an app sends them. The first needs no preflight but for its header.
const (
	asApp   = `headers: {transactionId: "t-1", Authorization: "Bearer demo-token"}`
	toWrite = `method: "POST", headers: {transactionId: "t-1", "Content-Type": "application/json"}, body: '{"groupName": "Page owners"}'`
)

// asked returns the methods, the rules and the lints of a bank's exchanges, in their order.
func asked(b *simtest.Bank) (all []string) {
	for _, x := range b.Journal().Page(journal.Query{Limit: 100}).Exchanges {
		all = append(all, strings.TrimSpace(x.Request.Method+" "+x.Decision.Rule))
	}
	return all
}

// A page of a listed origin does what an app does: the browser asks first, and the page reads answers, errors and the number of
// the exchange.
func TestPageOfListedOrigin(t *testing.T) {
	t.Parallel()
	origin := newOrigin(t)
	b := simtest.NewBank(t, withCORS(`origins: ["`+origin+`"], maxAge: 10m`)+
		"faults: [{name: broken, operation: groups.list, when: {nth: 2}, then: {status: 503, headers: {X-Node: b}}}]\n")
	page := openSite(t, origin, b)
	for _, status := range []string{"400", "404", "503"} {
		page.Expect("status of " + status)
	}
	groups := b.BaseURL() + simtest.GroupsPath
	made := page.fetch(groups, toWrite)
	assert.Equal(t, []any{200, "2"}, []any{made.Status, made.Exchange}, "after the preflight")
	again := page.fetch(groups, toWrite)
	assert.Equal(t, []any{400, "3"}, []any{again.Status, again.Exchange}, "the browser remembers the preflight")
	assert.Contains(t, again.Body, `"2004"`)
	assert.Equal(t, []string{"OPTIONS cors-preflight", "POST groups.create", "POST group-exists"}, asked(b))

	assert.Equal(t, 200, page.fetch(groups+"?size=1", asApp).Status)
	broken := page.fetch(groups+"?size=1", asApp)
	assert.Equal(t, []any{503, "b"}, []any{broken.Status, broken.Node}, "what a fault answers")
	nowhere := page.fetch(b.BaseURL()+"/v3/group", asApp)
	assert.Equal(t, 404, nowhere.Status)
	assert.Contains(t, nowhere.Body, "the nearest operation is groups.")
}

// A page may send cookies only if the scenario says so.
func TestPageWithCredentials(t *testing.T) {
	t.Parallel()
	origin := newOrigin(t)
	with := simtest.NewBank(t, withCORS(`origins: ["`+origin+`"], credentials: true`))
	page := openSite(t, origin, with)
	page.Eval(`document.cookie = "session=s3cret; path=/"`, nil) // of the host, whatever the port
	assert.Equal(t, 200, page.fetch(with.BaseURL()+simtest.GroupsPath, asApp+`, credentials: "include"`).Status)
	assert.NotEmpty(t, with.Last().Request.Headers["Cookie"])
	assert.Equal(t, []string{"OPTIONS cors-preflight", "GET groups.list"}, asked(with))

	without := simtest.NewBank(t, withCORS(`origins: ["`+origin+`"]`))
	page.Expect("Access-Control-Allow-Credentials")
	page.Expect("net::ERR_FAILED")
	assert.True(t, page.fetch(without.BaseURL()+simtest.GroupsPath, asApp+`, credentials: "include"`).Failed)
	assert.Equal(t, []string{"OPTIONS cors-preflight"}, asked(without), "the browser doesn't send the request")
	assert.Equal(t, 200, page.fetch(without.BaseURL()+simtest.GroupsPath, asApp).Status)
	assert.Empty(t, without.Last().Request.Headers["Cookie"])
}

// A page of another origin reads nothing. Its browser sends only what needs no preflight.
func TestPageOfOtherOrigin(t *testing.T) {
	t.Parallel()
	origin := newOrigin(t)
	b := simtest.NewBank(t, withCORS(forPage))
	page := openSite(t, origin, b)
	page.Expect("blocked by CORS policy")
	page.Expect("net::ERR_FAILED")
	page.Expect("status of 40") // which the browser reports, and keeps from the page
	groups := b.BaseURL() + simtest.GroupsPath
	before := b.State()
	assert.True(t, page.fetch(groups, toWrite).Failed)
	assert.True(t, page.fetch(groups, asApp).Failed)
	assert.True(t, page.fetch(groups, `method: "GET"`).Failed)
	assert.Equal(t, []string{"OPTIONS cors-origin-refused", "OPTIONS cors-origin-refused", "GET request-id-missing"}, asked(b))
	assert.Equal(t, []string{"cors-origin-refused"}, lints(b.Last()))
	assert.Equal(t, before, b.State())
}

// With the origin *, any page reads answers. A header that isn't listed keeps the browser from sending a request.
func TestPageOfAnyOrigin(t *testing.T) {
	t.Parallel()
	origin := newOrigin(t)
	b := simtest.NewBank(t, withCORS(`origins: ["*"]`))
	page := openSite(t, origin, b)
	groups := b.BaseURL() + simtest.GroupsPath
	got := page.fetch(groups, asApp)
	assert.Equal(t, []any{200, "2"}, []any{got.Status, got.Exchange})
	page.Expect("Request header field x-app is not allowed by Access-Control-Allow-Headers")
	page.Expect("net::ERR_FAILED")
	assert.True(t, page.fetch(groups, `headers: {transactionId: "t-1", "X-App": "1"}`).Failed)
	assert.Equal(t, []string{"cors-preflight-blocked"}, lints(b.Last()))

	any := simtest.NewBank(t, withCORS(`origins: ["*"], headers: ["*"]`))
	assert.Equal(t, 200, page.fetch(any.BaseURL()+simtest.GroupsPath, `headers: {transactionId: "t-1", "X-App": "1"}`).Status)
}

// A page calls a sandbox by its host, without a path in the base URL.
func TestPageCallsSandboxByHost(t *testing.T) {
	t.Parallel()
	origin := newOrigin(t)
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, withCORS(`origins: ["http://127.0.0.1:*"]`)), SandboxHosts: []string{"*.localhost"}, NoDefault: true})
	made := simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", `{"name": "mine"}`))
	require.Len(t, made.HostURLs, 1)
	page := openSite(t, origin, b)
	page.Allow(made.HostURLs[0])
	got := page.fetch(made.HostURLs[0]+simtest.GroupsPath+"?size=1", asApp)
	assert.Equal(t, 200, got.Status)
	assert.Contains(t, got.Body, made.HostURLs[0]+simtest.GroupsPath, "links lead there, too")
	assert.Equal(t, []string{"OPTIONS cors-preflight", "GET groups.list"}, asked(b.In("mine")))
}
