package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/crash"
)

// recovering answers in place of a handler that has panicked: 500, or an aborted connection if its answer was begun.
// http.ErrAbortHandler is no failure, but asks for that.
func (a control) recovering(next http.Handler) http.Handler {
	var crashes crash.Log
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answerWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			crashes.Report(a.Log, p, "method", r.Method, "path", r.URL.Path)
			if answer.begun() {
				panic(http.ErrAbortHandler)
			}
			writeProblem(w, failure())
		}()
		next.ServeHTTP(answer, r)
	})
}
