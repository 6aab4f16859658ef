package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/crash"
)

// recovering answers in place of a handler that has panicked: 500, or an aborted connection if its answer was begun.
// http.ErrAbortHandler is no failure, but asks for that.
func (a api) recovering(next http.Handler) http.Handler {
	var crashes crash.Log
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &begunWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			crashes.Report(a.Log, p, "method", r.Method, "path", r.URL.Path)
			if answer.begun {
				panic(http.ErrAbortHandler)
			}
			failed := refuse(http.StatusInternalServerError, "the simulator failed: see its log")
			_ = writeJSON(w, failed.Status, "application/problem+json", failed)
		}()
		next.ServeHTTP(answer, r)
	})
}

// begunWriter notes whether an answer was begun.
type begunWriter struct {
	http.ResponseWriter
	begun bool
}

func (w *begunWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *begunWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap returns the writer that an http.ResponseController needs.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
