package bankapi

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config configures a handler.
type Config struct {
	Sandboxes *sandbox.Registry
	// PublicURL is the base URL at which clients reach the default sandbox: links have its scheme, port and path. Empty: those of
	// the request.
	PublicURL string
	// NoDefault refuses requests whose URL names no sandbox, instead of taking the default one for them. So a client
	// that drops the path of its base URL reaches no other sandbox than its own.
	NoDefault bool
	// SandboxHosts are patterns such as *.bank.test, as CleanSandboxHost returns them: the first label of such a host names the
	// sandbox.
	SandboxHosts []string

	Metrics prometheus.Registerer // nil: none are kept
	Log     *slog.Logger
	Answers *semaphore.Weighted // bytes of answers above [largeAnswer] that are written at a time; nil: no bound

	// Draining is closed when the server begins to shut down, which ends the waiting of faults. Nil: never.
	Draining <-chan struct{}
}

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	Config
	routes   routes
	public   publicBehaviors
	bodies   *semaphore.Weighted    // bytes of request bodies that are being read and answered
	requests *prometheus.CounterVec // by operation (empty: none) and status
	refused  answers                // to requests that are no operation's
	faults   *prometheus.CounterVec // by operation
}

// New returns a handler. It logs a line per request, without headers, query and body.
func New(cfg Config) *Handler {
	bodies := max(minBodies, min(debug.SetMemoryLimit(-1)/8, maxBodies))
	h := &Handler{
		Config: cfg,
		routes: newRoutes(),
		bodies: semaphore.NewWeighted(bodies),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_requests_total",
			Help: "Requests to the simulated interface, over all sandboxes, by operation (empty: no operation's) and status " +
				"(0: a fault lost the answer).",
		}, []string{"operation", "status"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_faults_fired_total",
			Help: "Faults that fired, over all sandboxes, by operation.",
		}, []string{"operation"}),
	}
	h.SandboxHosts = longestFirst(cfg.SandboxHosts)
	if cfg.Metrics != nil {
		cfg.Metrics.MustRegister(h.requests, h.faults)
	}
	return h
}

// ServeHTTP answers a request to the sandbox that its base URL names, and records the exchange in its journal. It panics
// only with http.ErrAbortHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve(w, r, "") }

// Only returns a handler of requests to one sandbox: the path of its base URL is empty, and there is no way to another one.
func (h *Handler) Only(sandbox string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, sandbox) })
}

// serve answers a request to the sandbox of a name or, if that is empty, to the one that the base URL names.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, only string) {
	nearest, _ := contract.NearestFamily(r.URL.Path)
	x := &exchange{
		Handler: h,
		w:       w,
		r:       r,
		only:    only,
		request: addressed{Request: r, sandbox: cmp.Or(only, sandbox.Default)},
		started: time.Now(),
		call:    call{family: nearest, request: r},
	}
	defer x.call.releaseBody()
	defer x.recover()
	x.deliver(x.answer())
}

// addressed is a request with its base URL split off: its path is the interface's.
type addressed struct {
	*http.Request
	sandbox string
	prefix  string // of the base URL's path, escaped
	named   bool   // whether the request names the sandbox
}

const sandboxesPrefix = "/sandboxes/"

// address splits off the base URL: /sandboxes/NAME names a sandbox, nothing the default one. See also findNames.
func address(r *http.Request) addressed {
	if !strings.HasPrefix(r.URL.Path, sandboxesPrefix) {
		return addressed{r, sandbox.Default, "", false}
	}
	escaped := r.URL.EscapedPath()
	name, _, _ := strings.Cut(strings.TrimPrefix(escaped, sandboxesPrefix), "/")
	prefix := sandboxesPrefix + name
	inner, url := *r, *r.URL
	inner.URL = &url
	inner.URL.RawPath = strings.TrimPrefix(escaped, prefix)
	// A name needs no escapes: where it has some, it is no sandbox's, and what is left of the path is not looked at.
	inner.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	return addressed{&inner, name, prefix, true}
}

// answer finds the sandbox and the operation of the request, and replies to it. A request that is no operation's gets the
// error body of the nearest family.
func (x *exchange) answer() reply {
	if x.only == "" {
		x.request = address(x.r)
	}
	r, c := x.request.Request, &x.call
	if x.request.prefix != "" { // then the path is another one
		c.family, _ = contract.NearestFamily(r.URL.Path)
	}
	c.request, c.baseURL = r, x.baseURL(x.request)
	if x.only == "" {
		if refusal, ok := x.findNames(r.Host); !ok {
			return x.orPreflight(refusal)
		}
		if x.NoDefault && !x.request.named {
			return x.orPreflight(x.missingSandbox())
		}
	}
	var ok bool
	if x.sandbox, ok = x.Sandboxes.Get(x.request.sandbox); !ok {
		return x.orPreflight(x.unknownSandbox())
	}
	if c.asked = x.routes.find(r); c.asked == nil {
		c.Moment = x.sandbox.Now()
		return x.orPreflight(x.refuseRoute(c))
	}
	c.route, c.family = c.asked, c.asked.Family
	c.query, c.unread = parseQuery(r.URL.RawQuery, c.parameters[:0])
	if c.Request != nil {
		weight := int64(1)
		if c.Multipart != nil {
			weight = multipartWeight
		}
		c.content, c.release = x.readContent(x.w, r, weight)
	}
	var rep reply
	var err error
	for range maxBeginnings {
		rep, err = x.perform(x.w, x.sandbox, c)
		if err == nil {
			return rep
		}
		if c.waited() || errors.Is(err, sandbox.ErrDeleted) {
			break
		}
	}
	return x.over(err)
}

// maxBeginnings is how many generations a request tries to begin in (choice). Where it has waited for nothing, it is as
// if it came after the reset.
const maxBeginnings = 10

// refuseRoute replies to a request that is no operation's.
func (h *Handler) refuseRoute(c *call) reply {
	allowed := h.routes.allowed(c.request)
	if len(allowed) == 0 {
		near := nearestOperation(c.request.Method, c.request.URL.Path)
		if _, begins := contract.NearestFamily(c.request.URL.Path); !begins {
			c.family = near.Family
		}
		return refuse(c.family, c.behavior(), sim.Refuse(contract.PathUnknown,
			"the interface has no path %s; the nearest operation is %s: %s %s", c.request.URL.Path, near.Name, near.Method, near.Path))
	}
	var methods []string
	for _, op := range allowed {
		methods = append(methods, op.Method)
		if op.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	rep := refuse(allowed[0].Family, c.behavior(), sim.Refuse(contract.MethodNotAllowed, "this path takes %s", allow))
	rep.header("Allow", allow) // RFC 9110 15.5.6
	return rep
}

// run carries out the operation on the sandbox as it is at one moment, in the generation in which the request began. Only
// what is accepted changes the sandbox. If run fails, that generation is over, and nothing was carried out.
func (h *Handler) run(sb *sandbox.Sandbox, c *call) (rep reply, err error) {
	now, err := sb.NowIn(c.generation)
	if err != nil {
		return reply{}, err
	}
	h.begin(c, now)
	if !c.changes() {
		rep = c.carryOut()
	} else if err = sb.ChangeIn(c.generation, func(m sandbox.Moment) (commit bool) {
		h.begin(c, m)
		if c.spoken != nil {
			defer m.World.Judging(c.spoken)()
		}
		rep = c.carryOut()
		c.place = m.Journal.Reserve() // while nobody else can change the sandbox: the journal has changes in their order
		c.committed = rep.decision.Outcome == journal.Accepted
		c.changed = c.committed && m.World.Changed()
		return c.committed
	}); err != nil {
		return reply{}, err
	}
	c.lintRequest()
	return rep, nil
}

// begin puts a call at a moment of its sandbox.
func (h *Handler) begin(c *call, m sandbox.Moment) {
	c.Moment = m
	h.speak(c)
	c.strict = c.behavior().Strict
}

// carryOut carries out the operation at the call's moment: the handler reads the request, and changes the world; the
// outcome becomes the reply; a strict sandbox may object to it.
func (c *call) carryOut() reply {
	c.citeRequest()
	asked := c.cited
	rep, err := c.handle(c)
	if err != nil {
		rep = refuse(c.family, c.behavior(), err)
	} else {
		rep.decision = c.accepted()
	}
	rep = c.strictly(rep)
	if len(asked) > 0 {
		rep.decision.Entries = union(rep.decision.Entries, ids(asked))
	}
	return rep
}

// raw returns the exchange, whose answer took so long, as the journal takes it.
func (x *exchange) raw(rep reply, took time.Duration) journal.Raw {
	c, r := &x.call, x.request
	return journal.Raw{
		Sandbox:          r.sandbox,
		Operation:        c.operationName(),
		Dialect:          string(c.dialect()),
		At:               c.Now,
		RealAt:           x.started,
		Took:             took,
		HTTP2:            r.ProtoMajor > 1,
		Method:           r.Method,
		BaseURL:          c.baseURL,
		Path:             r.URL.EscapedPath(),
		RawQuery:         r.URL.RawQuery,
		RequestHeader:    r.Header,
		RequestBody:      c.content.data,
		RequestBodyBytes: c.content.size,
		Status:           rep.status,
		ResponseHeader:   rep.headers,
		ResponseBody:     rep.body,
		Decision:         rep.decision,
		Step:             c.step(),
		Fault:            rep.fault(),
		Lints:            c.lints,
	}
}
