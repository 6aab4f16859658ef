package bankapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// call is one request, at one moment of its sandbox. All that a handler sees of the bank is that moment's.
type call struct {
	sandbox.Moment
	generation *sandbox.Generation // of the sandbox, when the request began
	*route                         // in the dialect that the request is answered in; nil: the request is no operation's
	asked      *route              // in the dialect of its path
	spoken     *sim.Behavior       // of the bank, in the dialect; nil: that of the bank itself
	family     *contract.Family    // of the operation, or the one that the path is nearest to
	request    *http.Request
	query      query
	parameters [3]queryParameter // room for the query
	unread     bool              // whether a part of the query can't be read
	baseURL    string            // that the caller used: scheme, host and the sandbox's prefix
	content    content
	release    func() // gives back the room that the body takes; nil: it takes none
	strict     bool   // whether nothing is answered that rests on a choice alone
	committed  bool   // whether it has replaced the world of its moment
	changed    bool   // whether rows of the two differ
	lints      []journal.Lint
	cited      []*contract.Entry  // see restsOn
	room       [4]*contract.Entry // of cited, which hardly ever has more
	decided    *contract.Entry    // see decidedBy
	fired      *injected          // the faults that fired, and delay the request; nil: none
	place      journal.Place      // in the journal, of a call that had to be carried out as a change
}

// releaseBody gives back the room that the request's body takes.
func (c *call) releaseBody() {
	if c.release != nil {
		c.release()
	}
}

// restsOn notes an entry of the ledger that the answer rests on, besides those of its operation.
func (c *call) restsOn(e *contract.Entry) {
	if c.cited == nil {
		c.cited = c.room[:0]
	}
	c.cited = append(c.cited, e)
}

// decidedBy notes the entry that decides the answer to a request that is accepted, in the place of the operation's first.
func (c *call) decidedBy(e *contract.Entry) { c.decided = e }

// lint notes something about the request that changes no answer, but that its sender may want to know.
func (c *call) lint(code, message string) {
	c.lints = append(c.lints, journal.Lint{Code: code, Message: message})
}

// behavior returns the behaviour by which the request is answered: that of the bank, as the dialect has it; the default one
// where there is no bank.
func (c *call) behavior() *sim.Behavior {
	if c.spoken != nil {
		return c.spoken
	}
	if c.World == nil {
		b := sim.DefaultBehavior()
		return &b
	}
	return c.World.Behavior()
}

// answer returns the answer that the scenario's behaviour selects for a request that is accepted.
func (c *call) answer() *contract.Answer { return c.Operation.Answer(c.behavior()) }

// operationName returns the name of the operation; empty: the request is none's.
func (c *call) operationName() string {
	if c.route == nil {
		return ""
	}
	return c.Name
}

// changes reports whether the request has to be carried out as a change: also one that only reads, where the bank
// remembers the ids of requests.
func (c *call) changes() bool { return c.Changes || c.remembersRequestID() }

// remembersRequestID reports whether the bank remembers the request's id, and refuses it the next time.
func (c *call) remembersRequestID() bool {
	return slices.Contains(c.Refuses, sim.RequestIDReused) &&
		(c.strict || c.behavior().Groups.TransactionIDReuse == sim.TransactionIDReuseReject)
}

// step says between which worlds of its sandbox the call is.
func (c *call) step() journal.Step {
	return journal.Step{Before: c.Version, Committed: c.committed, Changed: c.changed, Running: c.Running}
}

// waited reports whether a fault has delayed the request.
func (c *call) waited() bool { return c.fired != nil && c.fired.DelayMicros > 0 }

// pathVar returns a path variable, unescaped.
func (c *call) pathVar(name string) string {
	value, err := url.PathUnescape(c.asked.template.variable(c.request.URL.EscapedPath(), name))
	if err != nil {
		panic("bankapi: a path that net/http has parsed doesn't unescape: " + err.Error())
	}
	return value
}

// parameter returns a required query parameter.
func (c *call) parameter(name string) (string, error) {
	switch value := c.query.Get(name); {
	case value == "":
		return "", sim.Refuse(contract.ParameterMissing, "query parameter %s is missing", name)
	case c.query.Count(name) > 1:
		return "", sim.Refuse(contract.ParameterRepeated, "query parameter %s is given more than once", name)
	default:
		return value, nil
	}
}

// takesHeader reports whether the operation reads a header.
func (c *call) takesHeader(name string) bool {
	return slices.ContainsFunc(c.headers, func(own string) bool { return strings.EqualFold(own, name) })
}

// header returns the first value of a header, as the interface spells it; empty where it is missing.
func (c *call) header(name string) string {
	canonical, ok := spelt[name]
	if !ok {
		canonical = http.CanonicalHeaderKey(name)
	}
	if values := c.request.Header[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// requestID returns the header that identifies the request, empty where it is missing.
func (c *call) requestID() string { return c.header(c.family.RequestID) }

// requireRequestID refuses a request without the header that identifies it, or with one that the family doesn't take.
func (c *call) requireRequestID() error {
	switch {
	case c.requestID() == "":
		return sim.Refuse(contract.RequestIDMissing, "header %s is missing", c.family.RequestID)
	case c.family.RequestIDs != nil:
		return c.requireUUID()
	}
	return nil
}

// requireUUID refuses a request unless a UUID identifies it.
func (c *call) requireUUID() error {
	if !contract.UUID.MatchString(c.requestID()) {
		return sim.Refuse(contract.RequestIDMalformed, "header %s must be a UUID", c.family.RequestID)
	}
	return nil
}
