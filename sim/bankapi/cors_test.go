package bankapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const page = "https://app.example.com"

// withCORS returns a scenario with switches of behavior.cors, in YAML.
func withCORS(switches string) string {
	return simtest.FrozenRetail + "behavior: {cors: {" + switches + "}}\n"
}

const forPage = `origins: ["` + page + `"]`

// preflight returns the preflight of a browser for a call of a page.
func preflight(call simtest.Call, origin string, headers ...string) simtest.Call {
	path, _, _ := strings.Cut(call.Path, "?")
	return simtest.NewCall(http.MethodOptions, path, "", "Origin: "+origin, "Access-Control-Request-Method: "+call.Method,
		"Access-Control-Request-Headers: "+strings.Join(headers, ","))
}

func lints(x journal.Exchange) (codes []string) {
	for _, l := range x.Lints {
		codes = append(codes, l.Code)
	}
	return codes
}

// cors returns the headers of an answer that are about other origins.
func cors(res simtest.Answer) map[string]string {
	found := map[string]string{}
	for name, values := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
			found[name] = strings.Join(values, " | ")
		}
	}
	return found
}

// Without behavior.cors nothing is said about other origins, and the journal says why a preflight fails.
func TestNoCORS(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Empty(t, cors(listGroups.With("Origin", page).Send(b)))
	assert.Empty(t, b.Last().Lints)
	preflight(createGroup, page).Send(b)
	assert.Equal(t, []string{"cors-off"}, lints(b.Last()))
	createGroup.WithMethod(http.MethodOptions).With("Origin", page).Send(b)
	assert.NotContains(t, lints(b.Last()), "cors-off", "no browser asks so")
}

// A preflight is answered before faults and operations, and counts for neither.
func TestPreflight(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, withCORS(forPage)+
		"faults: [{name: all, when: {first: 1}, then: {status: 500}}, {name: cut, when: {request: {header: {origin: "+
		"\""+page+"\"}}}, phase: after, then: {headers: {X-Node: b}}}]\n")
	for range 3 {
		res := preflight(createGroup, page, "content-type", "transactionid", "x-app").Send(b)
		assert.Equal(t, 204, res.StatusCode)
		assert.Equal(t, map[string]string{
			"Access-Control-Allow-Origin":  page,
			"Access-Control-Allow-Methods": "DELETE, GET, HEAD, POST, PUT",
			"Access-Control-Allow-Headers": "content-type,transactionid,x-app",
			"Vary":                         "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
		}, cors(res))
		x := b.ExchangeOf(res)
		assert.Equal(t, []string{"accepted", contract.Preflight, "convention", ""},
			[]string{x.Decision.Outcome, x.Decision.Rule, x.Decision.Basis, x.Operation})
		assert.Equal(t, contract.EverywhereCORS.ID, x.Decision.Entries[0])
		assert.Equal(t, []string{page}, x.Request.Headers["Origin"], "the journal shows who asked for what")
		assert.Equal(t, []string{"POST"}, x.Request.Headers["Access-Control-Request-Method"])
		assert.Equal(t, []string{page}, x.Response.Headers["Access-Control-Allow-Origin"])
		assert.Nil(t, x.Fault)
		assert.Empty(t, x.Lints)
	}
	res := createGroup.With("Origin", page).Send(b)
	assert.Equal(t, 500, res.StatusCode, "the first request of an operation")
	assert.Equal(t, page, res.Header.Get("Access-Control-Allow-Origin"), "a page can read what a fault answers")
	assert.Contains(t, b.ControlSandbox(200, "GET /journal/1/why", "").Body, "-H 'Access-Control-Request-Method: POST'")
}

// Every answer to a page of a listed origin is readable, whatever comes of the request.
func TestReadableAnswers(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, withCORS(forPage)+
		"faults: [{name: headers, when: {request: {header: {x-fire: now}}}, then: {status: 503, headers: {retry-after: \"7\", X-Node: "+
		"b}}}]\n")
	want := map[string]string{
		"Access-Control-Allow-Origin": page, "Vary": "Origin",
		"Access-Control-Expose-Headers": "Banksim-Exchange, Allow, Retry-After, WWW-Authenticate, transactionId, correlationid",
	}
	for call, status := range map[*simtest.Call]int{
		{Method: "GET", Path: listGroups.Path, Header: listGroups.Header}:          200,
		{Method: "GET", Path: "/nope"}:                                             404,
		{Method: "PATCH", Path: listGroups.Path}:                                   405,
		{Method: "POST", Path: "/sandboxes/nope/nope", Header: createGroup.Header}: 404,
	} {
		if call.Header == nil {
			call.Header = http.Header{}
		}
		res := call.With("Origin", page).Send(b)
		assert.Equal(t, status, res.StatusCode, "%s %s", call.Method, call.Path)
		assert.Equal(t, want, cors(res), "%s %s", call.Method, call.Path)
	}
	res := listGroups.With("Origin", page).With("x-fire", "now").Send(b)
	assert.Equal(t, 503, res.StatusCode)
	assert.Equal(t, want["Access-Control-Expose-Headers"]+", X-Node", cors(res)["Access-Control-Expose-Headers"])
	assert.Equal(t, 204, preflight(createGroup.At("/sandboxes/nope/nope"), page).Send(b).StatusCode,
		"so that the page can read that there is no such sandbox")
	res = listGroups.Send(b)
	assert.Equal(t, map[string]string{"Vary": "Origin"}, cors(res), "a cache keeps it for no other origin")
	assert.NotContains(t, b.Last().Decision.Entries, contract.EverywhereCORS.ID)
}

// Which origins a list admits.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for list, origins := range map[string]map[string]bool{
		`"https://app.example.com"`: {page: true, "http://app.example.com": false, "https://app.example.com:8443": false,
			"https://app.example.com.evil.example": false, "https://APP.example.com": false, "null": false, "": false},
		`"http://localhost:*", "http://[::1]:3000"`: {"http://localhost": true, "http://localhost:5173": true, "http://localhost:": false,
			"http://localhost:5x":           false,
			"http://localhost.evil.example": false, "http://localhost:80.evil.example": false, "https://localhost:1": false,
			"http://[::1]:3000": true, "http://[::1]:3001": false},
		`"null"`:                  {"null": true, page: false},
		`"capacitor://localhost"`: {"capacitor://localhost": true, "http://localhost": false},
		`"https://a.test", "*"`:   {page: true, "null": true, "https://a.test": true},
	} {
		b := simtest.NewBank(t, withCORS("origins: ["+list+"]"))
		for origin, admitted := range origins {
			for _, call := range []simtest.Call{listGroups.With("Origin", origin), preflight(listGroups, origin)} {
				allowed := call.Send(b).Header.Get("Access-Control-Allow-Origin")
				assert.Equal(t, admitted, allowed != "", "%s: %s", list, origin)
				if admitted {
					want := origin
					if strings.Contains(list, `"*"`) {
						want = "*"
					}
					assert.Equal(t, want, allowed)
				}
			}
		}
	}
	listed := simtest.NewBank(t, withCORS(forPage))
	assert.Equal(t, 403, preflight(createGroup, page).Adding("Origin", page).Send(listed).StatusCode, "no browser sends two")
	any := simtest.NewBank(t, withCORS(`origins: ["*"]`))
	res := listGroups.Send(any)
	assert.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"), "also without Origin, so that a cache may keep it")
	assert.Empty(t, res.Header.Get("Vary"))
}

// Pages of listed origins may send cookies where the scenario says so. Then every answer to them says so, and names the
// origin. For all origins together it never does.
func TestCredentials(t *testing.T) {
	t.Parallel()
	const listed, all = `["` + page + `"]`, `["*"]`
	calls := map[string]simtest.Call{
		"answer":    listGroups,
		"error":     listGroups.Without("transactionId"),
		"preflight": preflight(createGroup, page),
		"unknown":   listGroups.At("/nope"),
		"fault":     listGroups.With("x-fire", "now"),
	}
	faults := "faults: [{name: fire, when: {request: {header: {x-fire: now}}}, then: {status: 503}}]\n"
	for name, c := range map[string]struct {
		scenario string   // switches of behavior.cors
		flag     []string // --cors-origins
		origin   string   // in answers, or "" if they have none
		sends    bool     // whether pages may send cookies
	}{
		"origins":                      {"origins: " + listed, nil, page, false},
		"credentials":                  {"origins: " + listed + ", credentials: true", nil, page, true},
		"credentials and another page": {`origins: ["https://other.test"], credentials: true`, nil, "", false},
		"credentials without origins":  {"credentials: true", nil, "", false},
		"flag":                         {"credentials: false", []string{page}, page, false},
		"flag and credentials":         {"credentials: true", []string{"http://localhost:*", page}, page, true},
		"flag for all":                 {"credentials: false", []string{"*"}, "*", false},
		"flag for all and credentials": {"credentials: true", []string{"*"}, "*", false},
		"flag for one and all":         {"credentials: true", []string{page, "*"}, "*", false},
		"scenario before flag":         {`origins: ["https://other.test"]`, []string{page}, "", false},
		"all by the scenario":          {"origins: " + all, []string{page}, "*", false},
	} {
		b := simtest.Start(t, server.Config{
			Sandboxes: simtest.Registry(t, withCORS(c.scenario)+faults), CORSOrigins: c.flag,
		})
		for kind, call := range calls {
			res := call.With("Origin", page).Send(b)
			assert.Equal(t, c.origin, res.Header.Get("Access-Control-Allow-Origin"), "%s: %s", name, kind)
			want := []string(nil)
			if c.sends {
				want = []string{"true"}
			}
			assert.Equal(t, want, res.Header.Values("Access-Control-Allow-Credentials"), "%s: %s", name, kind)
			cited := b.ExchangeOf(res).Decision.Entries
			cites := slices.Contains(cited, contract.EverywhereCORSCredentials.ID)
			assert.Equal(t, c.sends, cites, "%s: %s", name, kind)
		}
		other := listGroups.With("Origin", "https://evil.example").Send(b)
		assert.Empty(t, other.Header.Values("Access-Control-Allow-Credentials"), name)
	}
}

// A page of the origin that it calls needs no permission, also behind a proxy, so there is no lint about it.
func TestSameOrigin(t *testing.T) {
	t.Parallel()
	const proto, host, port = "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port"
	for name, c := range map[string]struct {
		public, host, origin string
		forwarded            []string // names and values
		isSame               bool
	}{
		"own host":          {"", "bank:8080", "http://bank:8080", nil, true},
		"other port":        {"", "bank:8080", "http://bank:3000", nil, false},
		"public URL":        {"https://bank.example/staging", "bank.example", "https://bank.example", nil, true},
		"its standard port": {"https://bank.example:443/staging", "bank.example", "https://bank.example", nil, true},
		"public URL, http":  {"https://bank.example/staging", "bank.example", "http://bank.example", nil, false},
		"beside public URL": {"https://bank.example/staging", "bank:8080", "https://bank.example", nil, false},
		"forwarded": {"", "10.0.0.7:8080", "https://bank.example",
			[]string{proto, "https", host, "bank.example"}, true},
		"forwarded, port": {"", "bank.example", "https://bank.example:8443",
			[]string{proto, "https", port, "8443"}, true},
		"forwarded, upstream": {"", "bank:8080", "http://bank:8080", []string{host, "bank.example"}, false},
	} {
		b := simtest.Start(t, server.Config{
			Sandboxes: simtest.Registry(t, withCORS(forPage)), PublicURL: c.public, TrustForwarded: c.forwarded != nil,
		})
		asking(b, listGroups, c.host, append(c.forwarded, "Origin", c.origin)...)
		assert.Equal(t, !c.isSame, slices.Contains(lints(b.Last()), "cors-origin-refused"), name)
	}
}
