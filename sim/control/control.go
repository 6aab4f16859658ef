package control

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// maxBody is how large a request body may be, in bytes.
const maxBody = 1 << 20

// Config is what the control API looks after.
type Config struct {
	Sandboxes  *sandbox.Registry
	Ready      func() bool // whether the service listener answers
	ServiceURL string      // base URL of the default sandbox
	Version    string      // of the program
	StartedAt  time.Time
	Log        *slog.Logger
}

type api struct{ Config }

// New returns the handler of the control API.
func New(cfg Config) http.Handler {
	a := api{cfg}
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	route := func(method, path string, handle func(http.ResponseWriter, *http.Request) error) {
		router.Path(path).Methods(method).Handler(a.handler(handle))
	}
	route(http.MethodGet, "/healthz", a.healthz)
	route(http.MethodGet, "/readyz", a.readyz)
	route(http.MethodGet, "/v1/info", a.info)
	route(http.MethodGet, "/v1/sandboxes", a.listSandboxes)
	route(http.MethodGet, "/v1/sandboxes/{sandbox}", a.inSandbox(a.getSandbox))
	route(http.MethodGet, "/v1/sandboxes/{sandbox}/state", a.inSandbox(a.getState))
	route(http.MethodPost, "/v1/sandboxes/{sandbox}/reset", a.inSandbox(a.reset))
	route(http.MethodGet, "/v1/sandboxes/{sandbox}/clock", a.inSandbox(a.getClock))
	route(http.MethodPost, "/v1/sandboxes/{sandbox}/clock", a.inSandbox(a.setClock))
	router.NotFoundHandler = a.handler(func(_ http.ResponseWriter, r *http.Request) error {
		return refuse(http.StatusNotFound, "the control API has no path %s", r.URL.Path)
	})
	router.MethodNotAllowedHandler = a.handler(func(w http.ResponseWriter, r *http.Request) error {
		allow := strings.Join(allowed(router, r), ", ")
		w.Header().Set("Allow", allow) // RFC 9110 15.5.6
		return refuse(http.StatusMethodNotAllowed, "this path takes %s", allow)
	})
	// A page in a browser must not reach the control API of a simulator on the same machine.
	return http.NewCrossOriginProtection().Handler(router)
}

// allowed returns the methods that the path of a request takes.
func allowed(router *mux.Router, r *http.Request) []string {
	var methods []string
	probe := *r
	for _, probe.Method = range []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut} {
		var match mux.RouteMatch
		if router.Match(&probe, &match) && match.MatchErr == nil {
			methods = append(methods, probe.Method)
		}
	}
	return methods
}

// problem is a problem document (RFC 9457). As an error it refuses a request.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.Detail }

func refuse(status int, format string, args ...any) error {
	return &problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// handler turns the error of a handle into a problem document.
func (a api) handler(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := handle(w, r)
		if err == nil {
			return
		}
		var p *problem
		if !errors.As(err, &p) {
			a.Log.Error("control request failed", "method", r.Method, "path", r.URL.Path, "error", err)
			p = refuse(http.StatusInternalServerError, "the simulator failed; its log says why").(*problem)
		}
		_ = writeJSON(w, p.Status, "application/problem+json", p)
	})
}

func reply(w http.ResponseWriter, body any) error {
	return writeJSON(w, http.StatusOK, "application/json", body)
}

func writeJSON(w http.ResponseWriter, status int, media string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	// A failed write means that the caller is gone: there is nobody to tell.
	_, _ = w.Write(append(data, '\n'))
	return nil
}

// decode reads a JSON body into a struct, refusing what the struct has no place for.
func decode(r *http.Request, into any) error {
	data, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody)
	case err != nil:
		return refuse(http.StatusBadRequest, "the body could not be read to its end")
	}
	if err := json.Unmarshal(data, into, json.RejectUnknownMembers(true)); err != nil {
		return refuse(http.StatusBadRequest, "the body is not what is wanted here: %v", err)
	}
	return nil
}

// inSandbox finds the sandbox that a path names.
func (a api) inSandbox(handle func(http.ResponseWriter, *http.Request, *sandbox.Sandbox) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		name := mux.Vars(r)["sandbox"]
		sb, ok := a.Sandboxes.Get(name)
		if !ok {
			return refuse(http.StatusNotFound, "there is no sandbox %q", name)
		}
		return handle(w, r, sb)
	}
}

func (a api) healthz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, map[string]string{"status": "ok"})
}

func (a api) readyz(w http.ResponseWriter, _ *http.Request) error {
	if !a.Ready() {
		return refuse(http.StatusServiceUnavailable, "the service listener does not answer: starting or draining")
	}
	return reply(w, map[string]string{"status": "ready"})
}

func (a api) info(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, struct {
		Version   string    `json:"version"`
		GoVersion string    `json:"goVersion"`
		StartedAt time.Time `json:"startedAt"`
		BaseURL   string    `json:"baseUrl"`
		Scenario  string    `json:"scenario"`
		Sandboxes int       `json:"sandboxes"`
	}{a.Version, runtime.Version(), a.StartedAt, a.ServiceURL, a.defaultSandbox().Scenario().Name, len(a.Sandboxes.All())})
}

func (a api) defaultSandbox() *sandbox.Sandbox {
	sb, _ := a.Sandboxes.Get(sandbox.Default)
	return sb
}

// sandboxInfo describes a sandbox.
type sandboxInfo struct {
	Name      string     `json:"name"`
	BaseURL   string     `json:"baseUrl"`
	Scenario  string     `json:"scenario"`
	Seed      uint64     `json:"seed"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt"` // null: never
}

func (a api) describe(sb *sandbox.Sandbox) sandboxInfo {
	baseURL := a.ServiceURL
	if sb.Name() != sandbox.Default {
		baseURL += "/sandboxes/" + sb.Name()
	}
	return sandboxInfo{Name: sb.Name(), BaseURL: baseURL, Scenario: sb.Scenario().Name, Seed: sb.Seed(), CreatedAt: sb.CreatedAt().UTC()}
}

func (a api) listSandboxes(w http.ResponseWriter, _ *http.Request) error {
	list := struct {
		Sandboxes []sandboxInfo `json:"sandboxes"`
	}{}
	for _, sb := range a.Sandboxes.All() {
		list.Sandboxes = append(list.Sandboxes, a.describe(sb))
	}
	return reply(w, list)
}

func (a api) getSandbox(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, a.describe(sb))
}

func (a api) getState(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, newState(sb.Now().World))
}

func (a api) reset(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	sb.Reset()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// clockInfo describes a virtual clock.
type clockInfo struct {
	Now     time.Time `json:"now"`
	Running bool      `json:"running"`
}

func (a api) getClock(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	now, running := sb.Clock()
	return reply(w, clockInfo{now, running})
}

// setClock takes {advance, set, run}: a duration such as "90m", an RFC 3339 time, whether to run from there on.
func (a api) setClock(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body struct {
		Advance *string    `json:"advance"`
		Set     *time.Time `json:"set"`
		Run     *bool      `json:"run"`
	}
	if err := decode(r, &body); err != nil {
		return err
	}
	var advance time.Duration
	if body.Advance != nil {
		var err error
		if advance, err = time.ParseDuration(*body.Advance); err != nil {
			return refuse(http.StatusBadRequest, "advance must be a duration such as 90m or 24h")
		}
	}
	switch {
	case body.Advance == nil && body.Set == nil && body.Run == nil:
		return refuse(http.StatusBadRequest, "give advance, set or run")
	case body.Advance != nil && body.Set != nil:
		return refuse(http.StatusBadRequest, "give advance or set, not both")
	}
	sb.SetClock(func(c sim.Clock, real time.Time) sim.Clock {
		if body.Set != nil {
			c = c.Set(*body.Set, real)
		}
		c = c.Advance(advance, real)
		if body.Run != nil {
			c = c.Run(*body.Run, real)
		}
		return c
	})
	return a.getClock(w, r, sb)
}
