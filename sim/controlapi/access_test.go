package controlapi_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const controlToken = "Ctrl-7d1f.canary~ok"

// console is a console that answers with the path that it was asked for.
var console = http.HandlerFunc(
	func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "console "+r.URL.Path) },
)

// guarded is a control API without a server.
type guarded struct {
	t         *testing.T
	sandboxes *sandbox.Registry
	handler   http.Handler
}

// newGuarded returns a control API. What the configuration leaves out is chosen.
func newGuarded(t *testing.T, cfg controlapi.Config) guarded {
	t.Helper()
	cfg.Sandboxes = simtest.Registry(t, simtest.FrozenRetail)
	t.Cleanup(cfg.Sandboxes.Close)
	cfg.Ready, cfg.Metrics = func() bool { return true }, metrics.New(metrics.Config{Sandboxes: cfg.Sandboxes})
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return guarded{t, cfg.Sandboxes, controlapi.New(cfg)}
}

// call sends "METHOD path", and perhaps a body after it, to a host with headers "Name: value". It returns the answer,
// which has a status.
func (g guarded) call(status int, request, host string, headers ...string) *httptest.ResponseRecorder {
	g.t.Helper()
	parts := append(strings.SplitN(request, " ", 3), "")
	r := httptest.NewRequestWithContext(g.t.Context(), parts[0], parts[1], strings.NewReader(parts[2]))
	r.Host = host
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	assert.Equal(g.t, status, w.Code, "%s for %q with %q: %s", request, host, headers, w.Body)
	return w
}

// Without the token, nothing can be called but probes, which don't tell why the scenario's files are bad, the console,
// whose page a browser loads without it, and the keys by which apps check id_tokens.
func TestControlToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Config{Access: controlapi.Access{Token: controlToken}, Console: console})
	g.sandboxes.Refuse(errors.New("bank.yaml is gone"))
	generation := g.sandboxes.Default().Known().Generation
	const s = "/v1/sandboxes/default"
	for request, want := range map[string]string{
		"GET /healthz": "", "GET /readyz": "were refused", "HEAD /console/": "",
		"GET " + s + "/keys": `{"keys":[{"kty":"RSA","use":"sig",`, "HEAD " + s + "/keys": "",
		"GET /console/": "console /console/", "GET /console/0123/app.js": "console /console/",
		"GET /%63onsole/":             "console /console/",
		"GET /console/%2e%2e/v1/info": "console /console/", "GET /console/..%2fv1/info": "console /console/",
	} {
		for _, authorization := range []string{"", "Authorization: Bearer wrong"} {
			public := g.call(200, request, "bank", authorization).Body.String()
			assert.Contains(t, public, want)
			assert.NotContains(t, public, "bank.yaml is gone")
		}
	}
	for _, path := range []string{"/", "/console"} { // relative, so that the prefix of a proxy stays
		assert.Equal(t, "console/", g.call(302, "GET "+path, "bank").Header().Get("Location"))
	}
	g.call(404, "GET /v1/sandboxes/nope/keys", "bank")
	g.call(404, "GET /console/../v1/info", "bank")

	for _, request := range []string{
		"GET /v1/info", "GET /metrics", "GET /v1/sandboxes", "POST /v1/sandboxes", "GET /nope", "PUT /v1/info",
		"GET /healthz/x",
		"GET //healthz", "GET /consolex", "GET /consol", "GET //console/", "GET /v1/../console/",
		"GET /v1/info/console/",
		"GET " + s + "/state", "POST " + s + "/reset", "PUT " + s + "/scenario", "DELETE " + s + "/journal",
		"GET " + s + "/verdict",
		"POST " + s + "/keys", "DELETE " + s + "/keys", "GET " + s + "/keys/", "GET /v1/sandboxes/default%2Fkeys",
		"GET /v1/sandboxes/x/../default/keys", "GET " + s + "/state/keys", "DELETE /v1/sandboxes/default%2Fkeys",
	} {
		for _, credentials := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", controlToken, "Basic " + controlToken, "Bearer" + controlToken,
			"Bearer " + controlToken[1:], "Bearer " + controlToken + "x", "Bearer " + strings.ToUpper(controlToken),
			"Bearer " +
				controlToken + ", Bearer x",
		} {
			res := g.call(401, request, "bank", "Authorization: "+credentials)
			assert.Equal(t, `Bearer realm="banksim control API"`, res.Header().Get("WWW-Authenticate"))
			assert.Contains(t, res.Body.String(), "--control-token")
			assert.NotContains(t, res.Body.String(), controlToken)
		}
		g.call(401, request+"?access_token="+controlToken+"&token="+controlToken, "bank")
	}
	assert.Same(t, generation, g.sandboxes.Default().Known().Generation, "a refused call reset the sandbox")
	assert.Equal(t, 1, g.sandboxes.Len())

	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		assert.Contains(t, g.call(200, "GET /v1/info", "bank", "Authorization: "+scheme+controlToken).Body.String(),
			`"problems":[{"file":"test.yaml","message":"bank.yaml is gone"}]`)
	}
	newGuarded(t, controlapi.Config{Access: controlapi.Access{Token: controlToken}}).call(401, "GET /console/", "bank")
	without := newGuarded(t, controlapi.Config{})
	without.call(404, "GET /console/", "bank")
	without.call(200, "GET /v1/info", "bank", "Authorization: Bearer whatever")
}

// On loopback, a page whose name was made to point at this machine calls with that name, and is refused: the console,
// too, would be of its origin. Elsewhere the machine may have any name.
func TestHosts(t *testing.T) {
	t.Parallel()
	loopback := newGuarded(t, controlapi.Config{
		Access: controlapi.Access{Local: true, Host: "bank.local"}, Console: console,
	})
	everywhere := newGuarded(t, controlapi.Config{Console: console})
	tokened := newGuarded(t, controlapi.Config{
		Access: controlapi.Access{Local: true, Token: controlToken}, Console: console,
	})
	paths := map[string]int{"/v1/info": 200, "/healthz": 200, "/console/": 200, "/console/0123/app.js": 200, "/": 302}
	for _, host := range []string{
		"localhost", "localhost:8081", "LocalHost:1", "127.0.0.1", "127.0.0.1:9", "127.8.7.6:80", "[::1]", "[::1]:8081",
		"bank.local",
		"Bank.Local:80",
	} {
		for path, found := range paths {
			loopback.call(found, "GET "+path, host)
		}
	}
	for _, host := range []string{
		"evil.example", "evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.7:8081",
		"0.0.0.0:8081",
		"[2001:db8::1]:80", "localhosts", "banksim", "",
	} {
		for path, found := range paths {
			everywhere.call(found, "GET "+path, host)
			if host == "" && path == "/healthz" { // as HAProxy sends it, by HTTP/1.0
				loopback.call(found, "GET "+path, host)
				continue
			}
			assert.Contains(t, loopback.call(421, "GET "+path, host).Body.String(), "ask for localhost or 127.0.0.1")
			tokened.call(421, "GET "+path, host)
		}
	}
}

// No page of another origin makes a call through somebody's browser, not even a GET: it need not read the answer to
// hold the simulator open. Without the token, a call that is let past that is refused for its lack.
func TestOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Config{Access: controlapi.Access{Token: controlToken}, Console: console})
	calls := map[string]int{ // the answer to a call of no other origin
		"GET /mcp": 401, "POST /mcp": 401, "GET /nope": 401, "HEAD /v1/info": 401, "OPTIONS /v1/sandboxes": 401,
		"GET /": 302, "GET /console": 302, "GET /console/": 200, "GET /console/0123/app.js": 200, "POST /console/": 200,
	}
	var document struct{ Paths map[string]map[string]any }
	require.NoError(t, json.Unmarshal(openapi.Document("http://localhost"), &document))
	for path, methods := range document.Paths {
		for method := range methods {
			calls[strings.ToUpper(method)+" "+regexp.MustCompile(`{.*?}`).ReplaceAllString(path, "default")] = 401
		}
	}
	maps.Copy(calls, map[string]int{"GET /healthz": 200, "GET /readyz": 200, "GET /ca.pem": 404})
	const keys = "GET /v1/sandboxes/default/keys"
	calls[keys] = 200
	for request, own := range calls {
		for _, headers := range []string{
			"User-Agent: a program", "Sec-Fetch-Site: none", "Origin: http://localhost:8081",
			"Sec-Fetch-Site: same-origin\nOrigin: http://localhost:8081",
			"Sec-Fetch-Site: same-origin\nOrigin: https://bank.example", // a proxy has changed the host
		} {
			g.call(own, request, "localhost:8081", strings.Split(headers, "\n")...)
		}
		for _, headers := range []string{
			"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site\nOrigin: null",
			"Origin: http://evil.example", "Origin: null", "Origin: http://localhost:3000", // old browsers
			"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate",
		} {
			method, path, _ := strings.Cut(request, " ")
			isPage := method == "GET" && (path == "/" || strings.HasPrefix(path, "/console"))
			status := 403
			if request == keys || isPage && strings.HasSuffix(headers, "navigate") { // a link to the console
				status = own
			}
			g.call(status, request, "localhost:8081", strings.Split(headers, "\n")...)
		}
	}
}
