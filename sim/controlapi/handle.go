package controlapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// retryAfter is after how many seconds a call is worth repeating that came too early, or found a limit reached (choice).
const retryAfter = "5"

// handle answers a request, or returns an error; see problemOf.
type handle func(http.ResponseWriter, *http.Request) error

// handler answers errors with problem documents.
func (a control) handler(handle handle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := handle(w, r)
		if err == nil {
			return
		}
		problem, refused := problemOf(err)
		if !refused {
			a.Log.Error("control request failed", "method", r.Method, "path", phrase.Shorten(r.URL.Path), "error", err)
			problem = failure()
		}
		if problem.Status == http.StatusTooManyRequests ||
			problem.Status == http.StatusServiceUnavailable && !errors.Is(err, sandbox.ErrUnsure) {
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

// done answers 204, unless there is an error.
func done(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func writeJSON(w http.ResponseWriter, status int, media string, body any) error {
	data, err := wire.Encode(body)
	if err != nil {
		return err
	}
	return writeBody(w, status, media, append(data, '\n'))
}

func writeBody(w http.ResponseWriter, status int, media string, body []byte) error {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	// It fails if the client has disconnected. Then there is nobody to tell.
	_, _ = pieces{w, http.NewResponseController(w)}.Write(body)
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

// refuse returns the problem that answers a request with a status. The detail must not hold a value from the body of the
// request, which may be a secret. It is cut if it is long.
func refuse(status int, format string, args ...any) *api.Problem {
	detail := phrase.Message(fmt.Sprintf(format, args...))
	return &api.Problem{Title: http.StatusText(status), Status: status, Detail: detail}
}

// failure returns the problem of a simulator that has failed.
func failure() *api.Problem {
	return refuse(http.StatusInternalServerError, "the simulator failed: see its log")
}

// statuses has the status for each error of another package that refuses a request. The error's text is the detail. The
// first error counts that another one wraps.
var statuses = []struct {
	refusal error
	status  int
}{
	{sandbox.ErrUnsure, http.StatusServiceUnavailable},
	{sandbox.ErrNotStored, http.StatusServiceUnavailable},
	{sandbox.ErrBadName, http.StatusBadRequest},
	{sandbox.ErrSnapshotReserved, http.StatusBadRequest},
	{sandbox.ErrNoSandbox, http.StatusNotFound},
	{sandbox.ErrDeleted, http.StatusNotFound},
	{sandbox.ErrNoSnapshot, http.StatusNotFound},
	{sandbox.ErrNoExchange, http.StatusNotFound},
	{sandbox.ErrTaken, http.StatusConflict},
	{sandbox.ErrDefaultSandbox, http.StatusConflict},
	{sandbox.ErrDefaultStays, http.StatusConflict},
	{sandbox.ErrSnapshotTaken, http.StatusConflict},
	{fault.ErrNameTaken, http.StatusConflict},
	{journal.ErrEvicted, http.StatusConflict},
	{scenario.ErrBankTooLarge, http.StatusConflict},
	{scenario.ErrResolvedTooLarge, http.StatusConflict},
	{scenario.ErrFilesChanged, http.StatusConflict},
	{sandbox.ErrTooMany, http.StatusTooManyRequests},
	{sandbox.ErrTooManySnapshots, http.StatusTooManyRequests},
	{fault.ErrTooMany, http.StatusTooManyRequests},
}

// problemOf returns the problem by which an error refuses a request, and whether it is such an error.
func problemOf(err error) (*api.Problem, bool) {
	var problem *api.Problem
	if errors.As(err, &problem) {
		return problem, true
	}
	if errors.Is(err, sim.WorldFull) {
		return refuse(http.StatusInsufficientStorage, "%v", err), true
	}
	var refusal *sim.Error // the world doesn't have what the path names
	if errors.As(err, &refusal) {
		return refuse(http.StatusNotFound, "%s", refusal.Message), true
	}
	for _, s := range statuses {
		if errors.Is(err, s.refusal) {
			return refuse(s.status, "%v", err), true
		}
	}
	return nil, false
}

// number returns a query parameter that is a whole number, or a default if it is not given.
func number(values url.Values, name string, byDefault int) int {
	if n, err := strconv.Atoi(values.Get(name)); err == nil {
		return n
	}
	return byDefault
}

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 1 << 20

// readBody reads the body of a request. It refuses a body that is too large (413) and one that breaks off (400). Its content
// type doesn't matter: each call takes one format, and tools that send bodies name others, or none. What a page in a browser
// may send without asking, such as text/plain, is kept out by control.guard instead.
func readBody(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body could not be read to its end")
	}
	return data, nil
}

// decode reads the body of a request, a JSON object, into a struct. It refuses (400) members that the struct doesn't have.
// An empty body is an empty object.
func decode(r *http.Request, into any) error {
	data, err := readBody(r)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return unmarshal(data, into)
}

// unmarshal reads a JSON object into a struct. Its error names members and never holds a value, which may be a secret.
func unmarshal(data []byte, into any) error {
	err := wire.DecodeKnown(data, into)
	var wrong *wire.Error
	if !errors.As(err, &wrong) {
		return err
	}
	detail, member := wrong.Error(), phrase.Quote(wrong.Member)
	switch wrong.Kind {
	case wire.Duplicate:
		detail = "member " + member + " is given twice"
	case wire.Unknown:
		detail = "unknown member " + member + phrase.DidYouMean(wrong.Member, members(into), "the members are")
	case wire.Mistyped:
		detail = "member " + member + " must be " + describe(wrong.Type)
	}
	return refuse(http.StatusBadRequest, "%s", detail)
}

// members returns the names of the members of a struct in JSON.
func members(of any) []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.Indirect(reflect.ValueOf(of)).Type()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// kindWords are what JSON has for the kinds of Go types.
var kindWords = map[reflect.Kind]string{reflect.Bool: "true or false", reflect.String: "a string", reflect.Slice: "an array",
	reflect.Uint64: "a whole number, 0 or more", reflect.Int: "a whole number", reflect.Int64: "a whole number"}

// describe returns what JSON has for a Go type, with an article.
func describe(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "a time such as 2026-01-15T09:00:00Z"
	case reflect.TypeFor[headerValues]():
		return "a string, or an array of strings"
	case nil:
		return "of another type"
	}
	return cmp.Or(kindWords[t.Kind()], "an object")
}

// duration parses a member of a body as a duration above 0.
func duration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, refuse(http.StatusBadRequest, "%s must be a duration above 0, such as 90s, 15m or 24h, not %s",
			name, phrase.Quote(text))
	}
	return d, nil
}
