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

// made is a call that a run made.
type made struct {
	Call
	status    int // of the answer; 0: there was none
	changed   bool
	requestID string   // the header that identifies the request
	fired     []string // the names of the rules that fired
	taken     bool     // whether a rule of the scenario answered, so that no other one can
	request   request
}

// String returns the name of the call with the status of its answer, or what became of that.
func (m made) String() string {
	if m.status == 0 {
		return m.Name() + " no answer"
	}
	return fmt.Sprintf("%s %d", m.Name(), m.status)
}

// asked identifies what the call asks for. Calls of a run that ask for the same have different numbers.
func (m made) asked() string { return m.Operation + " " + m.Request }

// trace are the calls that a run made, in the order in which the bank took them.
type trace struct {
	calls []made
	names map[string]string // of the values of members that vary: what stands for them in rows
}

// newTrace returns the calls of a run.
func newTrace(exchanges []journal.Exchange, varying varying) trace {
	t := trace{names: map[string]string{}}
	numbers := map[string]int{}
	for i := range exchanges {
		x := &exchanges[i]
		if x.Operation == "" {
			continue
		}
		numbers[x.Operation]++
		m := made{
			Call:    Call{Operation: x.Operation, Dialect: x.Dialect, Number: numbers[x.Operation]},
			status:  x.Response.Status,
			changed: x.Changed,
			request: newRequest(x),
		}
		m.Request = m.request.key(x.Operation, varying)
		for name, value := range m.request {
			if varying.has(x.Operation, name) {
				_ = json.Unmarshal([]byte(value), &value) // of a text in a body; any other value stays as it is
				t.names[value] = "(" + name + " of " + x.Operation + ")"
			}
		}
		if op, ok := contract.FindIn(x.Operation, sim.Dialect(x.Dialect)); ok {
			m.requestID = x.Request.Headers.Get(op.Family.RequestID)
		}
		if x.Fault != nil {
			m.fired = x.Fault.Fired
			m.taken = x.Fault.AnsweredBy != "" && !strings.HasPrefix(x.Fault.AnsweredBy, rulePrefix)
		}
		t.calls = append(t.calls, m)
	}
	return t
}

// maxCalls bounds how many calls of a run a report names.
const maxCalls = 200

// report returns the calls as a report has them.
func (t trace) report() []string {
	names := []string{}
	for _, m := range t.calls {
		names = append(names, m.String())
	}
	return firstOf(names, maxCalls)
}

// state identifies a failure of a call with what came before: the same calls with the same changes. After them, the bank is in the
// same state, and the app has taken the failures in the same way.
func (t trace) state(failing int, f Failure) string {
	h := sha256.New()
	for _, m := range t.calls[:failing] {
		_, _ = fmt.Fprintln(h, m.asked(), m.changed)
	}
	_, _ = fmt.Fprintln(h, t.calls[failing].asked(), f.Name)
	return string(h.Sum(nil))
}

// fired returns the place of the last call for which a rule fired; -1: there is none.
func (t trace) fired(rule string) int {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if slices.Contains(t.calls[i].fired, rule) {
			return i
		}
	}
	return -1
}

// multiset counts what calls ask for.
func multiset(calls []made) map[string]int {
	counts := map[string]int{}
	for _, m := range calls {
		counts[m.asked()]++
	}
	return counts
}
