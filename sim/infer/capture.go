package infer

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
)

// exchange is a request of a capture, and its answer.
type exchange struct {
	number  int // in the capture, from 1
	started time.Time
	at      time.Time           // on the clock of the bank
	op      *contract.Operation // or nil if the path is not the interface's
	vars    map[string]string   // in the path
	method  string
	host    string
	path    string // below the base URL, escaped
	query   url.Values
	header  http.Header
	body    []byte
	status  int
	media   string // of the answer
	answer  []byte
	target  string // for a redirection, where it leads
	origin  string // of a page that may read the answer, or empty

	retryAfter  string // when the answer says to ask again, or empty
	lacksAnswer bool   // whether the capture doesn't have the body of the answer: only its status counts
	// isPreflight says whether a browser asks whether a page may send another request.
	isPreflight bool
}

// name is how messages name the exchange.
func (x exchange) name() string {
	return fmt.Sprintf("exchange %d, %s %s", x.number, x.method, capture.ShownPath(x.path))
}

// accepted reports whether the service accepted the request.
func (x exchange) accepted() bool { return x.status >= 200 && x.status < 300 }

// maxBody is how large a body of the interface may be, in bytes (choice).
const maxBody = 1 << 20

// newExchange returns a recorded exchange with the operation that its URL is for: the base URL may have a path. reason
// says why there is no use for it, or is empty. One that is not the interface's keeps its answer only if stubs are
// wanted.
func newExchange(c capture.Exchange, stubs bool) (x exchange, reason string) {
	x = exchange{
		number: c.Number, started: c.Started, at: c.At, method: c.Method, host: c.URL.Host, path: c.URL.EscapedPath(),
		header: c.Header, body: c.Body, status: c.Status, answer: c.Answer, lacksAnswer: c.LacksAnswer,
		media: c.AnswerHeader.Get("Content-Type"), target: c.AnswerHeader.Get("Location"),
		origin: c.AnswerHeader.Get("Access-Control-Allow-Origin"), retryAfter: c.AnswerHeader.Get("Retry-After"),
	}
	x.query = c.URL.Query()
	for _, op := range contract.AllOperations() { // those of the document first: their paths are longer
		path, ok := lastSegments(x.path, strings.Count(op.Path, "/"))
		if ok && slices.Contains(op.Methods(), x.method) && match.Covers(op.Path, path) {
			x.op, x.path, x.vars = op, path, pathVars(op.Path, path)
			break
		}
	}
	switch {
	case x.op == nil && !stubs:
		x.answer = nil
	case c.IsCut:
		return x, "the capture has only the beginning of a body: record it whole"
	case c.LacksBody && x.op != nil:
		return x, "the capture doesn't have the body of the request"
	case c.LacksAnswer && x.op == nil:
		return x, "the capture doesn't have the body of the answer"
	case len(x.body) > maxBody || len(x.answer) > maxBody:
		return x, fmt.Sprintf("a body has more than %d MiB", maxBody>>20)
	}
	if x.op == nil {
		x.isPreflight = x.method == http.MethodOptions && x.header.Get("Access-Control-Request-Method") != ""
		x.header, x.body = nil, nil
	}
	return x, ""
}

// lastSegments returns the end of a path that has a number of segments.
func lastSegments(path string, count int) (end string, ok bool) {
	at := len(path)
	for range count {
		if at = strings.LastIndexByte(path[:at], '/'); at < 0 {
			return "", false
		}
	}
	return path[at:], true
}

// pathVars returns the variables in a path.
func pathVars(pattern, path string) map[string]string {
	vars, values := map[string]string{}, strings.Split(path, "/")
	for i, segment := range strings.Split(pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			vars[strings.TrimSuffix(name, "}")] = match.Unescape(values[i])
		}
	}
	return vars
}

// until yields exchanges in their order, until the context ends.
func until(ctx context.Context, all []exchange) iter.Seq[exchange] {
	return func(yield func(exchange) bool) {
		for _, x := range all {
			if ctx.Err() != nil || !yield(x) {
				return
			}
		}
	}
}

// isOfInterface reports whether an exchange is of an operation.
func (x exchange) isOfInterface() bool { return x.op != nil }

// requestsOf returns what exchanges that are not the interface's ask for, by how often.
func requestsOf(all []exchange) (names []string) {
	counts := map[string]int{}
	for _, x := range all {
		if x.isPreflight {
			continue
		}
		name := x.method + " " + capture.ShownPath(x.path)
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if counts[name] > 1 {
			names[i] += " (" + strconv.Itoa(counts[name]) + ")"
		}
	}
	return names
}

// checkCredentials fails if a request that needs credentials was accepted, and no request has any: the browser has left
// them out.
func checkCredentials(all []exchange) error {
	needs := slices.IndexFunc(all, func(x exchange) bool {
		return x.op.Security != contract.OptionalBearer && x.accepted()
	})
	if needs < 0 || slices.ContainsFunc(all, hasCredentials) {
		return nil
	}
	return fmt.Errorf("%s: the capture has no Authorization header, and without one the service would "+
		"have refused it. Browsers leave such headers out: choose \"Export HAR (with sensitive data)\"",
		all[needs].name())
}

func hasCredentials(x exchange) bool { return x.header.Get("Authorization") != "" }

// redacted matches what tools write in place of a credential.
var redacted = lazy.Regexp(
	`(?i)^(?:(Bearer|Basic)\s+)?[\[<(*]*(\*+|x{3,}|redacted|hidden|masked|removed|sanitized|filtered)[\])>*]*$`)

// replaceRedacted gives each request with a redacted credential a token of the user that it names, or keys. It returns
// how many requests there were.
func replaceRedacted(all []exchange) (count int) {
	for i, x := range all {
		if !redacted().MatchString(strings.TrimSpace(x.header.Get("Authorization"))) {
			continue
		}
		count++
		value := "Bearer redacted-" + x.user()
		if x.op.Security == contract.Basic {
			value = "Basic " + base64.StdEncoding.EncodeToString([]byte("redacted:redacted"))
		}
		all[i].header.Set("Authorization", value)
	}
	return count
}
