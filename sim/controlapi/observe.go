package controlapi

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// quietPaths are the paths that monitoring requests all the time. They are logged at level debug only.
var quietPaths = map[string]bool{healthPath: true, readyPath: true, "/metrics": true}

// consoleHeader is what the console sends. It polls the simulator, and its reads are logged at level debug only.
const consoleHeader = "Banksim-Console"

// observe logs each call after its answer, also a call that isn't let in: the route, the sandbox, the caller, and the
// status. The line has no body and no query, because they may hold secrets. An answer that is broken off is logged,
// too. In place of a handler that has panicked it answers 500, or aborts the connection if its answer was begun.
func (c control) observe(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		_, route := mux.Handler(r)
		answer := &answerWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				c.Log.Error("panic", "method", r.Method, "path", wording.Shorten(r.URL.Path),
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if answer.status == 0 {
					writeProblem(answer, failure())
					p = nil
				}
			}
			status := cmp.Or(answer.status, http.StatusOK)
			line := []slog.Attr{
				slog.String("route", route),
				slog.String("sandbox", wording.Shorten(r.PathValue("sandbox"))),
				slog.Int("status", status),
				slog.String("client", addressOf(r.RemoteAddr)),
				slog.Float64("tookMs", wording.Milliseconds(time.Since(started))),
			}
			if name := rightsIn(r.Context()).name; name != "" {
				line = append(line, slog.String("token", name))
			}
			if answer.reason != "" {
				line = append(line, slog.String("reason", answer.reason))
			}
			c.Log.LogAttrs(r.Context(), level(r, status), "control request", line...)
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
	status int    // 0 until the answer begins
	reason string // why the call is refused, or empty
}

// noteReason notes for the log why a call is refused.
func noteReason(w http.ResponseWriter, reason string) {
	if answer, ok := w.(*answerWriter); ok {
		answer.reason = reason
	}
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

// level returns the level of the log line of a call. A caller that isn't let in is worth a warning.
func level(r *http.Request, status int) slog.Level {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusMisdirectedRequest:
		return slog.LevelWarn
	case quietPaths[r.URL.Path], strings.HasPrefix(r.URL.Path, consolePath),
		r.Method == http.MethodGet && r.Header.Get(consoleHeader) != "":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
