package explore

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxFailures bounds the failures of a run (choice).
const maxFailures = 2

// plan is the list of runs to make, with the numbers of those that are not made.
//
// Each call of the undisturbed run fails in every way that [Failures] returns. A call that only a failed run makes,
// such as a retry, fails in a few ways. Two runs are one if the same calls and changes precede the same failure: if an
// app retries after each of ten failures, its retry fails once and not ten times. If an app calls an operation again
// after its failure, the failure is also planned as one that stays.
type plan struct {
	behavior *sim.Behavior
	only     []string

	runs    []Run
	known   map[string]bool // the states of the runs that takeRuns returned
	matched map[string]bool // the patterns that selected a failure
	same    int             // runs that equal another one
	leftOut int             // runs that a bound or a pattern left out
	ended   string          // the bound that was reached, or ""
}

// add plans the runs that repeat an earlier run and let one more call of its trace fail. The wanted failures are
// planned.
func (p *plan) add(after Run, t trace, c tracedCall, wanted func(Failure) bool) {
	for i, f := range Failures(operationOf(c.Operation, c.Dialect), p.behavior) {
		failing := FailingCall{c.Call, f}
		switch {
		case !wanted(f):
		case c.faulted, f.Then.ExpireToken && !c.bearer: // the failure can't reach the app
			p.same++
		case !p.selects(failing):
			p.leftOut++
		default:
			p.runs = append(p.runs, Run{
				Faults: append(slices.Clip(after.Faults), failing),
				order:  append(slices.Clip(after.order), c.index, i),
				state:  t.state(c, f),
			})
		}
	}
}

// addStaying plans a run of one failure once more, with the failure staying.
func (p *plan) addStaying(r Run) {
	failing := r.Faults[0]
	staying, ok := failing.Failure.staying()
	if ok && len(r.Faults) == 1 {
		p.runs = append(p.runs, Run{
			Faults: []FailingCall{{failing.Call, staying}},
			order:  append(slices.Clip(r.order), -1),
			state:  r.state + stayingSuffix,
		})
	}
}

// follow plans the runs after a run: those calls fail that the undisturbed run doesn't make, and the failure stays.
func (p *plan) follow(r Run, t, undisturbed trace) {
	last := t.lastFired(len(r.Faults) - 1)
	if last < 0 || len(r.Faults) >= maxFailures || r.Faults[0].Failure.Stays {
		return
	}
	isAgain := func(c tracedCall) bool { return c.Operation == t.calls[last].Operation }
	if slices.ContainsFunc(t.calls[last+1:], isAgain) {
		p.addStaying(r)
	}
	for _, c := range subtract(t.calls, undisturbed.calls, tracedCall.asks) {
		if c.index > last {
			p.add(r, t, c, isTypical)
		}
	}
}

// takeRuns removes all planned runs and returns those that equal no other run, in the order of the report.
func (p *plan) takeRuns() []Run {
	runs := p.runs
	p.runs = nil
	slices.SortStableFunc(runs, func(a, b Run) int { return slices.Compare(a.order, b.order) })
	return slices.DeleteFunc(runs, func(r Run) bool {
		known := p.known[r.state]
		p.known[r.state] = true
		if known {
			p.same++
		}
		return known
	})
}

// selects reports whether a pattern selects a failure. A pattern for a failure that stays selects the failure that
// doesn't as well, because its run comes first.
func (p *plan) selects(f FailingCall) bool {
	matches := func(pattern, name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	selected := len(p.only) == 0
	for _, pattern := range p.only {
		call, failure, hasFailure := strings.Cut(pattern, "/")
		named := !hasFailure || matches(failure, f.Failure.Name) || matches(failure, f.Failure.Name+stayingSuffix)
		if named && (matches(call, f.Call.Name()) || matches(call, f.Call.Operation)) {
			selected, p.matched[pattern] = true, true
		}
	}
	return selected
}

// CheckPatterns returns an error for the first pattern that Options.Only can't have.
func CheckPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%s is not a pattern such as %s#1/5*", wording.Quote(pattern), contract.GroupsCreate.Name)
		}
	}
	return nil
}
