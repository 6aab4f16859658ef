package controlapi

import (
	"iter"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// retryAfter is after how many seconds a call is worth repeating that came too early, or found a limit reached (choice).
const retryAfter = "5"

// handle answers a request, or returns an error; see problemOf.
type handle func(http.ResponseWriter, *http.Request) error

// handler limits the size of the body and answers errors with problem documents.
func (a control) handler(handle handle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(unwrapped(w), r.Body, maxBody) // the server's own writer closes the connection after a larger one
		err := handle(w, r)
		if err == nil {
			return
		}
		problem, refused := problemOf(err)
		if !refused {
			a.Log.Error("control request failed", "method", r.Method, "path", r.URL.Path, "error", err)
			problem = failure()
		}
		if problem.Status == http.StatusTooManyRequests || problem.Status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", retryAfter)
		}
		writeProblem(w, problem)
	})
}

// writeProblem answers with a problem document.
func writeProblem(w http.ResponseWriter, p *api.Problem) {
	_ = writeJSON(w, p.Status, "application/problem+json", p)
}

// reply answers 200 with a body.
func reply(w http.ResponseWriter, body any) error {
	return writeJSON(w, http.StatusOK, "application/json", body)
}

// created answers 201 with a body.
func created(w http.ResponseWriter, body any) error {
	return writeJSON(w, http.StatusCreated, "application/json", body)
}

// done answers 204.
func done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func writeJSON(w http.ResponseWriter, status int, media string, body any) error {
	data, err := wire.Encode(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// list converts values for a body. It is never nil, for which JSON would have null.
func list[From, To any](values iter.Seq[From], convert func(From) To) []To {
	converted := []To{}
	for value := range values {
		converted = append(converted, convert(value))
	}
	return converted
}
