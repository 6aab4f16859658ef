package controlapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// newConsole returns a control API with a console that answers with the path that it was asked for.
func newConsole(t *testing.T, access controlapi.Access) guarded {
	t.Helper()
	sandboxes := newRegistry(simtest.Scenario(t, simtest.FrozenRetail))
	t.Cleanup(sandboxes.Close)
	return guarded{t, sandboxes, controlapi.New(controlapi.Config{
		Sandboxes: sandboxes, Access: access, Ready: func() bool { return true }, Log: slog.New(slog.DiscardHandler),
		Console: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "console "+r.URL.Path) }),
	})}
}

// The console's files need no token, which a browser couldn't send. Everything else does, by whatever way it is asked for.
func TestConsoleNeedsNoToken(t *testing.T) {
	t.Parallel()
	g := newConsole(t, controlapi.Access{Token: controlToken, Local: true})
	for _, path := range []string{"/console/", "/console/0123/app.js", "/%63onsole/", "/console/%2e%2e/v1/info", "/console/..%2fv1/info"} {
		assert.Contains(t, g.call(200, "GET "+path, "").Body.String(), "console /console/", path)
		g.call(200, "GET "+path, "Bearer wrong")
		g.call(200, "HEAD "+path, "")
	}
	assert.Equal(t, "/console/", g.call(302, "GET /", "").Header().Get("Location"))
	g.call(404, "GET /console/../v1/info", "")
	for _, path := range []string{"/v1/info", "/metrics", "/consolex", "/consol", "//console/", "/v1/../console/", "/v1/info/console/",
		"/nope"} {
		g.call(401, "GET "+path, "")
	}
	newGuarded(t, controlapi.Access{Token: controlToken}).call(401, "GET /console/", "")
	newGuarded(t, controlapi.Access{}).call(404, "GET /console/", "")
}

// A page whose name was made to point at this machine doesn't get the console either, which would be of its origin.
func TestConsoleChecksTheHost(t *testing.T) {
	t.Parallel()
	for _, access := range []controlapi.Access{{Local: true}, {Local: true, Token: controlToken}} {
		g := newConsole(t, access)
		for host, status := range map[string]int{"localhost:8081": 200, "127.0.0.1": 200, "[::1]:80": 200, "evil.example": 421,
			"evil.example:8081": 421, "192.0.2.7": 421} {
			for path, found := range map[string]int{"/console/": 200, "/console/0123/app.js": 200, "/": 302} {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Host = host
				want := status
				if status == 200 {
					want = found
				}
				g.serve(want, r)
			}
		}
	}
}
