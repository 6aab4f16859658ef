package bankapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// exchange is a request on its way to its answer. It is handed from step to step, and each fills in what it finds.
type exchange struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request // as it came
	started time.Time

	// Of the route.
	only        string        // the one sandbox that is served; empty: the one that the request names
	sandboxName string        // as the request gives it
	prefix      string        // of the base URL's path, escaped; empty: that names no sandbox
	baseURL     string        // that the caller used: scheme, host and prefix
	request     *http.Request // whose path is the interface's
	misdirected error         // why the request is refused whatever it asks for; nil: it isn't
	asked       *route        // in the dialect of the path; nil: the request is no operation's
	variables   map[string]string
	query       url.Values
	unread      bool // whether a part of the query can't be read

	content content
	rooms   *rooms

	// Of the moment at which the request is carried out.
	sandbox  *sandbox.Sandbox // nil: there is none
	at       sandbox.View     // zero: there is no bank
	before   *sim.World       // before the request
	route    *route           // in the dialect that the request is answered in; nil: it is no operation's
	op       *contract.Operation
	family   *contract.Family // of the operation, or the one that the path is nearest to
	behavior *sim.Policy      // by which the request is answered: that of the bank, as the dialect has it

	injected *injected     // what faults do; nil: none fired
	faults   [2]*fault.Set // of the sandbox, before and after they are decided; nil: there are none
	pause    time.Duration // how long a fault delays the operation
	failure  error         // why the attempt has to be made again

	// Of the answer.
	cited     []*contract.Entry // see restsOn
	decided   *contract.Entry   // decides in the place of the operation's first entry; nil: that does
	lints     []journal.Lint
	reply     reply
	committed bool // whether the request has replaced the world of its moment
	changed   bool // whether rows of the two differ

	held     time.Duration // how long a fault means to hold the connection while it delivers the answer
	sent     reply         // the reply as it goes over the wire
	recorded bool          // whether the answer is decided, and in the journal if there is one
	id       string        // in the journal; empty: it has none
}

// standardPolicy is that of answers where there is no bank.
var standardPolicy = contract.NewPolicies(sim.DefaultBehavior()).Document

// reply is the answer to a request, whole before any of it is sent.
type reply struct {
	status   int
	headers  [][2]string
	body     []byte           // JSON, unless a fault gives it; nil: none
	code     string           // in the error body that a fault answers with
	decision journal.Decision // why the reply is what it is
}

// answerWith returns the reply to a request that is accepted, with a value as its body.
func (x *exchange) answerWith(body any) reply { return x.jsonReply(wire.MustEncode(body)) }

// jsonReply returns the reply to a request that is accepted, with a body that is JSON already.
func (x *exchange) jsonReply(body []byte) reply { return x.replyWith(x.answer(), body) }

// replyWith returns the reply to a request that is accepted with an answer of its operation.
func (x *exchange) replyWith(answer *contract.Answer, body []byte) reply {
	rep := reply{status: answer.Status, body: body}
	if x.op.NoStore {
		for _, h := range []contract.Header{contract.CacheControl, contract.Pragma} {
			rep.header(h.Name, h.About)
		}
	}
	return rep
}

// emptyReply returns the reply to a request that is accepted, without a body.
func (x *exchange) emptyReply() reply { return reply{status: x.answer().Status} }

// header adds a header, in the spelling given.
func (rep *reply) header(name, value string) {
	if rep.headers == nil {
		rep.headers = make([][2]string, 0, 4) // most have no more
	}
	rep.headers = append(rep.headers, [2]string{name, value})
}

// restsOn notes entries of the ledger that the answer rests on, besides those of its operation.
func (x *exchange) restsOn(entries ...*contract.Entry) {
	if x.cited == nil {
		x.cited = make([]*contract.Entry, 0, 4) // hardly any cites more
	}
	x.cited = append(x.cited, entries...)
}

// lint notes something about the request that changes no answer, but that its sender may want to know.
func (x *exchange) lint(code, message string) {
	x.lints = append(x.lints, journal.Lint{Code: code, Message: message})
}

// answer returns the answer that the scenario's behaviour selects for a request that is accepted.
func (x *exchange) answer() *contract.Answer { return x.op.Answer(x.behavior) }

// operationName returns the name of the operation; empty: the request is none's.
func (x *exchange) operationName() string {
	if x.op == nil {
		return ""
	}
	return x.op.Name
}

// dialect returns the dialect that a request to an operation is answered in; empty: it is to none.
func (x *exchange) dialect() string {
	if x.op == nil {
		return ""
	}
	return string(x.op.Dialect)
}

func (x *exchange) pathVar(name string) string {
	value, _ := url.PathUnescape(x.variables[name]) // which net/http has parsed
	return value
}

// url returns the address of an operation on the base URL that the caller used, in the dialect of its path. Variables are
// given with their values.
func (x *exchange) url(op *contract.Operation, variables ...string) string {
	path := contract.In(x.asked.op.Dialect).Operation(op.Name).Path
	for i := 0; i < len(variables); i += 2 {
		path = strings.Replace(path, "{"+variables[i]+"}", variables[i+1], 1)
	}
	return x.baseURL + path
}

// parameter returns a required query parameter.
func (x *exchange) parameter(name string) (string, error) {
	switch value := x.query.Get(name); {
	case value == "":
		return "", sim.Refuse(contract.ParameterMissing, "query parameter %s is missing", name)
	case len(x.query[name]) > 1:
		return "", sim.Refuse(contract.ParameterRepeated, "query parameter %s is given more than once", name)
	default:
		return value, nil
	}
}

// identifiedBearer authenticates the caller of a request that has the header that identifies it.
func (x *exchange) identifiedBearer() (sim.Caller, error) {
	caller, err := x.bearer()
	if err != nil {
		return caller, err
	}
	return caller, x.requireRequestID()
}

// takesHeader reports whether the operation reads a header.
func (x *exchange) takesHeader(name string) bool {
	return slices.ContainsFunc(x.route.headers, func(own string) bool { return strings.EqualFold(own, name) })
}

// header returns the first value of a header; empty where it is missing.
func (x *exchange) header(name string) string { return x.r.Header.Get(name) }

// requestID returns the header that identifies the request, empty where it is missing.
func (x *exchange) requestID() string { return x.header(x.family.RequestID) }

// requireRequestID refuses a request without the header that identifies it, or with one that the family doesn't take.
func (x *exchange) requireRequestID() error {
	switch {
	case x.requestID() == "":
		return sim.Refuse(contract.RequestIDMissing, "header %s is missing", x.family.RequestID)
	case x.family.RequestIDs != nil:
		return x.requireUUID()
	}
	return nil
}

// requireUUID refuses a request unless a UUID identifies it.
func (x *exchange) requireUUID() error {
	if !contract.UUID.MatchString(x.requestID()) {
		return sim.Refuse(contract.RequestIDMalformed, "header %s must be a UUID", x.family.RequestID)
	}
	return nil
}

// leaveOut takes a member out of a body that the operation doesn't have in this dialect.
func (x *exchange) leaveOut(name string, value **string) {
	if *value != nil && !x.op.Request.Has(name) {
		*value = nil
		x.restsOn(contract.EverywhereUnknownMembers)
	}
}
