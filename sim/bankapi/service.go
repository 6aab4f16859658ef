package bankapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// exchangeHeader is the header of an answer that names its entry in the sandbox's journal.
const exchangeHeader = "Banksim-Exchange"

// Config says what a handler serves.
type Config struct {
	Sandboxes *sandbox.Registry
	// TrustedProxies are the addresses whose X-Forwarded-Proto, -Host and -Prefix headers are believed.
	TrustedProxies []netip.Prefix
	Strict         bool                  // whether all sandboxes are, whatever their scenarios say
	Metrics        prometheus.Registerer // nil: none are kept
	Log            *slog.Logger

	// Draining is closed when the server begins to end: what faults keep waiting ends then. Nil: never.
	Draining <-chan struct{}
}

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	Config
	routes   routes
	requests *prometheus.CounterVec // by operation (empty: none) and status
	faults   *prometheus.CounterVec // by operation
}

// New returns a handler. It logs a line per request, in which no header, query or body stands.
func New(cfg Config) *Handler {
	checkEntries()
	h := &Handler{Config: cfg, routes: newRoutes(), requests: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "banksim_requests_total",
		Help: "Requests to the simulated interface, over all sandboxes, by operation (empty: no operation's) and status (0: a fault lost the answer).",
	}, []string{"operation", "status"}), faults: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "banksim_faults_fired_total",
		Help: "Faults that fired, over all sandboxes, by operation.",
	}, []string{"operation"})}
	if cfg.Metrics != nil {
		cfg.Metrics.MustRegister(h.requests, h.faults)
	}
	return h
}

// ServeHTTP answers a request to the sandbox that its base URL names, and enters the exchange in its journal.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	a := address(r)
	c, rep := h.answer(w, a)
	if id := c.requestID(); id != "" {
		rep.header(c.operation.family.requestID, id)
	}
	rep.frame()
	sent := rep.sent()
	took := time.Since(started)
	var id string
	if c.Journal != nil { // an unknown sandbox has none
		id = c.Journal.Add(c.raw(a, sent, started, took))
		if c.behavior().Headers.Exchange {
			rep.header(exchangeHeader, id)
		}
	}
	if err := rep.write(w, r, h.Draining); err != nil {
		h.Log.Error("a fault was not delivered", "fault", rep.injected.AnsweredBy, "exchange", id, "error", err)
	}
	h.requests.WithLabelValues(c.operation.name, strconv.Itoa(sent.status)).Inc()
	h.logRequest(r, a.sandbox, c.operation.name, sent, took)
}

// logRequest writes the line of a request. It goes past slog.Logger, which would find out for every line that it was
// logged here.
func (h *Handler) logRequest(r *http.Request, sandbox, operation string, rep reply, took time.Duration) {
	log := h.Log.Handler()
	if !log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("sandbox", sandbox),
		slog.String("operation", operation),
		slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.Int("status", rep.status),
		slog.Int("bytes", len(rep.body)),
		slog.Duration("took", took))
	_ = log.Handle(r.Context(), line) // a log that can't be written has nowhere to say so
}

// addressed is a request with its base URL split off: its path is the interface's.
type addressed struct {
	*http.Request
	sandbox string
	prefix  string // of the base URL's path, escaped
}

const sandboxesPrefix = "/sandboxes/"

// address splits off the base URL: /sandboxes/NAME names a sandbox, nothing the default one.
func address(r *http.Request) addressed {
	if !strings.HasPrefix(r.URL.Path, sandboxesPrefix) {
		return addressed{r, sandbox.Default, ""}
	}
	escaped := r.URL.EscapedPath()
	name, _, _ := strings.Cut(strings.TrimPrefix(escaped, sandboxesPrefix), "/")
	prefix := sandboxesPrefix + name
	inner, url := *r, *r.URL
	inner.URL = &url
	inner.URL.RawPath = strings.TrimPrefix(escaped, prefix)
	// A name needs no escapes: where it has some, it is no sandbox's, and what is left of the path is not looked at.
	inner.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	return addressed{&inner, name, prefix}
}

// answer finds the sandbox and the operation of a request and replies to it. For a request that is no operation's,
// the call has an operation without a name, of the nearest family.
func (h *Handler) answer(w http.ResponseWriter, r addressed) (*call, reply) {
	nowhere := &operation{family: nearestFamily(r.URL.Path)}
	c := &call{operation: nowhere, request: r.Request, baseURL: h.baseURL(r)}
	sb, ok := h.Sandboxes.Get(r.sandbox)
	if !ok {
		behavior := sim.DefaultBehavior()
		return c, nowhere.family.refuse(&behavior, sim.Refuse(sandboxUnknown,
			"there is no sandbox %q: create it with POST /v1/sandboxes {\"name\": %q} on the control API", r.sandbox, r.sandbox))
	}
	op, vars := h.routes.find(r.Request)
	if op == nil {
		c.Moment = sb.Now()
		return c, h.refuseRoute(c)
	}
	c.operation, c.pathVars, c.query = op, vars, r.URL.Query()
	if op.body {
		c.content = readContent(w, r.Request)
	}
	return c, h.perform(w, sb, c)
}

// refuseRoute replies to a request that is no operation's.
func (h *Handler) refuseRoute(c *call) reply {
	allowed := h.routes.allowed(c.request)
	if len(allowed) == 0 {
		near := nearestOperation(c.request.Method, c.request.URL.Path)
		return c.operation.family.refuse(c.behavior(), sim.Refuse(pathUnknown,
			"the interface has no path %s; the nearest operation is %s: %s %s", c.request.URL.Path, near.name, near.method, near.path))
	}
	var methods []string
	for _, op := range allowed {
		methods = append(methods, op.method)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	rep := allowed[0].family.refuse(c.behavior(), sim.Refuse(methodNotAllowed, "this path takes %s", allow))
	rep.header("Allow", allow) // RFC 9110 15.5.6
	return rep
}

// run carries out the operation, on the sandbox as it is at one moment, in the generation in which the request began. Where
// it fails, nothing was changed.
func (h *Handler) run(sb *sandbox.Sandbox, c *call) (rep reply) {
	handle := func(m sandbox.Moment) (err error) {
		c.Moment, c.lints, c.used, c.leans = m, nil, nil, nil
		c.strict = h.Strict || c.behavior().Strict
		defer func() {
			if p := recover(); p != nil {
				h.Log.Error("panic", "operation", c.operation.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				err = fmt.Errorf("panic in %s", c.operation.name)
			}
			if err != nil {
				rep = c.operation.family.refuse(c.behavior(), err)
			}
			if strict := c.objection(rep); strict != nil {
				rep, err = *strict, errStrict
			}
		}()
		rep, err = c.operation.handle(c)
		rep.decision = c.accepted()
		return err
	}
	c.mayChange = c.operation.changes
	if !c.mayChange {
		c.mayChange = errors.Is(handle(sb.NowIn(c.generation)), errMustChange)
	}
	if c.mayChange {
		_ = sb.ChangeIn(c.generation, handle) // its error is in the reply
	}
	c.lintRequest()
	return rep
}

// errMustChange is what the handler of a reading operation returns where it has to write after all: it then runs
// once more, as a change.
var errMustChange = errors.New("the request has to run as a change")

// raw returns what the journal makes an exchange of.
func (c *call) raw(a addressed, rep reply, started time.Time, took time.Duration) journal.Raw {
	return journal.Raw{
		Sandbox:          a.sandbox,
		Operation:        c.operation.name,
		At:               c.Now,
		RealAt:           started,
		Took:             took,
		Method:           a.Method,
		BaseURL:          c.baseURL,
		Path:             a.URL.EscapedPath(),
		RawQuery:         a.URL.RawQuery,
		RequestHeader:    a.Header,
		RequestBody:      c.content.data,
		RequestBodyBytes: len(c.content.data),
		Status:           rep.status,
		ResponseHeader:   rep.headers,
		ResponseBody:     rep.body,
		Decision:         rep.decision,
		Fault:            rep.fault(),
		Lints:            c.lints,
	}
}
