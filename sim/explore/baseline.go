package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// baseline is what the undisturbed runs came to: what other runs are planned from and compared with.
type baseline struct {
	trace   trace
	end     end
	varying map[string]bool // the operations and members of requests that differ between the two
	// byRequest are the operations whose calls are found by what they ask for, as their order differs.
	byRequest map[string]bool
	loose     loose
	notSame   string // the first difference between the two; empty: there is none
}

// newBaseline compares two undisturbed runs. The first is the one that others are compared with.
func newBaseline(first, second Observation) baseline {
	one, other := newTrace(first.Exchanges, nil), newTrace(second.Exchanges, nil)
	b := baseline{varying: varying(one, other), byRequest: map[string]bool{}, notSame: firstDifference(one, other)}
	b.trace = newTrace(first.Exchanges, b.varying)
	other = newTrace(second.Exchanges, b.varying)
	if b.notSame != "" {
		b.match(other)
	}
	b.compareEnds(first.Changes, second.Changes, other)
	return b
}

// compareEnds finds the members of rows that differ between the ends of the two runs, and says which end others are compared with
// where that isn't all that differs.
func (b *baseline) compareEnds(first, second []Change, other trace) {
	b.end = newEnd(first, b.trace, nil)
	otherEnd := newEnd(second, other, nil)
	differs := compare(b.end, otherEnd).differences
	if len(differs) == 0 {
		return
	}
	b.loose = newLoose(b.end, otherEnd)
	b.end = newEnd(first, b.trace, b.loose)
	text := "the ends of the two undisturbed runs differ: " + differs[0]
	if rest := compare(b.end, newEnd(second, other, b.loose)).differences; len(rest) > 0 {
		text = "the ends of the two undisturbed runs differ: " + rest[0] + "; so verdicts, which compare with the first of them, may be wrong"
	} else if b.notSame != "" { // which is why
		return
	}
	if b.notSame != "" {
		b.notSame += "; and "
	}
	b.notSame += text
}

// match finds the operations whose calls may come in another order, as soon as any calls do in the other run, and says how they are
// found.
func (b *baseline) match(other trace) {
	sequence := func(t trace) (asked []string) {
		for _, m := range t.calls {
			asked = append(asked, m.asked())
		}
		return asked
	}
	inOrder := slices.Equal(sequence(b.trace), sequence(other))
	first := map[string]string{} // what the first call of an operation asks for
	for _, m := range b.trace.calls {
		if first[m.Operation] == "" {
			first[m.Operation] = m.asked()
		}
		if !inOrder && first[m.Operation] != m.asked() {
			b.byRequest[m.Operation] = true
		}
	}
	var byOrder []string
	for i, m := range b.trace.calls {
		if b.byRequest[m.Operation] && !slices.Contains(byOrder, m.Operation) && b.when(Run{}, b.trace, i) == nil {
			byOrder = append(byOrder, m.Operation)
		}
	}
	by := "number"
	if len(b.byRequest) > len(byOrder) {
		by = "request"
	}
	b.notSame += "; so calls are found by operation and " + by
	if len(byOrder) > 0 && by == "request" {
		b.notSame += ", and those of " + strings.Join(byOrder, ", ") + ", whose requests can't be told apart, by number"
	}
}

// firstDifference says in a sentence in which call two runs differ first; empty: in none.
func firstDifference(one, other trace) string {
	for i, m := range one.calls {
		if i == len(other.calls) {
			return fmt.Sprintf("call %d: %s in one run, no call in the other", i+1, m.Operation)
		}
		o := other.calls[i]
		if m.Operation != o.Operation {
			return fmt.Sprintf("call %d: %s in one run, %s in the other", i+1, m.Operation, o.Operation)
		}
		if m.Dialect != o.Dialect {
			return fmt.Sprintf("call %d: %s in the dialect %s in one run, in %s in the other", i+1, m.Operation, m.Dialect, o.Dialect)
		}
		if name, value, otherValue := m.request.differs(o.request); name != "" {
			return fmt.Sprintf("%s differs%s: %s in one run, %s in the other", ofCall(m, name), inMember(name), short(value), short(otherValue))
		}
		if m.status != o.status {
			return fmt.Sprintf("the answer to %s differs: %d in one run, %d in the other", m.Name(), m.status, o.status)
		}
	}
	if n := len(one.calls); n < len(other.calls) {
		return fmt.Sprintf("call %d: no call in one run, %s in the other", n+1, other.calls[n].Operation)
	}
	return ""
}

// ofCall names the part of a call that a member is in.
func ofCall(m made, name string) string {
	part, _, _ := strings.Cut(name, ".")
	return "the " + part + " of " + m.Name()
}

func inMember(name string) string {
	if _, of, ok := strings.Cut(name, "."); ok {
		return " in member " + of
	}
	return ""
}

// short returns a text that isn't too long to be read.
func short(text string) string {
	const longest = 200
	if characters := []rune(text); len(characters) > longest {
		return string(characters[:longest]) + "…"
	}
	return text
}

// varying returns the members of requests that differ between two runs, each after its operation. Calls are compared that ask for the
// same otherwise, or come at the same place among those of their operation.
func varying(one, other trace) map[string]bool {
	found := map[string]bool{}
	open := map[string][]made{} // calls of the other run by operation
	for _, m := range other.calls {
		open[m.Operation] = append(open[m.Operation], m)
	}
	var rest []made
	for _, m := range one.calls {
		same := slices.IndexFunc(open[m.Operation], func(o made) bool { return o.asked() == m.asked() })
		if same < 0 {
			rest = append(rest, m)
			continue
		}
		open[m.Operation] = slices.Delete(open[m.Operation], same, same+1)
	}
	for _, m := range rest {
		if len(open[m.Operation]) == 0 {
			continue
		}
		o := open[m.Operation][0]
		open[m.Operation] = open[m.Operation][1:]
		for name := range m.request.membersApart(o.request) {
			found[m.Operation+" "+name] = true
		}
	}
	return found
}

// when returns the conditions under which a call of a run is found where its number isn't enough; nil: it is, or nothing else
// tells the call from others.
func (b *baseline) when(after Run, t trace, at int) *fault.When {
	m := t.calls[at]
	if !b.byRequest[m.Operation] {
		return nil
	}
	var others []request
	for _, other := range t.calls {
		if other.Operation == m.Operation {
			others = append(others, other.request)
		}
	}
	like, names := m.request.conditions(b.varying, others)
	if like == nil {
		return nil
	}
	nth := 0
	for _, earlier := range t.calls[:at+1] {
		if earlier.Operation == m.Operation && earlier.request.agrees(m.request, names) {
			nth++
		}
	}
	return &fault.When{Nth: nth, Request: like}
}
