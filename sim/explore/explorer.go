// Package explore lets calls of the bank fail, one by one, while an app's test runs. It plans the runs, and judges each
// by the bank's journal and rows. It runs nothing itself: package testkit and the command banksim explore do. Start at
// [Explorer].
package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Options bound an exploration and decide what counts as a finding.
type Options struct {
	Name     string        // of the test or the command
	Behavior *sim.Behavior // of the banks, or nil for the default
	MaxRuns  int           // including the two undisturbed runs, or 0 for DefaultMaxRuns
	Time     time.Duration // after which no run begins, or 0 for any time; it includes the undisturbed runs

	// AllOrNothing makes the verdicts HalfDone and DoneTwice findings. The undisturbed run has to change something
	// then.
	AllOrNothing bool
	// MayFail is for commands: their exit code reports a failure. A run that ends with Failed is no finding then. A run
	// that ends with Passed is a finding if the bank is not as after the undisturbed run.
	MayFail bool
	// Only selects the failures that match one of these patterns of package path. A pattern is for an operation or a
	// call, with or without a failure, such as groups.*, groups.create#1 or */5*. By default all failures are selected.
	Only []string
	// Reproduce returns the command that repeats the run of this name, or is nil if there is no such command.
	Reproduce func(run string) string
}

// DefaultMaxRuns bounds the runs of an exploration whose options don't.
const DefaultMaxRuns = 1000

// undisturbedRuns is how many runs come before the first failure.
const undisturbedRuns = 2

// Explorer plans and judges the runs of one test. Call Next for runs, and Done or Skip for each of them, until Next
// returns no more. Several goroutines may use an Explorer.
type Explorer struct {
	options  Options
	began    time.Time
	baseline baseline

	mu      sync.Mutex
	plan    plan
	results []Result
}

// New returns an Explorer that plans from two undisturbed runs. It fails if nothing can be learned from them.
func New(o Options, first, second Observation) (*Explorer, error) {
	for _, undisturbed := range []Observation{first, second} {
		if err := checkUndisturbed(undisturbed, o.AllOrNothing); err != nil {
			return nil, fmt.Errorf("without a failure of the bank, %w", err)
		}
	}
	o.MaxRuns = cmp.Or(o.MaxRuns, DefaultMaxRuns)
	e := &Explorer{
		options: o, began: time.Now().Add(-first.Took - second.Took), baseline: newBaseline(first, second),
		plan: plan{behavior: o.Behavior, only: o.Only, known: map[string]bool{}, matched: map[string]bool{}},
	}
	for _, c := range e.baseline.calls {
		e.plan.add(Run{}, e.baseline.trace, c, func(Failure) bool { return true })
	}
	return e, nil
}

// Next returns the runs to make next, in any order or at once. It returns an empty list when the exploration is over.
// Every run that it returned before must be done or skipped.
func (e *Explorer) Next() []Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := e.plan.takeRuns()
	room := max(e.options.MaxRuns-undisturbedRuns-len(e.results), 0)
	if e.Over() {
		room = 0
	}
	if more := len(runs) - room; more > 0 {
		runs = runs[:room]
		e.endEarly(more)
	}
	return runs
}

// endEarly leaves out runs because the exploration has reached a bound.
func (e *Explorer) endEarly(runs int) {
	e.plan.leftOut += runs
	e.plan.ended = fmt.Sprintf("the bound of %d runs was reached", e.options.MaxRuns)
	if e.Over() {
		e.plan.ended = fmt.Sprintf("the time of %s was over", e.options.Time)
	}
}

// Over reports whether the time of the exploration is over. Runs that have not begun must be skipped then.
func (e *Explorer) Over() bool {
	return e.options.Time > 0 && time.Since(e.began) >= e.options.Time
}

// Done judges a run that Next or Find returned.
func (e *Explorer) Done(r Run, o Observation) Result {
	t := newTrace(o.Exchanges, e.baseline.varying)
	result := e.judge(r, o, t)
	e.mu.Lock()
	defer e.mu.Unlock()
	isSame := func(earlier Result) bool { return result.cause != "" && earlier.cause == result.cause }
	if i := slices.IndexFunc(e.results, isSame); i >= 0 {
		result.SameAs = e.results[i].Name
	}
	e.results = append(e.results, result)
	if len(result.Findings) == 0 && o.Ended != Hung { // else the same would be found again and again
		e.plan.follow(r, t, e.baseline.trace)
	}
	return result
}

// Skip notes that a run is not made, for example because go test -run leaves it out. It plans the same failure as one
// that stays, because go test -run may select that run.
func (e *Explorer) Skip(r Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Over() {
		e.endEarly(1)
		return
	}
	e.plan.leftOut++
	e.plan.addStaying(r)
}

// Report returns what the exploration has found so far.
func (e *Explorer) Report() Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := Report{
		Name: e.options.Name, Calls: []string{}, NotDeterministic: e.baseline.difference,
		Results: slices.Clone(e.results), Runs: undisturbedRuns + len(e.results), SameAsAnother: e.plan.same,
		LeftOut: e.plan.leftOut, Ended: e.plan.ended, Took: time.Since(e.began),
	}
	for _, c := range e.baseline.calls {
		r.Calls = append(r.Calls, c.Name())
		if !c.accepted() {
			r.Refused = append(r.Refused, c.String())
		}
	}
	r.sort()
	return r
}

// EmptyReason says why the exploration says nothing about the app, or names a pattern that selected no failure. It
// returns "" if neither is so.
func (e *Explorer) EmptyReason() string {
	r := e.Report()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, pattern := range e.options.Only {
		if !e.plan.matched[pattern] && r.Ended == "" {
			return fmt.Sprintf("%s selects no failure of the calls %s",
				wording.Quote(pattern), strings.Join(r.Calls, ", "))
		}
	}
	switch {
	case len(r.Results) == 0:
		return "no run with a failure was made: " + cmp.Or(r.Ended, "all of them were skipped")
	case !slices.ContainsFunc(r.Results, func(result Result) bool { return result.Reaction != NotReached }):
		return fmt.Sprintf("none of the %d failures reached the app: it did not make the calls, "+
			"or it removed the faults of its bank", len(r.Results))
	}
	return ""
}
