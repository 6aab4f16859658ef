package explore

import (
	"errors"
	"fmt"
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
