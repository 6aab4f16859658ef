package bankapi

import (
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
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config configures a handler.
type Config struct {
	Sandboxes *sandbox.Registry
	// TrustedProxies are the addresses whose X-Forwarded-Proto, -Host and -Prefix headers are believed.
	TrustedProxies []netip.Prefix
	Strict         bool                  // whether all sandboxes are, whatever their scenarios say
	Metrics        prometheus.Registerer // nil: none are kept
	Log            *slog.Logger
	Bodies         int64 // bytes of request bodies that are read and answered at a time; 0: DefaultBodies
	WorldBytes     int   // that callers can add to one bank, whatever its scenario allows; 0: no limit

	// Draining is closed when the server begins to shut down, which ends the waiting of faults. Nil: never.
	Draining <-chan struct{}
}

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	Config
	routes   routes
	bodies   *inFlight
	requests *prometheus.CounterVec // by operation (empty: none) and status
	faults   *prometheus.CounterVec // by operation
}

// New returns a handler. It logs a line per request, without headers, query and body.
func New(cfg Config) *Handler {
	h := &Handler{Config: cfg, routes: newRoutes(), bodies: newInFlight(cfg.Bodies), requests: prometheus.NewCounterVec(prometheus.CounterOpts{
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

// ServeHTTP answers a request to the sandbox that its base URL names, and records the exchange in its journal.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	a := address(r)
	c, rep := h.answer(w, a)
	defer c.releaseBody()
	if id := c.requestID(); id != "" {
		rep.header(c.family.RequestID, id)
	}
	rep.frame()
	sent := rep.sent()
	took := time.Since(started)
	var id string
	if c.Journal != nil { // an unknown sandbox has none
		id = c.Journal.Add(c.raw(a, sent, started, took))
		if c.behavior().Headers.Exchange {
			rep.header(contract.ExchangeHeader.Name, id)
		}
	}
	if err := rep.write(w, r, h.Draining); err != nil {
		h.Log.Error("a fault was not delivered", "fault", rep.injected.AnsweredBy, "exchange", id, "error", err)
	}
	h.requests.WithLabelValues(c.operationName(), strconv.Itoa(sent.status)).Inc()
	h.logRequest(r, a.sandbox, c.operationName(), sent, took)
}

// logRequest writes the line of a request. It bypasses slog.Logger, which would look up its caller for every line.
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
	_ = log.Handle(r.Context(), line) // there is nowhere to report that the log can't be written
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

// answer finds the sandbox and the operation of a request, and replies to it. A request that is no operation's gets the
// error body of the nearest family.
func (h *Handler) answer(w http.ResponseWriter, r addressed) (*call, reply) {
	c := &call{family: contract.NearestFamily(r.URL.Path), request: r.Request, baseURL: h.baseURL(r)}
	sb, ok := h.Sandboxes.Get(r.sandbox)
	if !ok {
		behavior := sim.DefaultBehavior()
		return c, refuse(c.family, &behavior, sim.Refuse(contract.SandboxUnknown,
			"there is no sandbox %q: create it with POST /v1/sandboxes {\"name\": %q} on the control API", r.sandbox, r.sandbox))
	}
	if c.route, c.pathVars = h.routes.find(r.Request); c.route == nil {
		c.Moment = sb.Now()
		return c, h.refuseRoute(c)
	}
	c.family, c.query = c.Family, r.URL.Query()
	if c.Request != nil {
		c.content, c.release = h.readContent(w, r.Request)
	}
	return c, h.perform(w, sb, c)
}

// refuseRoute replies to a request that is no operation's.
func (h *Handler) refuseRoute(c *call) reply {
	allowed := h.routes.allowed(c.request)
	if len(allowed) == 0 {
		near := nearestOperation(c.request.Method, c.request.URL.Path)
		return refuse(c.family, c.behavior(), sim.Refuse(contract.PathUnknown,
			"the interface has no path %s; the nearest operation is %s: %s %s", c.request.URL.Path, near.Name, near.Method, near.Path))
	}
	var methods []string
	for _, op := range allowed {
		methods = append(methods, op.Method)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	rep := refuse(allowed[0].Family, c.behavior(), sim.Refuse(contract.MethodNotAllowed, "this path takes %s", allow))
	rep.header("Allow", allow) // RFC 9110 15.5.6
	return rep
}

// run carries out the operation on the sandbox as it is at one moment, in the generation in which the request began. Only
// what is accepted changes the sandbox.
func (h *Handler) run(sb *sandbox.Sandbox, c *call) (rep reply) {
	h.begin(c, sb.NowIn(c.generation))
	if c.changes() {
		sb.ChangeIn(c.generation, func(m sandbox.Moment) (commit bool) {
			h.begin(c, m)
			m.World.LimitBytes(h.WorldBytes)
			rep = h.carryOut(c)
			return rep.decision.Outcome == journal.Accepted
		})
	} else {
		rep = h.carryOut(c)
	}
	c.lintRequest()
	return rep
}

// begin puts a call at a moment of its sandbox.
func (h *Handler) begin(c *call, m sandbox.Moment) {
	c.Moment = m
	c.strict = h.Strict || c.behavior().Strict
}

// carryOut carries out the operation at the call's moment: the handler reads the request, and changes the world; the
// outcome becomes the reply; a strict sandbox may object to it.
func (h *Handler) carryOut(c *call) (rep reply) {
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("panic", "operation", c.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			rep = refuse(c.family, c.behavior(), fmt.Errorf("panic in %s", c.Name))
		}
	}()
	rep, err := c.handle(c)
	if err != nil {
		rep = refuse(c.family, c.behavior(), err)
	} else {
		rep.decision = c.accepted()
	}
	return c.strictly(rep)
}

// raw returns the exchange as the journal takes it.
func (c *call) raw(a addressed, rep reply, started time.Time, took time.Duration) journal.Raw {
	return journal.Raw{
		Sandbox:          a.sandbox,
		Operation:        c.operationName(),
		At:               c.Now,
		RealAt:           started,
		Took:             took,
		Method:           a.Method,
		BaseURL:          c.baseURL,
		Path:             a.URL.EscapedPath(),
		RawQuery:         a.URL.RawQuery,
		RequestHeader:    a.Header,
		RequestBody:      c.content.data,
		RequestBodyBytes: c.content.size,
		Status:           rep.status,
		ResponseHeader:   rep.headers,
		ResponseBody:     rep.body,
		Decision:         rep.decision,
		Fault:            rep.fault(),
		Lints:            c.lints,
	}
}
