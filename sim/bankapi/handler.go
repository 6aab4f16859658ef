package bankapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Config configures a handler.
type Config struct {
	Sandboxes *sandbox.Registry
	// PublicURL is the base URL of the default sandbox for clients behind a proxy, or "". Links begin with it if the
	// request came by its host. Otherwise they begin with the caller's own base URL.
	PublicURL string
	// TrustForwarded says whether links take X-Forwarded-Proto, -Host, -Port and -Prefix of a proxy.
	TrustForwarded bool
	// NoDefault refuses requests whose URL names no sandbox, instead of taking the default one for them. So a client
	// that drops the path of its base URL reaches no other sandbox than its own.
	NoDefault bool
	// SandboxHosts are patterns such as *.bank.test, as CleanSandboxHost returns them: the first label of such a host
	// names the sandbox. Links of a caller that came by such a host, with the port of PublicURL or without one, have
	// the scheme, the port and the path of PublicURL.
	SandboxHosts []string
	// CORSOrigins are the origins whose pages may read the answers if the scenario of a bank lists no origins. They
	// have the form of behavior.cors.origins.
	CORSOrigins []string

	// Control returns what to tell a client that calls the control API here, by the path, or "" for any other path. It
	// may be nil.
	Control func(path string) string

	// ForwardUnknown is the URL of the service that answers what nothing else does, or "". [fault.Forward.Check]
	// must have no objection to it.
	ForwardUnknown string
	// ForwardTimeout is how long other services may take for an answer, or 0 for 30 seconds.
	ForwardTimeout time.Duration

	Meter Meter // or nil to count nothing
	Log   *slog.Logger

	// Draining is closed when the server begins to shut down. That ends the waiting of faults. It may be nil.
	Draining <-chan struct{}
}

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	Config
	endpoints map[*contract.Operation]*endpoint
	unknown   *fault.Firing // of ForwardUnknown, or nil
	pseudonym string        // of this process, in Via (RFC 9110 7.6.3)
}

// New returns a handler. It logs a line per request, without query and body.
func New(cfg Config) *Handler {
	cfg.SandboxHosts = longestFirst(cfg.SandboxHosts)
	cfg.PublicURL = strings.TrimRight(cfg.PublicURL, "/")
	if cfg.Meter == nil {
		cfg.Meter = noMeter{}
	}
	h := &Handler{
		Config:    cfg,
		endpoints: endpoints(),
		pseudonym: "banksim-" + rand.Text(),
	}
	if cfg.ForwardUnknown != "" {
		h.unknown = fault.ForwardTo(ForwardUnknown, cfg.ForwardUnknown)
	}
	return h
}

// ServeHTTP answers a request to the sandbox that its base URL names, and records the exchange in the sandbox's
// journal. It panics only with http.ErrAbortHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve(w, r, "") }

// Only returns a handler of requests to one sandbox. The path of its base URL is empty, and no request reaches another
// sandbox.
func (h *Handler) Only(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, name) })
}

// serve answers a request. soleSandbox is the one sandbox of the listener, or "" if the request names its sandbox.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, soleSandbox string) {
	var req *request  // nil until it is read
	var paused *pause // nil unless a fault delays the operation
	var done exchange // its outcome is nil until it is decided and recorded
	defer func() {
		if req != nil {
			defer req.leases.release()
		}
		if value := recover(); value != nil {
			h.answerPanic(w, r, soleSandbox, req, paused, done, value)
		}
	}()
	req = h.parse(w, r, soleSandbox)
	if done, paused = h.execute(req); paused != nil {
		done = h.resume(w, req, paused)
	}
	req = req.withoutLargeBody() // its room is given back
	h.deliver(w, req, done)
}

// answerPanic answers a request whose handling has panicked. An answer that was decided stands: its connection is
// aborted. http.ErrAbortHandler is no failure: it asks for the connection to be aborted.
func (h *Handler) answerPanic(
	w http.ResponseWriter, r *http.Request, soleSandbox string, req *request, paused *pause, done exchange, value any,
) {
	stack := debug.Stack()
	if elsewhere, ok := value.(*sandbox.Panic); ok { // on the goroutine of a batch
		value, stack = elsewhere.Value, elsewhere.Stack
	}
	if value == http.ErrAbortHandler {
		panic(value)
	}
	if req == nil {
		req = unparsed(r, soleSandbox)
	}
	h.Log.Error("panic", "sandbox", wording.Shorten(req.sandboxName), "operation", nameOf(req.asked),
		"panic", fmt.Sprint(value), "stack", string(stack))
	if done.outcome != nil {
		panic(http.ErrAbortHandler)
	}
	var fired effects
	if paused != nil {
		fired = paused.effects
	}
	h.deliver(w, req, h.recordRefusal(req, errors.New("panic"), fired))
}
