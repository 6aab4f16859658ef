package explore

import "fmt"

// baseline is what the undisturbed runs did. Other runs are planned from it and compared with it.
type baseline struct {
	trace             // of the first run
	rows       []row  // of the first run
	difference string // the first difference between the runs, or ""
	varying    varyingMembers
}

// member is a member of an operation's requests.
type member struct{ operation, name string }

// varyingMembers has the members that differ between the undisturbed runs, such as a random name. They are ignored from
// then on.
type varyingMembers map[member]bool

// newBaseline compares two undisturbed runs.
func newBaseline(first, second Observation) baseline {
	one, other := newTrace(first.Exchanges, nil).calls, newTrace(second.Exchanges, nil).calls
	b := baseline{difference: firstDifference(one, other), varying: varyingMembers{}}
	others := map[string]tracedCall{}
	for _, c := range other {
		others[c.Name()] = c
	}
	for _, c := range one {
		if o, ok := others[c.Name()]; ok {
			for _, name := range differing(c.request, o.request) {
				b.varying[member{c.Operation, name}] = true
			}
		}
	}
	b.trace = newTrace(first.Exchanges, b.varying)
	b.rows = newRows(first.Changes, b.trace)
	_, differences := compareRows(b.rows, newRows(second.Changes, newTrace(second.Exchanges, b.varying)))
	if len(differences) > 0 {
		if b.difference != "" {
			b.difference += "; and "
		}
		b.difference += "the ends of the two undisturbed runs differ: " + differences[0] +
			"; so verdicts, which compare with the first of them, may be wrong"
	}
	return b
}

// dialectOf returns the dialect of the calls of an operation or, if there are none, of the first call.
func (b baseline) dialectOf(operation string) string {
	for _, c := range b.calls {
		if c.Operation == operation {
			return c.Dialect
		}
	}
	return b.calls[0].Dialect
}

// firstDifference describes the first call that two runs don't have in common, or returns "" if they are alike.
func firstDifference(one, other []tracedCall) string {
	nameAt := func(calls []tracedCall, i int) string {
		if i >= len(calls) {
			return "no call"
		}
		return calls[i].Name()
	}
	for i := range max(len(one), len(other)) {
		if name, otherName := nameAt(one, i), nameAt(other, i); name != otherName {
			return fmt.Sprintf("call %d: %s in one run, %s in the other", i+1, name, otherName)
		}
		c, o := one[i], other[i]
		if names := differing(c.request, o.request); len(names) > 0 {
			name := names[0]
			return fmt.Sprintf("%s of %s: %s in one run, %s in the other",
				name, c.Name(), c.request.text(name), o.request.text(name))
		}
		if c.status != o.status {
			return fmt.Sprintf("the answer to %s: %d in one run, %d in the other", c.Name(), c.status, o.status)
		}
	}
	return ""
}
