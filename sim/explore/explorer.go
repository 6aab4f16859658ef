// Package explore plans the runs of an app's test in which one call of the bank fails after the other, in each way that the
// contract lists for it, and judges by the bank's own journal and rows what the app did then and what it left behind. It runs
// nothing itself: package testkit and the command banksim explore do. Start at Explorer.
//
// An exploration begins with two undisturbed runs. If they differ, the test is called not deterministic. Each call of the first is
// then made to fail in each of the ways that [Failures] returns. What a failed run does that the undisturbed one doesn't, such as
// a retry, fails in turn, in a few ways. Where the same calls with the same changes came before, that is done once: an app that
// retries after each of ten failures isn't asked ten times what it does if that fails, too. An app that makes further calls of an
// operation after a failure meets that failure once more, as one that stays.
//
// Two ends are compared as multisets of rows that differ from the start, in which ids, tokens and times don't count: ids and
// tokens depend on how often the bank drew.
package explore

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Options bound an exploration.
type Options struct {
	Name     string        // of the test or the command
	Behavior *sim.Behavior // of the banks; nil: the default
	MaxRuns  int           // 0: DefaultMaxRuns; the undisturbed ones count
	Time     time.Duration // for the whole; 0: none
	// AllOrNothing makes the verdicts HalfDone and DoneTwice findings.
	AllOrNothing bool
	// MayFail is for commands, which report a failure by their exit codes: to end with Failed is no finding. But to end with
	// Passed says that what it did has worked, so the bank must say so, too.
	MayFail bool
	// Only has patterns of the failures that are explored, as package path has them: an operation or a call, with or without a
	// failure, such as groups.*, groups.create#1 or */5*. None: all.
	Only []string
	// Again returns the command that makes the run of a name alone; nil: there is none.
	Again func(run string) string
}

// DefaultMaxRuns is how many runs an exploration has at most, if its options don't say.
const DefaultMaxRuns = 1000

// maxDepth is how many failures a run has at most, however many calls only failed runs make (choice).
const maxDepth = 3

// Explorer plans and judges the runs of one test. Its methods may be called by several goroutines.
type Explorer struct {
	options Options
	began   time.Time

	mu      sync.Mutex
	base    baseline
	planned []Run           // to be returned by Next
	states  map[string]bool // of all runs that Next returned
	matched map[string]bool // the patterns that have selected a failure
	results []Result
	same    int
	leftOut int
	ended   string
}

// New begins an exploration.
func New(o Options) *Explorer {
	o.MaxRuns = cmp.Or(o.MaxRuns, DefaultMaxRuns)
	return &Explorer{options: o, began: time.Now(), states: map[string]bool{}, matched: map[string]bool{}}
}

// Undisturbed takes two undisturbed runs, from which the exploration is planned. It fails if nothing can be explored after one.
func (e *Explorer) Undisturbed(first, second Observation) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range []Observation{first, second} {
		if err := usable(o); err != nil {
			return fmt.Errorf("without a failure of the bank, %w", err)
		}
	}
	e.base = newBaseline(first, second)
	for _, m := range e.base.calls {
		e.plan(Run{}, e.base.trace, m, func(Failure) bool { return true })
	}
	return nil
}

// failuresOf returns the failures of the operation of a call.
func (e *Explorer) failuresOf(c Call) []Failure {
	op := contract.In(sim.Dialect(c.Dialect)).Operation(c.Operation)
	if op == nil {
		return nil
	}
	return Failures(op, e.options.Behavior)
}

// plan plans the runs in which a call of a run that was made fails in some ways, after the failures of that run.
func (e *Explorer) plan(after Run, t trace, m made, some func(Failure) bool) {
	for i, f := range e.failuresOf(m.Call) {
		a := Aimed{Call: m.Call, Failure: f}
		switch {
		case !some(f):
		case m.taken, f.Then.ExpireToken && !m.bearer:
			e.same++
		case !e.selects(a):
			e.leftOut++
		default:
			e.planned = append(e.planned, Run{
				Faults: append(slices.Clip(after.Faults), a),
				place:  append(slices.Clip(after.place), m.place, i),
				state:  t.state(m, f),
			})
		}
	}
}

// stay plans a run once more, in which its only failure stays.
func (e *Explorer) stay(r Run) {
	a, ok := r.Faults[0], false
	if a.Failure, ok = a.Failure.staying(); ok && len(r.Faults) == 1 {
		e.planned = append(e.planned, Run{Faults: []Aimed{a}, place: append(slices.Clip(r.place), -1), state: r.state + staysSuffix})
	}
}

// selects reports whether a failure is to be explored. A pattern for one that stays selects the one that doesn't, too: it comes first.
func (e *Explorer) selects(a Aimed) bool {
	matches := func(pattern, name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	selected := len(e.options.Only) == 0
	for _, pattern := range e.options.Only {
		call, failure, both := strings.Cut(pattern, "/")
		named := !both || matches(failure, a.Failure.Name) || matches(failure, a.Failure.Name+staysSuffix)
		if named && (matches(call, a.Call.Name()) || matches(call, a.Call.Operation)) {
			selected, e.matched[pattern] = true, true
		}
	}
	return selected
}

// CheckPatterns returns an error for the first of the patterns of Options.Only that is none.
func CheckPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%s is not a pattern such as %s#1/5*", phrase.Quote(pattern), contract.GroupsCreate.Name)
		}
	}
	return nil
}

// Next returns the runs to make next, which may be made at once; none: the exploration is over. The runs that were returned
// before have to be done or skipped.
func (e *Explorer) Next() []Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := e.planned
	e.planned = nil
	slices.SortStableFunc(runs, func(a, b Run) int { return slices.Compare(a.place, b.place) })
	runs = slices.DeleteFunc(runs, func(r Run) bool {
		same := e.states[r.state]
		e.states[r.state] = true
		if same {
			e.same++
		}
		return same
	})
	room := max(e.options.MaxRuns-undisturbedRuns-len(e.results), 0)
	if e.Over() {
		room = 0
	}
	if more := len(runs) - room; more > 0 {
		e.leftOut += more
		runs = runs[:room]
		e.noteBound()
	}
	return runs
}

// undisturbedRuns is how many runs come first.
const undisturbedRuns = 2

// noteBound notes which bound ended the exploration.
func (e *Explorer) noteBound() {
	e.ended = fmt.Sprintf("the bound of %d runs was reached", e.options.MaxRuns)
	if e.Over() {
		e.ended = fmt.Sprintf("the time of %s was over", e.options.Time)
	}
}

// Over reports whether the time for the whole is over, so that runs that were not begun are to be skipped.
func (e *Explorer) Over() bool {
	return e.options.Time > 0 && time.Since(e.began) >= e.options.Time
}

// Done takes what a run came to, and judges it. The run is one that Next or Find returned.
func (e *Explorer) Done(r Run, o Observation) Result {
	t := newTrace(o.Exchanges, e.base.varying)
	result := e.judge(r, o, t)
	e.mu.Lock()
	defer e.mu.Unlock()
	isSame := func(earlier Result) bool { return result.cause != "" && earlier.cause == result.cause }
	if i := slices.IndexFunc(e.results, isSame); i >= 0 {
		result.SameAs = e.results[i].Name
	}
	e.results = append(e.results, result)
	if len(result.Findings) == 0 && o.Ended != Hung {
		e.goOn(r, t)
	}
	return result
}

// goOn plans what comes after a run in which nothing is wrong: calls fail in turn that the undisturbed run doesn't make, and the
// failure stays, if the app makes further calls of its operation. A run that has findings is to be mended first, and would only give the
// same ones again and again.
func (e *Explorer) goOn(r Run, t trace) {
	last := t.fired(ruleName(len(r.Faults) - 1))
	if last < 0 || len(r.Faults) >= maxDepth || r.Faults[0].Failure.Stays {
		return
	}
	if slices.ContainsFunc(t.calls[last+1:], func(m made) bool { return m.Operation == t.calls[last].Operation }) {
		e.stay(r)
	}
	for _, m := range subtract(t.calls, e.base.calls, made.asked) {
		if m.place > last {
			e.plan(r, t, m, standsForOthers)
		}
	}
}

// Skipped takes note of a run that isn't made, such as one that go test -run leaves out. It may select the one whose failure stays.
func (e *Explorer) Skipped(r Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leftOut++
	if e.Over() {
		e.noteBound()
	} else {
		e.stay(r)
	}
}

// Report returns what was found so far.
func (e *Explorer) Report() Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := Report{
		Name: e.options.Name, Calls: []string{}, NotDeterministic: e.base.differs, Results: slices.Clone(e.results),
		Runs: undisturbedRuns + len(e.results), SameAsAnother: e.same, LeftOut: e.leftOut, Ended: e.ended, Took: time.Since(e.began),
	}
	slices.SortStableFunc(r.Results, func(a, b Result) int { return slices.Compare(a.place, b.place) })
	shortest := map[string]string{}
	for depth := range maxDepth {
		for i, result := range r.Results {
			if result.cause != "" && len(result.Faults) == depth+1 {
				r.Results[i].SameAs = shortest[result.cause]
				shortest[result.cause] = cmp.Or(shortest[result.cause], result.Name)
			}
		}
	}
	for _, m := range e.base.calls {
		r.Calls = append(r.Calls, m.Name())
	}
	return r
}

// Find returns the run with a name, such as one that a report names: also one that isn't planned yet, because its calls come only
// after other failures. It takes the undisturbed runs for granted.
func (e *Explorer) Find(name string) (Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var r Run
	for part := range strings.SplitSeq(name, "+") {
		a, err := e.aimed(part)
		if err != nil {
			return Run{}, fmt.Errorf("%s is no run: %w", phrase.Quote(part), err)
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
		return Aimed{}, fmt.Errorf("write calls and their failures, joined by +, such as %s#1/500_2001", contract.GroupsCreate.Name)
	}
	a := Aimed{Call: Call{Operation: operation, Number: n, Dialect: string(sim.DialectDocument)}}
	for _, m := range e.base.calls {
		a.Call.Dialect = m.Dialect // an app speaks one
	}
	all := e.failuresOf(a.Call)
	if len(all) == 0 {
		return Aimed{}, fmt.Errorf("there is no operation %s", phrase.Quote(operation))
	}
	var names []string
	for _, a.Failure = range all {
		names = append(names, a.Failure.Name)
		if staying, ok := a.Failure.staying(); ok && staying.Name == failure {
			a.Failure = staying
		}
		if a.Failure.Name == failure {
			return a, nil
		}
	}
	return Aimed{}, fmt.Errorf("%s can't fail with %s, but with %s",
		operation, phrase.Quote(failure), strings.Join(names, ", "))
}
