package controlapi

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// quiet are the paths that monitoring requests all the time. They are logged at level debug only.
var quiet = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// consoleHeader is what the console sends. It reads all the time what it shows, and that is logged at level debug only.
const consoleHeader = "Banksim-Console"

// observe logs each call once it is answered, also those that the next handler refuses to let in: what was called,
// for which sandbox, by whom, and the answer's status. The line has no body and no query, which may hold secrets. An answer
// that is broken off is answered, too. In place of a handler that has panicked it answers 500, or aborts the connection if its
// answer was begun.
func (a control) observe(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		_, route := mux.Handler(r)
		answer := &answerWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				a.Log.Error("panic", "method", r.Method, "path", phrase.Shorten(r.URL.Path),
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if answer.status == 0 {
					writeProblem(answer, failure())
					p = nil
				}
			}
			status := cmp.Or(answer.status, http.StatusOK)
			a.Log.LogAttrs(r.Context(), level(r, status), "control request",
				slog.String("route", route),
				slog.String("sandbox", phrase.Shorten(r.PathValue("sandbox"))),
				slog.Int("status", status),
				slog.String("client", clientOf(r)),
				slog.Duration("took", time.Since(started)))
			if p != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// answerWriter notes the status of an answer.
type answerWriter struct {
	http.ResponseWriter
	status int // 0: the answer was not begun
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(data []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.ResponseWriter.Write(data)
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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

func (a control) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	if a.Metrics == nil {
		return refuse(http.StatusNotFound, "this simulator has no metrics: it runs within a test")
	}
	a.Metrics.ServeHTTP(w, r)
	return nil
}
