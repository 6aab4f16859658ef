package controlapi_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const controlToken = "Ctrl-7d1f.canary~ok"

// guarded is a control API without a server.
type guarded struct {
	t         *testing.T
	sandboxes *sandbox.Registry
	handler   http.Handler
}

// newGuarded returns a control API with a console, or nil.
func newGuarded(t *testing.T, access controlapi.Access, console http.Handler) guarded {
	t.Helper()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	t.Cleanup(sandboxes.Close)
	return guarded{t, sandboxes, controlapi.New(controlapi.Config{
		Sandboxes: sandboxes, Access: access, Ready: func() bool { return true }, Console: console, Log: slog.New(slog.DiscardHandler),
		Metrics: metrics.New(metrics.Config{Sandboxes: sandboxes}),
	})}
}

// call sends "METHOD path" with an Authorization header and returns the answer, which has a status.
func (g guarded) call(status int, request, authorization string) *httptest.ResponseRecorder {
	g.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, "http://localhost"+path, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return g.serve(status, r)
}

func (g guarded) serve(status int, r *http.Request) *httptest.ResponseRecorder {
	g.t.Helper()
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	assert.Equal(g.t, status, w.Code, "%s %s%s: %s", r.Method, r.Host, r.URL, w.Body)
	return w
}

// Without the token, nothing can be called but the paths of probes.
func TestControlToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Access{Token: controlToken}, nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		g.call(200, "GET "+path, "")
		g.call(200, "GET "+path, "Bearer wrong")
	}
	sb := g.sandboxes.Default()
	generation := sb.Known().Generation
	const s = "/v1/sandboxes/default"
	for _, request := range []string{
		"GET /v1/info", "GET /metrics", "GET /v1/sandboxes", "POST /v1/sandboxes", "GET /", "GET /nope", "PUT /v1/info", "GET /healthz/x",
		"GET //healthz",
		"GET " + s + "/state", "POST " + s + "/reset", "PUT " + s + "/scenario", "DELETE " + s + "/journal", "GET " + s + "/journal/stream",
	} {
		for _, credentials := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", controlToken, "Basic " + controlToken, "Bearer" + controlToken,
			"Bearer " + controlToken[1:], "Bearer " + controlToken + "x", "Bearer " + strings.ToUpper(controlToken), "Bearer " +
				controlToken + ", Bearer x",
		} {
			res := g.call(401, request, credentials)
			assert.Equal(t, `Bearer realm="banksim control API"`, res.Header().Get("WWW-Authenticate"))
			assert.Equal(t, "application/problem+json", res.Header().Get("Content-Type"))
			assert.Contains(t, res.Body.String(), "--control-token")
			assert.NotContains(t, res.Body.String(), controlToken)
		}
		g.call(401, request+"?access_token="+controlToken+"&token="+controlToken, "")
	}
	assert.Same(t, generation, sb.Known().Generation, "a refused call reset the sandbox")
	assert.Equal(t, 1, g.sandboxes.Len())

	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		g.call(200, "GET "+s+"/state", scheme+controlToken)
		g.call(200, "GET /metrics", scheme+controlToken)
		g.call(404, "GET /nope", scheme+controlToken)
	}
	disconnected, disconnect := context.WithCancel(t.Context())
	disconnect()
	stream := httptest.NewRequest(http.MethodGet, "http://localhost"+s+"/journal/stream", nil).WithContext(disconnected)
	stream.Header.Set("Authorization", "Bearer "+controlToken)
	g.serve(200, stream)
	g.call(204, "POST "+s+"/reset", "Bearer "+controlToken)
	assert.NotSame(t, generation, sb.Known().Generation)
	newGuarded(t, controlapi.Access{}, nil).call(200, "GET /v1/info", "Bearer whatever")
}

// An app that checks id_tokens reads the keys of its bank without the token. No other call or spelling gets in so.
func TestKeySetNeedsNoToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Access{Token: controlToken}, nil)
	const keys = "/v1/sandboxes/default/keys"
	assert.Contains(t, g.call(200, "GET "+keys, "").Body.String(), `{"keys":[{"kty":"RSA","use":"sig",`)
	g.call(404, "GET /v1/sandboxes/nope/keys", "")
	for _, request := range []string{
		"POST " + keys, "DELETE " + keys, "GET " + keys + "/", "GET /v1/sandboxes/default%2Fkeys",
		"GET /v1/sandboxes/x/../default/keys",
		"GET /v1/sandboxes/default/state/keys", "DELETE /v1/sandboxes/default%2Fkeys",
	} {
		g.call(401, request, "")
	}
}

// Whoever has no token learns that the scenario's files are bad, but not why.
func TestReadinessWithoutTheToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Access{Token: controlToken}, nil)
	g.sandboxes.Refuse(errors.New("bank.yaml is gone"))
	ready := g.call(200, "GET /readyz", "").Body.String()
	assert.Contains(t, ready, "were refused")
	assert.NotContains(t, ready, "bank.yaml is gone")
	assert.Contains(t, g.call(200, "GET /v1/info", "Bearer "+controlToken).Body.String(),
		`"problems":[{"file":"test.yaml","message":"bank.yaml is gone"}]`)
}

// On loopback, a page whose name was made to point at this machine calls with that name, and is refused: the console, too,
// would be of its origin. Elsewhere the machine may have any name.
func TestHosts(t *testing.T) {
	t.Parallel()
	loopback := newGuarded(t, controlapi.Access{Local: true, Host: "bank.local"}, console)
	everywhere := newGuarded(t, controlapi.Access{}, console)
	tokened := newGuarded(t, controlapi.Access{Local: true, Token: controlToken}, console)
	ask := func(g guarded, status int, host, path string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		return g.serve(status, r)
	}
	for host, ours := range map[string]bool{
		"localhost": true, "localhost:8081": true, "LocalHost:1": true, "127.0.0.1": true, "127.0.0.1:9": true, "127.8.7.6:80": true,
		"[::1]": true, "[::1]:8081": true,
		"bank.local": true, "Bank.Local:80": true,
		"evil.example": false, "evil.example:8081": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"192.0.2.7:8081": false,
		"0.0.0.0:8081":   false, "[2001:db8::1]:80": false, "localhosts": false, "banksim": false, "": false,
	} {
		for path, found := range map[string]int{"/v1/info": 200, "/healthz": 200, "/console/": 200, "/console/0123/app.js": 200, "/": 302} {
			ask(everywhere, found, host, path)
			isProbeWithoutHost := host == "" && path == "/healthz" // as HAProxy sends it, by HTTP/1.0
			if ours || isProbeWithoutHost {
				ask(loopback, found, host, path)
				continue
			}
			assert.Contains(t, ask(loopback, 421, host, path).Body.String(), "ask for localhost or 127.0.0.1")
			ask(tokened, 421, host, path)
		}
	}
}

// A page of another origin must not call the control API through somebody's browser, whatever its body claims to be: a page
// sends text/plain and forms to another origin without asking first.
func TestOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers []string
		status  int
	}{
		"a page of another site":               {[]string{"Sec-Fetch-Site: cross-site", "Origin: http://evil.example"}, 403},
		"a page of the same site":              {[]string{"Sec-Fetch-Site: same-site", "Origin: http://localhost:3000"}, 403},
		"a page that hides its origin":         {[]string{"Sec-Fetch-Site: cross-site", "Origin: null"}, 403},
		"an old browser":                       {[]string{"Origin: http://evil.example"}, 403},
		"an old browser that hides the origin": {[]string{"Origin: null"}, 403},
		"an old browser, another port":         {[]string{"Origin: http://localhost:3000"}, 403},
		"a page of its own":                    {[]string{"Sec-Fetch-Site: same-origin", "Origin: http://localhost"}, 201},
		"an old browser, a page of its own":    {[]string{"Origin: http://localhost"}, 201},
		"a program":                            {nil, 201},
	} {
		for _, media := range []string{"", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "application/json"} {
			g := newGuarded(t, controlapi.Access{Local: true}, nil)
			r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/sandboxes", strings.NewReader(`{"name":"made"}`))
			for _, header := range append(test.headers, "Content-Type: "+media) {
				key, value, _ := strings.Cut(header, ": ")
				r.Header.Set(key, value)
			}
			res := g.serve(test.status, r)
			_, err := g.sandboxes.Find(t.Context(), "made")
			assert.Equal(t, test.status == 201, err == nil, "%s with %s", name, media)
			if test.status == 403 {
				assert.Equal(t, "application/problem+json", res.Header().Get("Content-Type"), name)
			}
		}
	}
}
