package controlapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
)

// Problem is a problem document (RFC 9457). As an error it refuses a request.
type Problem struct {
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Problems []Defect `json:"problems,omitempty"`
}

// Defect is one of several things that are wrong, with its place where it has one.
type Defect struct {
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`   // from 1
	Column  int    `json:"column,omitzero"` // from 1, in characters
	Message string `json:"message"`
}

func (p *Problem) Error() string { return p.Detail }

// refuse returns the error that answers a request with a status. The detail must not hold a value from the
// request's body: it may be a secret.
func refuse(status int, format string, args ...any) error {
	return newProblem(status, format, args...)
}

func newProblem(status int, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// shown quotes a name that a caller gave, shortened where it is long.
func shown(name string) string {
	const limit = 100
	if characters := []rune(name); len(characters) > limit {
		name = string(characters[:limit]) + "…"
	}
	return strconv.Quote(name)
}

// handle answers a request, or returns why it doesn't.
type handle func(http.ResponseWriter, *http.Request) error

// handler limits what a handle reads, and turns its error into a problem document.
func (a api) handler(handle handle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := handle(w, r)
		if err == nil {
			return
		}
		var p *Problem
		if !errors.As(err, &p) {
			a.Log.Error("control request failed", "method", r.Method, "path", r.URL.Path, "error", err)
			p = newProblem(http.StatusInternalServerError, "the simulator failed; its log says why")
		}
		_ = writeJSON(w, p.Status, "application/problem+json", p)
	})
}

// reply answers 200 with a body.
func reply(w http.ResponseWriter, body any) error {
	return writeJSON(w, http.StatusOK, "application/json", body)
}

// created answers 201 with what was created and, unless it is empty, where it is.
func created(w http.ResponseWriter, location string, body any) error {
	if location != "" {
		w.Header().Set("Location", location)
	}
	return writeJSON(w, http.StatusCreated, "application/json", body)
}

// done answers 204.
func done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
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
