package controlapi

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config configures the control API.
type Config struct {
	Sandboxes  *sandbox.Registry
	Access     Access
	Ready      func() bool // whether the service listener answers
	ServiceURL string      // of the service listener
	HTTPSURL   string      // of the service listener that speaks https; empty: there is none, or ServiceURL is for all
	CA         []byte      // certificate that clients of https must trust (PEM); nil: there is none
	// NoDefault is whether URLs without a sandbox reach none, instead of the default one.
	NoDefault bool
	// HostURLs returns the base URLs of a sandbox whose hosts name it, or is nil if there are none.
	HostURLs func(sandbox string) []string

	Version   string // of the program
	StartedAt time.Time
	Log       *slog.Logger
	LogStuck  func() bool // whether the log is not being written; nil: never

	// Draining is closed when the server begins to shut down. Streams end then; http.Server.Shutdown would wait for
	// them. Nil: never.
	Draining <-chan struct{}

	// Hold notes that a lifeline begins, and release that it ends: the simulator then runs on for linger, if it was the
	// last one; below 0: for as long as without a request. Nil: lifelines hold nothing.
	Hold func(linger time.Duration) (release func())

	// Bank answers the requests that the control API is asked to send to the bank.
	Bank http.Handler

	// Console serves the page for people, below /console/. It needs no token: it has nothing but the page, and that
	// calls this API. Nil: there is none.
	Console http.Handler

	// Agents serves the Model Context Protocol at /mcp, which is a call like others to who may call. Nil: there is
	// none.
	Agents http.Handler

	// Answers is how many bytes of large answers, such as a state or a HAR, are written at a time. Nil: no bound.
	Answers *semaphore.Weighted

	// Metrics serves GET /metrics. Nil: there are none.
	Metrics http.Handler
}

// consolePath is where the console is.
const consolePath = "/console/"

// ConsoleURL returns the URL of the console of a control API with a URL.
func ConsoleURL(control string) string { return control + consolePath }

type control struct {
	Config
	builtIn   library
	streams   *atomic.Int64
	lifelines *atomic.Int64 // open ones
}

// New returns the handler of the control API. Its routes are set up when it is called first: the start of the simulator
// doesn't wait for them.
func New(cfg Config) http.Handler {
	a := control{Config: cfg, builtIn: newLibrary(), streams: new(atomic.Int64), lifelines: new(atomic.Int64)}
	routed := sync.OnceValue(a.routed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { routed().ServeHTTP(w, r) })
}

// unmatched is the pattern of what no call takes.
const unmatched = "/"

// routed returns the handler of all routes.
func (a control) routed() http.Handler {
	mux := http.NewServeMux()
	for _, rt := range Routes() {
		mux.Handle(rt.String(), a.handler(rt.checked(a)))
	}
	if a.Console != nil {
		mux.Handle(consolePath, a.Console)
		mux.HandleFunc("GET /{$}", redirectToConsole)
		mux.HandleFunc("GET "+strings.TrimSuffix(consolePath, "/"), redirectToConsole)
	}
	if a.Agents != nil {
		mux.Handle("/mcp", a.Agents)
	}
	mux.Handle(unmatched, a.handler(func(w http.ResponseWriter, r *http.Request) error {
		if allow := strings.Join(allowed(mux, r), ", "); allow != "" {
			w.Header().Set("Allow", allow) // RFC 9110 15.5.6
			return refuse(http.StatusMethodNotAllowed, "this path takes %s", allow)
		}
		return a.noPath(r)
	}))
	return http.MaxBytesHandler(a.observe(mux, a.guard(mux)), maxBody)
}

// redirectToConsole redirects to the console by a relative reference: behind a proxy, the path may have a prefix that
// is known to the browser alone. http.Redirect would write a path from the root on.
func redirectToConsole(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", strings.TrimPrefix(consolePath, "/"))
	w.WriteHeader(http.StatusFound)
}

// noPath refuses a path that no call has.
func (a control) noPath(r *http.Request) error {
	if _, isBank := contract.NearestFamily(r.URL.Path); isBank || strings.HasPrefix(r.URL.Path, "/sandboxes/") {
		return refuse(http.StatusNotFound, "this is the control API, and %s is a path of the bank: call %s%s",
			phrase.Quote(r.URL.Path), a.ServiceURL, phrase.Shorten(r.URL.EscapedPath()))
	}
	return refuse(http.StatusNotFound, "the control API has no path %s", phrase.Quote(r.URL.Path))
}

// Has reports whether a path begins like one of the control API or of the console.
func Has(path string) bool {
	return strings.HasPrefix(path, consolePath) || slices.ContainsFunc(Routes(), func(rt *Route) bool {
		beginning, _, _ := strings.Cut(rt.Path, "{")
		return strings.HasPrefix(path, beginning)
	})
}

// allowed returns the methods of the path of a request.
func allowed(mux *http.ServeMux, r *http.Request) []string {
	var methods []string
	probe := *r
	for _, probe.Method = range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		if _, pattern := mux.Handler(&probe); pattern != unmatched {
			methods = append(methods, probe.Method)
		}
	}
	return methods
}
