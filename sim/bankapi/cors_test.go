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
	return simtest.NewCall(http.MethodOptions, path, "",
		"Origin: "+origin,
		"Access-Control-Request-Method: "+call.Method,
		"Access-Control-Request-Headers: "+strings.Join(headers, ","),
	)
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

// A preflight is answered before faults and operations, and counts for neither. What a fault answers later can be read.
func TestPreflight(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, withCORS(forPage)+
		"faults: [{name: all, when: {first: 1}, then: {status: 500, headers: {X-Node: b}}}]\n")
	res := preflight(createGroup, page, "content-type", "x-app").Expect(b, 204)
	assert.Equal(t, map[string]string{
		"Access-Control-Allow-Origin":  page,
		"Access-Control-Allow-Methods": "DELETE, GET, HEAD, POST, PUT",
		"Access-Control-Allow-Headers": "content-type,x-app",
		"Vary":                         "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
	}, cors(res))
	x := b.ExchangeOf(res)
	assert.Equal(t, []string{"accepted", contract.Preflight, ""},
		[]string{x.Decision.Outcome, x.Decision.Rule, x.Operation})
	assert.Equal(t, []string{page}, x.Request.Headers.Values()["Origin"], "the journal shows who asked")
	assert.Nil(t, x.Fault)

	res = createGroup.With("Origin", page).Expect(b, 500, "the first request of an operation")
	assert.Equal(t, page, res.Header.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, res.Header.Get("Access-Control-Expose-Headers"), ", X-Node")
	preflight(createGroup, page).Adding("Origin", page).Expect(b, 403, "no browser sends two")
}

// Every answer to a page of a listed origin is readable, whatever comes of the request.
func TestReadableAnswers(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, withCORS(forPage))
	exposed := "Banksim-Exchange, Allow, Retry-After, WWW-Authenticate, transactionId, correlationid"
	want := map[string]string{
		"Access-Control-Allow-Origin":   page,
		"Vary":                          "Origin",
		"Access-Control-Expose-Headers": exposed,
	}
	nowhere := createGroup.At("/sandboxes/nope/nope")
	for status, calls := range map[int][]simtest.Call{
		200: {listGroups}, 404: {listGroups.At("/nope"), nowhere}, 405: {listGroups.WithMethod("PATCH")},
	} {
		for _, call := range calls {
			res := call.With("Origin", page).Expect(b, status)
			assert.Equal(t, want, cors(res), call)
		}
	}
	preflight(nowhere, page).Expect(b, 204, "so that the page can read that there is no such sandbox")
	other := cors(listGroups.Send(b))
	assert.Equal(t, map[string]string{"Vary": "Origin"}, other, "a cache keeps it for no other origin")
}

// behavior.cors.origins admits a page by scheme, host and port.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for list, origins := range map[string]map[string]bool{
		`"https://app.example.com"`: {
			page: true, "http://app.example.com": false, "https://app.example.com:8443": false,
			"https://app.example.com.evil.example": false, "https://APP.example.com": false, "null": false, "": false,
		},
		`"http://localhost:*"`: {
			"http://localhost": true, "http://localhost:5173": true, "http://localhost:": false,
			"http://localhost:5x": false, "http://localhost.evil.example": false,
			"http://localhost:80.evil.example": false, "https://localhost:1": false,
		},
		`"null"`:                {"null": true, page: false},
		`"https://a.test", "*"`: {page: true, "null": true},
	} {
		b := simtest.NewBank(t, withCORS("origins: ["+list+"]"))
		for origin, isAdmitted := range origins {
			for _, call := range []simtest.Call{listGroups.With("Origin", origin), preflight(listGroups, origin)} {
				allowed := call.Send(b).Header.Get("Access-Control-Allow-Origin")
				assert.Equal(t, isAdmitted, allowed != "", "%s: %s", list, origin)
			}
		}
	}
}

// Pages of listed origins may send cookies where the scenario says so. Then every answer to them says so, and names the
// origin. For all origins together it never does.
func TestCredentials(t *testing.T) {
	t.Parallel()
	calls := []simtest.Call{listGroups, listGroups.Without("transactionId"), preflight(createGroup, page),
		listGroups.At("/nope")}
	const sends = ", credentials: true"
	for name, c := range map[string]struct {
		scenario string   // switches of behavior.cors
		flag     []string // --cors-origins
		origin   string   // in answers, or "" if they have none
		sends    bool     // whether pages may send cookies
	}{
		"origins":                      {forPage, nil, page, false},
		"credentials":                  {forPage + sends, nil, page, true},
		"credentials and another page": {`origins: ["https://other.test"]` + sends, []string{page}, "", false},
		"flag and credentials":         {"credentials: true", []string{"http://localhost:*", page}, page, true},
		"flag for one and all":         {"credentials: true", []string{page, "*"}, "*", false},
		"all by the scenario":          {`origins: ["*"]`, []string{page}, "*", false},
	} {
		b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, withCORS(c.scenario)), CORSOrigins: c.flag})
		for _, call := range calls {
			res := call.With("Origin", page).Send(b)
			assert.Equal(t, c.origin, res.Header.Get("Access-Control-Allow-Origin"), "%s: %s", name, call)
			assert.Equal(t, c.sends, res.Header.Get("Access-Control-Allow-Credentials") == "true", "%s: %s", name, call)
		}
		other := listGroups.With("Origin", "https://evil.example").Send(b)
		assert.Empty(t, other.Header.Values("Access-Control-Allow-Credentials"), name)
	}
}

// A page of the origin that it calls needs no permission, also behind a proxy, so there is no lint about it.
func TestSameOrigin(t *testing.T) {
	t.Parallel()
	const proto, host = "X-Forwarded-Proto", "X-Forwarded-Host"
	for name, c := range map[string]struct {
		public, host, origin string
		forwarded            []string // names and values
		isSame               bool
	}{
		"own host":     {"", "bank:8080", "http://bank:8080", nil, true},
		"other port":   {"", "bank:8080", "http://bank:3000", nil, false},
		"other scheme": {"", "bank:8080", "https://bank:8080", nil, false},
		"forwarded": {"", "10.0.0.7:8080", "https://bank.example",
			[]string{proto, "https", host, "bank.example"}, true},
		"forwarded, upstream": {"", "bank:8080", "http://bank:8080", []string{host, "bank.example"}, false},
	} {
		b := simtest.Start(t, server.Config{
			Sandboxes: simtest.Registry(t, withCORS(forPage)), PublicURL: c.public, TrustForwarded: c.forwarded != nil,
		})
		asking(b, listGroups, c.host, append(c.forwarded, "Origin", c.origin)...)
		assert.Equal(t, !c.isSame, slices.Contains(lints(b.Last()), "cors-origin-refused"), name)
	}
}
