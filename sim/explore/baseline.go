package explore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// baseline is what the undisturbed runs came to: what other runs are planned from and compared with.
type baseline struct {
	trace          // of the first
	rows    []row  // of its end
	differs string // the first difference between the two; empty: there is none
	varying varying
}

// varying are the members of requests that differ between the undisturbed runs, such as a random name, each after its operation. They
// don't count from then on.
type varying map[string]bool

func (v varying) has(operation, member string) bool { return v[operation+" "+member] }

// usable returns an error if nothing can be explored after an undisturbed run.
func usable(o Observation) error {
	switch {
	case o.Ended == Hung:
		return errors.New("it doesn't end in its time: give it more, or look what it waits for")
	case o.Ended != Passed:
		return fmt.Errorf("it fails: %s", o.Message)
	case len(o.Broken) > 0:
		return fmt.Errorf("the end breaks an invariant: %s", o.Broken[0])
	case o.Evicted > 0:
		return fmt.Errorf("it makes more requests than a journal holds, which has lost the first %d of them: explore a smaller part of it",
			o.Evicted)
	case len(newTrace(o.Exchanges, nil).calls) == 0:
		return fmt.Errorf("it calls no operation of the bank, and makes %d other requests: "+
			"give it the base URL of its bank, to which it appends the paths of the interface", len(o.Exchanges))
	}
	return nil
}

// newBaseline compares two undisturbed runs. The first is the one that others are compared with.
func newBaseline(first, second Observation) baseline {
	one, other := newTrace(first.Exchanges, nil), newTrace(second.Exchanges, nil)
	b := baseline{differs: firstDifference(one.calls, other.calls), varying: varying{}}
	others := map[string]made{}
	for _, m := range other.calls {
		others[m.Name()] = m
	}
	for _, m := range one.calls {
		if o, ok := others[m.Name()]; ok {
			for _, name := range apart(m.request, o.request) {
				b.varying[m.Operation+" "+name] = true
			}
		}
	}
	b.trace = newTrace(first.Exchanges, b.varying)
	b.rows = newRows(first.Changes, b.trace)
	_, differences := compare(b.rows, newRows(second.Changes, newTrace(second.Exchanges, b.varying)))
	if len(differences) > 0 {
		text := "the ends of the two undisturbed runs differ: " + differences[0] +
			"; so verdicts, which compare with the first of them, may be wrong"
		if b.differs != "" {
			text = b.differs + "; and " + text
		}
		b.differs = text
	}
	return b
}

// firstDifference says in which call two runs differ first; empty: in none.
func firstDifference(one, other []made) string {
	for i := range max(len(one), len(other)) {
		if i >= len(one) || i >= len(other) || one[i].Name() != other[i].Name() {
			return fmt.Sprintf("call %d: %s in one run, %s in the other", i+1, callAt(one, i), callAt(other, i))
		}
		m, o := one[i], other[i]
		if names := apart(m.request, o.request); len(names) > 0 {
			name := names[0]
			return fmt.Sprintf("%s of %s: %s in one run, %s in the other", name, m.Name(), m.request.value(name), o.request.value(name))
		}
		if m.status != o.status {
			return fmt.Sprintf("the answer to %s: %d in one run, %d in the other", m.Name(), m.status, o.status)
		}
	}
	return ""
}

func callAt(calls []made, i int) string {
	if i >= len(calls) {
		return "no call"
	}
	return calls[i].Name()
}

// made is a call that a run made.
type made struct {
	Call
	place     int // among the calls of the run
	status    int // of the answer; 0: there was none
	changed   bool
	requestID string   // the header that identifies the request
	fired     []string // the names of the rules that fired
	bearer    bool     // whether it bears an access token
	taken     bool     // whether a rule of the scenario answered, so that no other one can
	request   leaves
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
			place:   len(t.calls),
			status:  x.Response.Status,
			changed: x.Changed,
			bearer:  strings.HasPrefix(strings.ToLower(x.Request.Headers.Get("Authorization")), "bearer "),
			request: newRequest(x),
		}
		m.Request = m.request.key(x.Operation, varying)
		for name, value := range m.request {
			if varying.has(x.Operation, name) {
				_ = json.Unmarshal([]byte(value), &value) // of a text in a body; any other value stays as it is
				t.names[value] = "(" + name + " of " + x.Operation + ")"
			}
		}
		if op := contract.In(sim.Dialect(x.Dialect)).Operation(x.Operation); op != nil {
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
func (t trace) state(failing made, f Failure) string {
	h := sha256.New()
	for _, m := range t.calls[:failing.place] {
		_, _ = fmt.Fprintln(h, m.asked(), m.changed)
	}
	_, _ = fmt.Fprintln(h, failing.asked(), f.Name)
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
