package explore

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// made is a call that a run made.
type made struct {
	Call
	status    int    // of the answer; 0: there was none
	answer    string // what the app saw of the answer, and the bank did
	changed   bool
	requestID string
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
	calls  []made
	ids    *ids
	varied map[string]string // the values of members that vary, with what stands for them
}

// newTrace returns the calls of a run. The members of requests that vary from run to run don't count; nil: none is known yet, and
// generated ids are called after the places of the answers that gave them.
func newTrace(exchanges []journal.Exchange, varying map[string]bool) trace {
	t := trace{ids: newIDs(), varied: map[string]string{}}
	numbers, gave := map[string]int{}, map[string]int{}
	for i := range exchanges {
		x := &exchanges[i]
		if x.Operation == "" {
			continue
		}
		numbers[x.Operation]++
		r := newRequest(x, t.ids)
		m := made{
			Call:      Call{x.Operation, x.Dialect, numbers[x.Operation], r.key(varying)},
			status:    x.Response.Status,
			changed:   x.Changed,
			requestID: requestID(x),
			request:   r,
		}
		t.vary(r, varying)
		connection := ""
		if x.Fault != nil {
			m.fired, connection = x.Fault.Fired, x.Fault.Connection
			m.taken = x.Fault.AnsweredBy != "" && !ours.MatchString(x.Fault.AnsweredBy)
		}
		code := ""
		if x.Response.Status >= 400 {
			code = contract.ErrorCode([]byte(x.Response.Body))
		}
		m.answer = fmt.Sprintf("%d %s %s %v", x.Response.Status, code, connection, x.Changed)
		after := x.Operation + " " + m.Request
		if varying == nil {
			gave[x.Operation]++
			after = fmt.Sprintf("%s, answer %d", x.Operation, gave[x.Operation])
		}
		t.ids.note(x, after)
		t.calls = append(t.calls, m)
	}
	return t
}

// vary takes note of the values of members that vary: rows of the bank have them, too.
func (t trace) vary(r request, varying map[string]bool) {
	for _, m := range r.members {
		if !varying[r.operation+" "+m.name] {
			continue
		}
		value, _ := decode(m.value)
		text, ok := value.(string)
		if !ok && !strings.HasPrefix(m.name, "body.") { // of a parameter
			text = m.value
		}
		if text != "" {
			t.varied[text] = "(" + m.name + " of " + r.operation + ")"
		}
	}
}

// names returns the calls as a report has them.
func (t trace) names() []string {
	names := make([]string, 0, min(len(t.calls), maxCalls+1))
	for i, m := range t.calls {
		if i == maxCalls {
			return append(names, fmt.Sprintf("and %d more", len(t.calls)-maxCalls))
		}
		names = append(names, m.String())
	}
	return names
}

// maxCalls bounds how many calls of a run a report names.
const maxCalls = 200

// state identifies what came before a call, as the app and the bank saw it: the same calls with the same answers and changes. So
// it stands for the state of the bank, too.
func (t trace) state(before int, failing Call, f Failure) [16]byte {
	return t.identify(before, failing, f, func(m made) string { return m.answer })
}

// roughState is state without the answers: the same calls with the same changes. After them, the bank is in the same state, and the
// app has taken the failures in the same way.
func (t trace) roughState(before int, failing Call, f Failure) [16]byte {
	return t.identify(before, failing, f, func(m made) string { return fmt.Sprint("changed: ", m.changed) })
}

func (t trace) identify(before int, failing Call, f Failure, seen func(made) string) (state [16]byte) {
	h := sha256.New()
	for _, m := range t.calls[:before] {
		_, _ = fmt.Fprintf(h, "%s\n%s\n", m.asked(), seen(m))
	}
	_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n", failing.Operation, failing.Request, f.Name)
	copy(state[:], h.Sum(nil))
	return state
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

// like returns the place of the first call that asks for the same as another one; -1: there is none.
func (t trace) like(other Call) int {
	return slices.IndexFunc(t.calls, func(m made) bool { return m.Operation == other.Operation && m.Request == other.Request })
}

// multiset counts what calls ask for.
func multiset(calls []made) map[string]int {
	counts := map[string]int{}
	for _, m := range calls {
		counts[m.asked()]++
	}
	return counts
}
