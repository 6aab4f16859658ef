package explore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Find returns the run with a name, such as one that a report names: also one that isn't planned yet, because its calls come only
// after other failures. It takes the undisturbed runs for granted.
func (e *Explorer) Find(name string) (Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var r Run
	for part := range strings.SplitSeq(name, "+") {
		a, err := e.aimed(part)
		if err != nil {
			return Run{}, fmt.Errorf("%q is no run: %w", part, err)
		}
		r.Faults = append(r.Faults, a)
	}
	return r, nil
}

// aimed returns the failure of a call with a name.
func (e *Explorer) aimed(name string) (Aimed, error) {
	call, failure, _ := strings.Cut(name, "/")
	operation, number, _ := strings.Cut(call, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || failure == "" {
		return Aimed{}, fmt.Errorf("write a call and its failure, such as %s#1/500_2001, and a + between several", contract.GroupsCreate.Name)
	}
	a := Aimed{Call: Call{Operation: operation, Number: n, Dialect: string(sim.DialectDocument)}}
	for _, m := range e.base.calls {
		a.Call.Dialect = m.Dialect // an app speaks one
	}
	all := e.failuresOf(a.Call)
	if len(all) == 0 {
		return Aimed{}, fmt.Errorf("there is no operation %q", operation)
	}
	var names []string
	for _, a.Failure = range all {
		if a.Failure.Name == failure {
			return a, nil
		}
		names = append(names, a.Failure.Name)
	}
	return Aimed{}, fmt.Errorf("%s can't fail with %q, but with %s", operation, failure, strings.Join(names, ", "))
}
