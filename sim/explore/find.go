package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Find returns the run with a name, such as one that a report names: also one that isn't planned yet, because its calls come only
// after other failures. It takes the undisturbed runs for granted.
func (e *Exploration) Find(name string) (Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var r Run
	for _, of := range strings.Split(name, "+") {
		a, place, err := e.aimed(of, r)
		if err != nil {
			return Run{}, err
		}
		r.Faults, r.place = append(r.Faults, a), append(r.place, place...)
	}
	return r, nil
}

// aimed returns the failure of a call with a name, after those of a run, and its place.
func (e *Exploration) aimed(name string, after Run) (a Aimed, place []int, err error) {
	called, failure, _ := strings.Cut(name, "/")
	operation, number, _ := strings.Cut(called, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || failure == "" {
		return Aimed{}, nil, fmt.Errorf("%q is no run: write a call and its failure, such as %s#1/500_2001, and a + between several", name, contract.GroupsCreate.Name)
	}
	call := Call{Operation: operation, Number: n, Dialect: e.dialectOf(operation)}
	all := e.of(call)
	if len(all) == 0 {
		return Aimed{}, nil, fmt.Errorf("%q is no run: there is no operation %q", name, operation)
	}
	at := slices.IndexFunc(all, func(f Failure) bool { return f.Name == failure })
	if at < 0 {
		names := make([]string, len(all))
		for i, f := range all {
			names[i] = f.Name
		}
		return Aimed{}, nil, fmt.Errorf("%q is no run: %s can't fail with %q, but with %s", name, operation, failure, strings.Join(names, ", "))
	}
	a, place = Aimed{Call: call, Failure: all[at]}, []int{len(e.base.trace.calls) + n, at} // after all that the undisturbed run makes
	for i, m := range e.base.trace.calls {
		if m.Operation == operation && m.Number == n {
			a.Call.Request, a.when, place[0] = m.Request, e.base.when(after, e.base.trace, i), i
		}
	}
	return a, place, nil
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
