package infer

import (
	"bytes"
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
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
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

// requestsOf returns what exchanges that are not the interface's ask for, as it may be shown, and how often.
func requestsOf(all []exchange, shown *strings.Replacer) []string {
	names, counts := []string{}, map[string]int{}
	for _, x := range all {
		if x.isPreflight {
			continue
		}
		name := x.method + " " + shown.Replace(capture.ShownPath(x.path))
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

// refusedAs reports whether the answer is the one to requests that a rule refuses.
func (x exchange) refusedAs(rule sim.Code) bool {
	return contract.ErrorCode(x.answer) == x.op.Family.Refusal(rule).Code
}

// passed reports whether the service has let a request pass a rule: it was accepted, or refused by a later check.
func (x exchange) passed(rule sim.Code) bool {
	return x.accepted() || x.refusalPlace() > x.op.Family.CheckOrder(rule)
}

// refusalPlace returns the place of the first rule with the answer's code among the checks of its family, or -1.
func (x exchange) refusalPlace() int {
	code := contract.ErrorCode(x.answer)
	return slices.IndexFunc(x.op.Family.Refusals, func(r contract.Refusal) bool { return r.Code == code })
}

// institution returns the institution that a request names, or "".
func (x exchange) institution() string {
	for _, name := range []string{"institutionId", "fiid"} {
		if id := x.header.Get(name); isInstitutionID().MatchString(id) {
			return id
		}
	}
	return ""
}

// user returns the hostUserId that a request names, or "".
func (x exchange) user() string {
	if x.query.Get("userIdType") == sim.HostUserIDType {
		return x.vars["institutionUserId"]
	}
	if user := x.query.Get("hostUserId"); user != "" {
		return user
	}
	return x.header.Get("userid")
}

// login returns the login of the user that a request names, or "".
func (x exchange) login() string {
	if x.query.Get("userIdType") == sim.LoginIDType {
		return x.vars["institutionUserId"]
	}
	return x.query.Get("loginId")
}

// account returns the account that a request names, or "".
func (x exchange) account() string {
	if id := x.vars["accountId"]; id != "" {
		return id
	}
	return x.sent("accountId")
}

// token returns the access token of a request, or "".
func (x exchange) token() string {
	scheme, token, ok := strings.Cut(x.header.Get("Authorization"), " ")
	switch {
	case !ok:
		return scheme // without a word before it
	case strings.EqualFold(scheme, "Bearer") && !strings.ContainsAny(token, " \t,"):
		return token
	}
	return ""
}

// client returns the client in a request's Basic credentials.
func (x exchange) client() (client, bool) {
	key, secret, ok := (&http.Request{Header: x.header}).BasicAuth()
	return client{key, secret}, ok && key != "" && secret != ""
}

// sent returns a text in the body of a request, or "".
func (x exchange) sent(names ...string) string {
	if redact.IsForm(x.header.Get("Content-Type")) {
		form, _ := url.ParseQuery(string(x.body)) // what can't be read has no members
		return form.Get(names[0])
	}
	return text(decode(x.body), names...)
}

// sentID reports whether the body of the request has an id: then the service did not draw it.
func (x exchange) sentID(value string) bool {
	return len(value) > 8 && bytes.Contains(x.body, []byte(value))
}

// isRefusal reports whether the answer has the code and the status of a refusal.
func (x exchange) isRefusal(r contract.Refusal) bool {
	return r.Code == contract.ErrorCode(x.answer) && slices.Contains(x.op.Family.Statuses(r), x.status)
}

// isFault reports whether an answer is one that no rule of the bank gives: too many requests, or a broken service.
func (x exchange) isFault() bool {
	return (x.status == http.StatusTooManyRequests || x.status >= 500) &&
		!slices.ContainsFunc(x.op.Refusals(), x.isRefusal)
}

// effort returns how much it is to answer the exchange once.
func (x exchange) effort() int { return 1 + (len(x.body)+len(x.answer))/effortPerSize }

// numbers returns numbers that may be a limit of the service: the size of the answer's page, lengths of texts in the
// request, and small ones that no member shows, such as how many wrong passwords lock a user. The largest comes first,
// so that the widest limit is taken of several that explain as much.
func (x exchange) numbers() []int {
	all := []int{1, 2, 3, 4, 5, 10}
	if size := number(decode(x.answer), "page", "size"); size > 0 {
		all = append(all, size)
	}
	eachMember(decode(x.body), func(_, value string) {
		if length := utf8.RuneCountInString(value); len(all) < maxNumbers {
			all = append(all, length, length-1)
		}
	})
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}
