package controlapi

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config configures the control API.
type Config struct {
	Sandboxes  *sandbox.Registry
	Access     Access
	Ready      func() bool // whether the service listener answers
	ServiceURL string      // base URL of the default sandbox
	Version    string      // of the program
	StartedAt  time.Time
	Log        *slog.Logger

	// Draining is closed when the server begins to shut down. Streams end then; http.Server.Shutdown would wait for them.
	// Nil: never.
	Draining <-chan struct{}

	// LargeAnswers is how many answers of any size, such as a state or a HAR, are sent at a time. 0: DefaultLargeAnswers.
	LargeAnswers int

	// Metrics are served by GET /metrics, together with those of the process and of the sandboxes, which New registers.
	// Nil: only these.
	Metrics *prometheus.Registry
}

type api struct {
	Config
	builtIn library
	large   turns
}

// New returns the handler of the control API.
func New(cfg Config) http.Handler {
	a := api{cfg, newLibrary(), newTurns(cfg.LargeAnswers)}
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	route := func(method, path string, handle handle) {
		router.Path(path).Methods(method).Handler(a.handler(handle))
	}
	route("GET", "/healthz", a.healthz)
	route("GET", "/readyz", a.readyz)
	route("GET", "/metrics", a.metrics())
	route("GET", "/v1/info", a.info)
	route("GET", "/v1/ledger", a.ledger)
	route("GET", "/v1/openapi.json", a.openapi)
	route("GET", "/v1/sandboxes", a.listSandboxes)
	route("POST", "/v1/sandboxes", a.createSandbox)

	const sandboxes = "/v1/sandboxes/{sandbox}"
	in := func(method, path string, handle sandboxHandle) {
		route(method, sandboxes+path, a.inSandbox(handle))
	}
	in("GET", "", a.getSandbox)
	in("DELETE", "", a.deleteSandbox)
	in("POST", "/fork", a.fork)
	in("POST", "/reset", a.reset)
	in("GET", "/scenario", a.getScenario)
	in("PUT", "/scenario", a.putScenario)
	in("GET", "/state", a.getState)
	in("GET", "/diff", a.getDiff)
	in("GET", "/clock", a.getClock)
	in("POST", "/clock", a.setClock)
	in("GET", "/snapshots", a.listSnapshots)
	in("POST", "/snapshots", a.takeSnapshot)
	in("POST", "/snapshots/{snapshot}/restore", a.restoreSnapshot)

	const institution = "/institutions/{institution}"
	in("PATCH", institution, a.patchInstitution)
	in("PATCH", institution+"/users/{user}", a.patchUser)
	in("PATCH", institution+"/users/{user}/accounts/{account}", a.patchAccount)
	in("POST", institution+"/tokens", a.mintToken)

	in("GET", "/faults", a.listFaults)
	in("POST", "/faults", a.addFaults)
	in("DELETE", "/faults", a.clearFaults)
	in("DELETE", "/faults/{fault}", a.removeFault)

	in("GET", "/journal", a.getJournal)
	in("DELETE", "/journal", a.clearJournal)
	in("GET", "/journal.har", a.getHAR)
	in("GET", "/journal/stream", a.stream)
	in("POST", "/journal/verify", a.verify)
	in("GET", "/journal/{exchange}", a.getExchange)

	router.NotFoundHandler = a.handler(func(_ http.ResponseWriter, r *http.Request) error {
		return refuse(http.StatusNotFound, "the control API has no path %s", phrase.Quote(r.URL.Path))
	})
	router.MethodNotAllowedHandler = a.handler(func(w http.ResponseWriter, r *http.Request) error {
		allow := strings.Join(allowed(router, r), ", ")
		w.Header().Set("Allow", allow) // RFC 9110 15.5.6
		return refuse(http.StatusMethodNotAllowed, "this path takes %s", allow)
	})
	return a.guard(router)
}

// allowed returns the methods of the path of a request.
func allowed(router *mux.Router, r *http.Request) []string {
	var methods []string
	probe := *r
	for _, probe.Method = range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		var match mux.RouteMatch
		if router.Match(&probe, &match) && match.MatchErr == nil {
			methods = append(methods, probe.Method)
		}
	}
	return methods
}

// pathVar returns a variable of a request's path, unescaped.
func pathVar(r *http.Request, name string) string {
	text := mux.Vars(r)[name] // escaped, see mux.Router.UseEncodedPath
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// sandboxHandle handles a request for the sandbox in its path.
type sandboxHandle func(http.ResponseWriter, *http.Request, *sandbox.Sandbox) error

// inSandbox looks up the sandbox in the path of a request; 404 if there is none.
func (a api) inSandbox(handle sandboxHandle) handle {
	return func(w http.ResponseWriter, r *http.Request) error {
		name := pathVar(r, "sandbox")
		sb, ok := a.Sandboxes.Get(name)
		if !ok {
			return refuse(http.StatusNotFound, "there is no sandbox %s: POST /v1/sandboxes creates one", phrase.Quote(name))
		}
		return handle(w, r, sb)
	}
}
