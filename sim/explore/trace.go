package explore

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// trace holds the calls that a run made, in the order of the bank's journal.
type trace struct {
	calls []tracedCall
	names map[string]string // maps values of members that vary to their placeholders in rows
}

// tracedCall is a call that a run made, with what became of it.
type tracedCall struct {
	Call
	index     int // in the trace
	status    int // of the answer, or 0 if there was none
	changed   bool
	requestID string   // the header that identifies the request
	bearer    bool     // whether the request has an access token
	fired     []string // the names of the rules that fired
	faulted   bool     // whether a fault of the scenario answered, before any other fault could
	request   members
}

// newTrace returns the trace of a run, given the members that vary between undisturbed runs.
func newTrace(exchanges []journal.Exchange, varying varyingMembers) trace {
	t := trace{names: map[string]string{}}
	numbers := map[string]int{}
	for i := range exchanges {
		x := &exchanges[i]
		op := operationOf(x.Operation, x.Dialect)
		if op == nil {
			continue
		}
		numbers[x.Operation]++
		c := tracedCall{
			Call:      Call{Operation: x.Operation, Dialect: x.Dialect, Number: numbers[x.Operation]},
			index:     len(t.calls),
			status:    x.Response.Status,
			changed:   x.Changed,
			bearer:    strings.HasPrefix(strings.ToLower(x.Request.Headers.Get("Authorization")), "bearer "),
			request:   requestMembers(op, &x.Request),
			requestID: x.Request.Headers.Get(op.Family.RequestID),
		}
		c.Request = c.request.hash(x.Operation, varying)
		for name, value := range c.request {
			if varying[member{x.Operation, name}] {
				_ = json.Unmarshal([]byte(value), &value) // a text of a body, or a parameter as it is
				t.names[value] = "(" + name + " of " + x.Operation + ")"
			}
		}
		if x.Fault != nil {
			c.fired = x.Fault.Fired
			c.faulted = x.Fault.AnsweredBy != "" && !strings.HasPrefix(x.Fault.AnsweredBy, rulePrefix)
		}
		t.calls = append(t.calls, c)
	}
	return t
}

// operationOf returns the operation of a name in a dialect, or nil if there is no such operation.
func operationOf(name, dialect string) *contract.Operation {
	return contract.In(sim.Dialect(dialect)).Operation(name)
}

// String returns the name of the call with the status of its answer.
func (c tracedCall) String() string {
	if c.status == 0 {
		return c.Name() + " no answer"
	}
	return fmt.Sprintf("%s %d", c.Name(), c.status)
}

// accepted reports whether the bank did what the call asked for.
func (c tracedCall) accepted() bool { return c.status/100 == 2 }

// changesRows reports whether the call changed rows that are compared. Issued tokens are not compared.
func (c tracedCall) changesRows() bool {
	return c.changed && !strings.HasPrefix(c.Operation, "tokens.")
}

// asks identifies what the call asks for, whatever its number.
func (c tracedCall) asks() string { return c.Operation + " " + c.Request }

// maxCalls bounds how many calls of a run a report names (choice).
const maxCalls = 200

// report returns the calls for a report.
func (t trace) report() []string {
	names := []string{}
	for _, c := range t.calls {
		names = append(names, c.String())
	}
	return firstOf(names, maxCalls)
}

// state identifies a failure of a call by the calls and changes before it. The same calls and changes lead an app and
// its bank to the same state.
func (t trace) state(failing tracedCall, f Failure) string {
	h := sha256.New()
	for _, c := range t.calls[:failing.index] {
		_, _ = fmt.Fprintln(h, c.asks(), c.changed)
	}
	_, _ = fmt.Fprintln(h, failing.asks(), f.Name)
	return string(h.Sum(nil))
}

// lastFired returns the index of the last call that a fault of the run reached, or -1. The fault is given by its index.
func (t trace) lastFired(i int) int {
	for at := len(t.calls) - 1; at >= 0; at-- {
		if slices.Contains(t.calls[at].fired, ruleName(i)) {
			return at
		}
	}
	return -1
}
