package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Find returns the run with a name, such as one that a report names: also one that isn't planned yet, because its calls come only
// after other failures. It takes the undisturbed runs for granted.
func (e *Exploration) Find(name string) (Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var r Run
	for _, of := range strings.Split(name, "+") {
		a, err := e.aimed(of, r)
		if err != nil {
			return Run{}, err
		}
		r.Faults = append(r.Faults, a)
		r.place = append(r.place, a.Call.Number, 0)
	}
	return r, nil
}

// aimed returns the failure of a call with a name, after those of a run.
func (e *Exploration) aimed(name string, after Run) (Aimed, error) {
	called, failure, _ := strings.Cut(name, "/")
	operation, number, _ := strings.Cut(called, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || failure == "" {
		return Aimed{}, fmt.Errorf("%q is no run: write a call and its failure, such as groups.create#1/500_2001, and a + between several", name)
	}
	call := Call{Operation: operation, Number: n, Dialect: e.dialectOf(operation)}
	all := e.of(call)
	if len(all) == 0 {
		return Aimed{}, fmt.Errorf("%q is no run: there is no operation %q", name, operation)
	}
	at := slices.IndexFunc(all, func(f Failure) bool { return f.Name == failure })
	if at < 0 {
		names := make([]string, len(all))
		for i, f := range all {
			names[i] = f.Name
		}
		return Aimed{}, fmt.Errorf("%q is no run: %s can't fail with %q, but with %s", name, operation, failure, strings.Join(names, ", "))
	}
	a := Aimed{Call: call, Failure: all[at]}
	for i, m := range e.base.trace.calls {
		if m.Operation == operation && m.Number == n {
			a.Call.Request, a.when = m.Request, e.base.when(after, e.base.trace, i)
		}
	}
	return a, nil
}

// dialectOf returns the dialect that the app calls an operation in, or all.
func (e *Exploration) dialectOf(operation string) string {
	calls := e.base.trace.calls
	if at := slices.IndexFunc(calls, func(m made) bool { return m.Operation == operation }); at >= 0 {
		return calls[at].Dialect
	}
	if len(calls) > 0 {
		return calls[0].Dialect
	}
	return string(sim.DialectDocument)
}
