package service

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Handler serves the interface for all sandboxes of a registry.
type Handler struct {
	sandboxes *sandbox.Registry
	routes    routes
	log       *slog.Logger
}

// New returns a handler. It logs a line per request, in which no header, query or body stands.
func New(sandboxes *sandbox.Registry, log *slog.Logger) *Handler {
	return &Handler{sandboxes: sandboxes, routes: newRoutes(), log: log}
}

// ServeHTTP answers a request to the sandbox that its base URL names.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	addressed := address(r)
	name, family, rep := h.answer(w, addressed)
	if id := r.Header.Get(family.requestID); id != "" {
		rep.header(family.requestID, id)
	}
	rep.write(w)
	h.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("sandbox", addressed.sandbox),
		slog.String("operation", name),
		slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.Int("status", rep.status),
		slog.Int("bytes", len(rep.body)),
		slog.Duration("took", time.Since(started)))
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
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), sandboxesPrefix)
	if !ok {
		return addressed{r, sandbox.Default, ""}
	}
	name, _, _ := strings.Cut(rest, "/")
	prefix := sandboxesPrefix + name
	inner, url := *r, *r.URL
	inner.URL = &url
	inner.URL.RawPath = strings.TrimPrefix(r.URL.EscapedPath(), prefix)
	// A name needs no escapes: where it has some, it is no sandbox's, and what is left of the path is not looked at.
	inner.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	return addressed{&inner, name, prefix}
}

// answer finds the sandbox and the operation of a request and replies to it. It returns the operation's name,
// empty where there is none, and the family that the request belongs to.
func (h *Handler) answer(w http.ResponseWriter, r addressed) (string, *family, reply) {
	nearest := nearestFamily(r.URL.Path)
	sb, ok := h.sandboxes.Get(r.sandbox)
	if !ok {
		behavior := sim.DefaultBehavior()
		return "", nearest, nearest.refuse(&behavior, sim.Refuse(sandboxUnknown, "there is no sandbox %q", r.sandbox))
	}
	op, vars := h.routes.find(r.Request)
	if op == nil {
		return "", nearest, h.refuseRoute(r, nearest, sb)
	}
	c := &call{operation: op, request: r.Request, pathVars: vars, query: r.URL.Query(), baseURL: baseURL(r)}
	if op.body {
		c.content = readContent(w, r.Request)
	}
	return op.name, op.family, h.run(sb, c)
}

// refuseRoute answers a request that is no operation's.
func (h *Handler) refuseRoute(r addressed, nearest *family, sb *sandbox.Sandbox) reply {
	behavior := sb.Now().World.Behavior()
	allowed := h.routes.allowed(r.Request)
	if len(allowed) == 0 {
		return nearest.refuse(behavior, sim.Refuse(pathUnknown, "the interface has no path %s", r.URL.Path))
	}
	var methods []string
	for _, op := range allowed {
		methods = append(methods, op.method)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	rep := allowed[0].family.refuse(behavior, sim.Refuse(methodNotAllowed, "this path takes %s", allow))
	rep.header("Allow", allow) // RFC 9110 15.5.6
	return rep
}

// run carries out the operation, on the sandbox as it is at one moment. Where it fails, nothing was changed.
func (h *Handler) run(sb *sandbox.Sandbox, c *call) (rep reply) {
	handle := func(m sandbox.Moment) (err error) {
		c.Moment = m
		defer func() {
			if p := recover(); p != nil {
				h.log.Error("panic", "operation", c.operation.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				err = fmt.Errorf("panic in %s", c.operation.name)
			}
			if err != nil {
				rep = c.operation.family.refuse(c.behavior(), err)
			}
		}()
		rep, err = c.operation.handle(c)
		return err
	}
	c.mayChange = c.operation.changes
	if !c.mayChange {
		c.mayChange = errors.Is(handle(sb.Now()), errMustChange)
	}
	if c.mayChange {
		_ = sb.Change(handle) // its error is in the reply
	}
	return rep
}

// errMustChange is what the handler of a reading operation returns where it has to write after all: it then runs
// once more, as a change.
var errMustChange = errors.New("the request has to run as a change")

// baseURL returns the base URL that the caller used.
func baseURL(r addressed) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + r.prefix
}
