package bankapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config configures a handler.
type Config struct {
	Sandboxes *sandbox.Registry
	// PublicURL is the base URL at which clients reach the default sandbox: links have its scheme, port and path.
	// Empty: those of the request.
	PublicURL string
	// NoDefault refuses requests whose URL names no sandbox, instead of taking the default one for them. So a client
	// that drops the path of its base URL reaches no other sandbox than its own.
	NoDefault bool
	// SandboxHosts are patterns such as *.bank.test, as CleanSandboxHost returns them: the first label of such a host
	// names the sandbox.
	SandboxHosts []string
	// TrustForwarded has links take X-Forwarded-Proto, -Host, -Port and -Prefix, which a proxy adds. Everybody who
	// reaches the listener past the proxy can send these headers, too.
	TrustForwarded bool
	// CORSOrigins are the origins whose pages may read the answers of banks whose scenario lists no origins. They have
	// the form of behavior.cors.origins.
	CORSOrigins []string

	// Control returns what to tell a client that calls the control API here, by the path; empty: the path is none of
	// its. May be nil.
	Control func(path string) string

	Metrics prometheus.Registerer // nil: none are kept
	Log     *slog.Logger
	Answers *semaphore.Weighted // bytes of answers above [largeAnswer] that are written at a time; nil: no bound

	// Draining is closed when the server begins to shut down, which ends the waiting of faults. Nil: never.
	Draining <-chan struct{}
}

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	Config
	routes   map[string][]*route      // by method
	bodies   *semaphore.Weighted      // bytes of request bodies that are being read and decoded
	delayed  *semaphore.Weighted      // bytes of request bodies that wait for the end of a fault's delay
	requests *prometheus.CounterVec   // by operation (empty: none) and status
	faults   *prometheus.CounterVec   // by operation
	duration *prometheus.HistogramVec // by operation, in seconds
}

// New returns a handler. It logs a line per request, without headers, query and body.
func New(cfg Config) *Handler {
	room := max(minBodies, min(debug.SetMemoryLimit(-1)/8, maxBodies))
	h := &Handler{
		Config:  cfg,
		bodies:  semaphore.NewWeighted(room),
		delayed: semaphore.NewWeighted(room),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_requests_total",
			Help: "Requests to the simulated interface, over all sandboxes, by operation (empty: no operation's) and status " +
				"(0: a fault lost the answer).",
		}, []string{"operation", "status"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_faults_fired_total",
			Help: "Faults that fired, over all sandboxes, by operation.",
		}, []string{"operation"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "banksim_request_duration_seconds",
			Help: "Time from a request's headers to the end of its answer, with the delays of faults, by operation (empty: no " +
				"operation's).",
		}, []string{"operation"}),
	}
	h.routes = newRoutes()
	h.SandboxHosts = longestFirst(cfg.SandboxHosts)
	if cfg.Metrics != nil {
		cfg.Metrics.MustRegister(h.requests, h.faults, h.duration)
	}
	return h
}

// ServeHTTP answers a request to the sandbox that its base URL names, and records the exchange in its journal. It
// panics only with http.ErrAbortHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve(w, r, "") }

// Only returns a handler of requests to one sandbox: the path of its base URL is empty, and there is no way to another
// one.
func (h *Handler) Only(sandbox string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, sandbox) })
}

// serve answers a request to the sandbox of a name or, if that is empty, to the one that the request names.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, only string) {
	x := h.newExchange(w, r, only)
	defer x.rooms.giveBack()
	defer x.recover()
	x.locate()
	x.read()
	x.execute()
	x.finish()
}

func (h *Handler) newExchange(w http.ResponseWriter, r *http.Request, only string) *exchange {
	family, _ := contract.NearestFamily(r.URL.Path)
	return &exchange{
		handler: h, w: w, r: r, started: time.Now(), only: only, sandboxName: cmp.Or(only, sandbox.Default), request: r,
		family: family, behavior: &standardBehavior, rooms: &rooms{handler: h},
	}
}

// finish counts the exchange and writes the answer, for which nobody else waits.
func (x *exchange) finish() {
	if x.injected != nil {
		x.handler.faults.WithLabelValues(x.operationName()).Add(float64(len(x.injected.Fired)))
	}
	x.handler.requests.WithLabelValues(x.operationName(), strconv.Itoa(x.sent.status)).Inc()
	journal.Note(x.r.Context(), x.id)
	x.write()
}

// recover answers in place of code that has panicked. An answer that is decided stands: its connection is aborted.
// http.ErrAbortHandler is no failure, but asks for that.
func (x *exchange) recover() {
	p := recover()
	if p == nil {
		return
	}
	stack := debug.Stack()
	if elsewhere, ok := p.(*sandbox.Panic); ok { // on the goroutine of a batch
		p, stack = elsewhere.Value, elsewhere.Stack
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	x.handler.Log.Error("panic", "sandbox", phrase.Shorten(x.sandboxName), "operation", x.operationName(),
		"panic", fmt.Sprint(p), "stack", string(stack))
	if x.recorded {
		panic(http.ErrAbortHandler)
	}
	err := x.handler.Sandboxes.Use(x.r.Context(), x.sandboxName, func(sb *sandbox.Sandbox) error {
		return x.recordRefusal(sb, errors.New("panic"))
	})
	if err != nil {
		x.refuseUse(err)
	}
	x.recorded = true
	x.finish()
}
