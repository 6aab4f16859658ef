package controlapi_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// console is a console that answers with the path that it was asked for.
var console = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "console "+r.URL.Path) })

// The console's files need no token, which a browser couldn't send. Everything else does, by whatever way it is asked for.
func TestConsoleNeedsNoToken(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, controlapi.Access{Token: controlToken, Local: true}, console)
	for _, path := range []string{"/console/", "/console/0123/app.js", "/%63onsole/", "/console/%2e%2e/v1/info", "/console/..%2fv1/info"} {
		assert.Contains(t, g.call(200, "GET "+path, "").Body.String(), "console /console/", path)
		g.call(200, "GET "+path, "Bearer wrong")
		g.call(200, "HEAD "+path, "")
	}
	for _, path := range []string{"/", "/console"} { // relative, so that the prefix of a proxy stays
		assert.Equal(t, "console/", g.call(302, "GET "+path, "").Header().Get("Location"))
	}
	g.call(404, "GET /console/../v1/info", "")
	for _, path := range []string{"/v1/info", "/metrics", "/consolex", "/consol", "//console/", "/v1/../console/", "/v1/info/console/",
		"/nope"} {
		g.call(401, "GET "+path, "")
	}
	newGuarded(t, controlapi.Access{Token: controlToken}, nil).call(401, "GET /console/", "")
	newGuarded(t, controlapi.Access{}, nil).call(404, "GET /console/", "")
}
