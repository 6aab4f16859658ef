package controlapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Config configures the control API.
type Config struct {
	Sandboxes  *sandbox.Registry
	Access     Access
	Ready      func() bool // whether the service listener answers
	ServiceURL string      // the URL of the service listener
	HTTPSURL   string      // the URL of the service listener for https, or empty if ServiceURL is for all requests
	CA         []byte      // PEM certificate that clients of https must trust, or nil
	NoDefault  bool        // whether a URL must name its sandbox, because there is no default

	// HostURLs returns the base URLs of a sandbox whose hosts name the sandbox. It may be nil.
	HostURLs func(sandbox string) []string

	Version   string // the version of the program
	StartedAt time.Time
	Log       *slog.Logger
	LogStuck  func() bool // whether nobody reads the log, or nil
	// CertProblem returns why the files of the https certificate can't be used, or nil. It may be nil itself.
	CertProblem func() error

	// Draining is closed when the server begins to shut down. Calls that wait for requests end then, because
	// http.Server.Shutdown would wait for them. If Draining is nil, no call ends early.
	Draining <-chan struct{}

	// Hold notes that a client keeps the simulator alive, and release that it stops. After the last release, the
	// simulator runs for linger, or for the usual idle time if linger is negative. Hold is nil in a simulator that
	// never ends by itself.
	Hold func(linger time.Duration) (release func())

	// Bank answers the requests that the control API is asked to send.
	Bank http.Handler

	// Inference finds the banks behind captures. If it is zero, the call for it is refused.
	Inference Inference

	// Console serves the page for people below /console/, or is nil. A browser loads it without a token, because it
	// holds nothing of the bank.
	Console http.Handler

	// Agents serves the Model Context Protocol at /mcp, or is nil. It needs the token like any call.
	Agents http.Handler

	// Metrics serves GET /metrics, or is nil.
	Metrics http.Handler
}

// consolePath is the path of the console.
const consolePath = "/console/"

// ConsoleURL returns the URL of the console of a control API.
func ConsoleURL(control string) string { return control + consolePath }

// control has what the handlers of the calls need. It never changes.
type control struct {
	Config
	builtIn    library
	waiting    *atomic.Int64 // calls that wait for requests
	keepAlives *atomic.Int64 // open answers that keep the simulator alive
	inferring  *sync.Mutex   // held while the bank behind a capture is being found
	exporting  *sync.Mutex   // held while all banks are exported
	scenarios  chan struct{} // has a value while a whole scenario is read or written
}

// New returns the handler of the control API. The calls are registered when the first one comes, so that the simulator
// starts without them.
func New(cfg Config) http.Handler {
	c := control{Config: cfg, builtIn: newLibrary(), waiting: new(atomic.Int64), keepAlives: new(atomic.Int64),
		inferring: new(sync.Mutex), exporting: new(sync.Mutex), scenarios: make(chan struct{}, 1)}
	handler := sync.OnceValue(c.handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

// unmatched is the pattern of the paths that no call has.
const unmatched = "/"

// handler returns the handler of all calls, the console and the agents.
func (c control) handler() http.Handler {
	mux := http.NewServeMux()
	for _, call := range c.calls() {
		mux.HandleFunc(call.Method+" "+call.Path, func(w http.ResponseWriter, r *http.Request) { c.serve(call, w, r) })
	}
	if c.Console != nil {
		mux.Handle(consolePath, c.Console)
		mux.HandleFunc("GET /{$}", redirectToConsole)
		mux.HandleFunc("GET "+strings.TrimSuffix(consolePath, "/"), redirectToConsole)
	}
	if c.Agents != nil {
		mux.Handle("/mcp", c.Agents)
	}
	mux.HandleFunc(unmatched, func(w http.ResponseWriter, r *http.Request) {
		if allow := strings.Join(allowedMethods(mux, r), ", "); allow != "" {
			w.Header().Set("Allow", allow) // RFC 9110 15.5.6
			writeProblem(w, refuse(http.StatusMethodNotAllowed, "this path takes %s", allow))
			return
		}
		writeProblem(w, c.noPath(r))
	})
	guarded := c.observe(mux, c.guard(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lease := c.Sandboxes.Requests().Lease()
		defer lease.Release()
		bounded := *r
		bounded.Body = lease.Body(http.MaxBytesReader(w, r.Body, c.bodyLimit(r)), bodyWeight)
		guarded.ServeHTTP(w, &bounded)
	})
}

// untilDraining returns a context that also ends when the server begins to shut down.
func (c control) untilDraining(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.Draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// redirectToConsole answers with a relative reference, because a proxy may have put a prefix before the path. Only the
// browser knows the prefix. http.Redirect would write a path from the root.
func redirectToConsole(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", strings.TrimPrefix(consolePath, "/"))
	w.WriteHeader(http.StatusFound)
}

// noPath returns the problem of a path that no call has.
func (c control) noPath(r *http.Request) *refusal {
	if _, isBank := contract.NearestFamily(r.URL.Path); isBank || strings.HasPrefix(r.URL.Path, "/sandboxes/") {
		return refuse(http.StatusNotFound, "this is the control API, and %s is a path of the bank: call %s%s",
			wording.Quote(r.URL.Path), c.ServiceURL, wording.Shorten(r.URL.EscapedPath()))
	}
	return refuse(http.StatusNotFound, "the control API has no path %s", wording.Quote(r.URL.Path))
}

// Has reports whether a path begins like a path of the control API or of the console.
func Has(path string) bool {
	return slices.ContainsFunc(beginnings(), func(b string) bool { return strings.HasPrefix(path, b) })
}

// beginnings returns the paths of all calls, each up to its first variable.
var beginnings = sync.OnceValue(func() []string {
	all := []string{consolePath}
	for _, call := range Calls() {
		beginning, _, _ := strings.Cut(call.Path, "{")
		all = append(all, beginning)
	}
	return all
})

// allowedMethods returns the methods that the path of a request has calls for.
func allowedMethods(mux *http.ServeMux, r *http.Request) []string {
	var methods []string
	probe := *r
	for _, probe.Method = range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		if _, pattern := mux.Handler(&probe); pattern != unmatched {
			methods = append(methods, probe.Method)
		}
	}
	return methods
}
