package controlapi

import (
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// unknownRoute is the route of calls that no route takes.
const unknownRoute = "unknown"

// maxLoggedName is how much of a sandbox's name is logged: callers without the token can make one up.
const maxLoggedName = 63

// quiet are the paths that monitoring requests all the time. They are logged at level debug only.
var quiet = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// consoleHeader is what the console sends. It reads all the time what it shows, and that is logged at level debug only.
const consoleHeader = "Banksim-Console"

func newRequestCount(registry *prometheus.Registry) *prometheus.CounterVec {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "banksim_control_requests_total",
		Help: "Calls of the control API, by route and status.",
	}, []string{"route", "status"})
	registry.MustRegister(count)
	return count
}

// observe counts and logs each call once it is answered, also those that the next handler refuses to let in: what was called,
// for which sandbox, by whom, and the answer's status. The line has no body and no query, which may hold secrets. An answer
// that is broken off is answered, too.
func (a control) observe(router *mux.Router, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		route, name := routeOf(router, r)
		answer := &answerWriter{ResponseWriter: w}
		defer func() {
			status := answer.code()
			a.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
			a.Log.LogAttrs(r.Context(), level(r, status), "control request",
				slog.String("route", route),
				slog.String("sandbox", name),
				slog.Int("status", status),
				slog.String("client", clientOf(r)),
				slog.Duration("took", time.Since(started)))
		}()
		next.ServeHTTP(answer, r)
	})
}

// routeOf returns the route that takes a request, and the sandbox that its path names.
func routeOf(router *mux.Router, r *http.Request) (route, sandbox string) {
	var found mux.RouteMatch
	if !router.Match(r, &found) || found.MatchErr != nil || found.Route == nil {
		return unknownRoute, ""
	}
	path, err := found.Route.GetPathTemplate()
	if err != nil {
		return unknownRoute, ""
	}
	sandbox = found.Vars["sandbox"]
	return r.Method + " " + path, sandbox[:min(len(sandbox), maxLoggedName)]
}

// level returns the level at which a call is logged. A caller that isn't let in is worth a warning.
func level(r *http.Request, status int) slog.Level {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusMisdirectedRequest:
		return slog.LevelWarn
	case quiet[r.URL.Path], strings.HasPrefix(r.URL.Path, consolePath), r.Method == http.MethodGet && r.Header.Get(consoleHeader) != "":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// clientOf returns the address of the caller, or of the proxy before it.
func clientOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// newMetrics returns the handler that answers with the metrics in the Prometheus text format: those of Config.Metrics, and
// those of the sandboxes, their scenario, the process and the build.
func (a control) newMetrics() http.Handler {
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "banksim_build_info",
		Help: "The running version of banksim and of Go; always 1.",
	}, []string{"version", "goversion"})
	build.WithLabelValues(a.Version, runtime.Version()).Set(1)
	a.Metrics.MustRegister(
		build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_sandboxes",
			Help: "Number of sandboxes.",
		}, func() float64 { return float64(a.Sandboxes.Len()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_control_streams",
			Help: "Number of open event streams.",
		}, func() float64 { return float64(a.streams.Load()) }),
		reloads{a.Sandboxes},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(a.Metrics, promhttp.HandlerOpts{})
}

func (a control) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	a.metrics.ServeHTTP(w, r)
	return nil
}
