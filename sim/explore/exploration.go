package explore

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Options bound an exploration.
type Options struct {
	Name      string        // of the test or the command
	Behavior  *sim.Behavior // of the banks; nil: the default
	MaxRuns   int           // 0: DefaultMaxRuns; the undisturbed ones count
	MaxFaults int           // failures in one run; 0: 1. Calls that only a failed run makes are explored whatever it says.
	Time      time.Duration // for the whole; 0: none
	// AllOrNothing makes the verdicts HalfDone and DoneTwice findings.
	AllOrNothing bool
	// MayFail lets a run end with Failed without that being a finding, where that is how an app reports a failure, such as a
	// command by its exit code.
	MayFail bool
	// Select limits the failures that are explored; nil: all.
	Select func(Aimed) bool
}

// DefaultMaxRuns is how many runs an exploration has at most, if its options don't say.
const DefaultMaxRuns = 1000

// maxDepth is how many failures a run has at most, however many calls only failed runs make (choice).
const maxDepth = 3

// Exploration is the exploration of a test. Its methods may be called by several goroutines.
type Exploration struct {
	options Options
	began   time.Time

	mu       sync.Mutex
	base     baseline
	notSame  string               // the first difference between the undisturbed runs
	failures map[string][]Failure // of operations in their dialects
	wave     wave                 // to make next
	states   map[[16]byte]bool    // of all runs that were planned
	results  []placed
	runs     int
	skipped  int // of those that Next returned last
	same     int
	leftOut  int
	ended    string
	over     time.Duration // how long it took, once it is over
}

// placed is a result at its place in the report.
type placed struct {
	place []int
	Result
}

// New begins an exploration.
func New(o Options) *Exploration {
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	o.MaxFaults = max(o.MaxFaults, 1)
	return &Exploration{options: o, began: time.Now(), failures: map[string][]Failure{}, states: map[[16]byte]bool{}}
}

// Undisturbed takes two undisturbed runs, from which the exploration is planned. It fails if one didn't pass, or made no
// call.
func (e *Exploration) Undisturbed(first, second Observation) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs += 2
	for i, o := range []Observation{first, second} {
		switch {
		case o.Ended == Hung:
			return fmt.Errorf("undisturbed run %d didn't end in its time: give it more, or look what it waits for", i+1)
		case o.Ended != Passed:
			return fmt.Errorf("undisturbed run %d %s: %s", i+1, o.Ended, o.Message)
		}
	}
	e.base = newBaseline(first, second)
	if len(e.base.trace.calls) == 0 {
		return errors.New("the undisturbed run made no call to the bank: give the app the base URL of its bank")
	}
	e.notSame = e.base.notSame
	for i := range e.base.trace.calls {
		e.plan(Run{}, e.base.trace, i, e.of(e.base.trace.calls[i].Call))
	}
	return nil
}

// of returns the failures of the operation of a call.
func (e *Exploration) of(c Call) []Failure {
	key := c.Dialect + " " + c.Operation
	if all, ok := e.failures[key]; ok {
		return all
	}
	var all []Failure
	if op, ok := contract.FindIn(c.Operation, sim.Dialect(c.Dialect)); ok {
		all = Failures(op, e.options.Behavior)
	}
	e.failures[key] = all
	return all
}

// plan plans the runs in which a call of a run that was made fails, after the failures of that run.
func (e *Exploration) plan(after Run, t trace, at int, all []Failure) {
	call := t.calls[at].Call
	if t.calls[at].taken {
		e.same += len(all)
		return
	}
	known := e.of(call)
	for _, f := range all {
		a := Aimed{Call: call, Failure: f, when: e.base.when(after, t, at)}
		if e.options.Select != nil && !e.options.Select(a) {
			e.leftOut++
			continue
		}
		place := slices.IndexFunc(known, func(other Failure) bool { return other.Name == f.Name })
		e.wave.add(Run{
			Faults: append(slices.Clip(after.Faults), a),
			place:  append(slices.Clip(after.place), at, place),
			state:  t.state(at, call, f),
		}, e.options.MaxRuns-e.runs, e.states)
	}
}

// Next returns the runs to make next, which may be made at once; none: the exploration is over. The runs that were returned
// before have to be done.
func (e *Exploration) Next() []Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs, e.leftOut, e.skipped = e.runs-e.skipped, e.leftOut+e.skipped, 0
	room := e.options.MaxRuns - e.runs
	if e.timeIsOver() {
		room = 0
	}
	e.wave.compact(room, e.states)
	next, planned := e.wave.runs, e.wave.planned
	if rest := planned - len(next); e.wave.cut {
		e.leftOut += rest
		e.noteBound()
	} else {
		e.same += rest
	}
	for _, r := range next {
		e.states[r.state] = true
	}
	e.runs += len(next)
	e.wave = wave{}
	if len(next) == 0 && e.over == 0 {
		e.over = time.Since(e.began)
	}
	return next
}

// noteBound notes which bound ended the exploration.
func (e *Exploration) noteBound() {
	if e.timeIsOver() {
		e.ended = fmt.Sprintf("the time of %s was over", e.options.Time)
		return
	}
	e.ended = fmt.Sprintf("the bound of %d runs was reached", e.options.MaxRuns)
}

func (e *Exploration) timeIsOver() bool {
	return e.options.Time > 0 && time.Since(e.began) >= e.options.Time
}

// Over reports whether the time for the whole is over, so that runs that were not begun are to be skipped.
func (e *Exploration) Over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timeIsOver() {
		e.noteBound()
		return true
	}
	return false
}

// Done takes what a run came to, and judges it.
func (e *Exploration) Done(r Run, o Observation) Result {
	t := newTrace(o.Exchanges, e.base.varying)
	result := e.judge(r, o, t)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.results = append(e.results, placed{r.place, result})
	if len(result.Findings) == 0 {
		e.goOn(r, o, t)
	}
	return result
}

// goOn plans what comes after a run in which nothing is wrong: one that has findings is to be mended first, and would only give the same
// ones again and again. It plans the runs
// in which calls fail besides that the undisturbed run doesn't make, and any calls as long as there may be more failures.
func (e *Exploration) goOn(r Run, o Observation, t trace) {
	last := t.fired(ruleName(len(r.Faults) - 1))
	if last < 0 || o.Ended == Hung || len(r.Faults) >= max(maxDepth, e.options.MaxFaults) {
		return
	}
	usual := multiset(e.base.trace.calls)
	for i, m := range t.calls {
		usual[m.asked()]--
		switch isNew := usual[m.asked()] < 0; {
		case i <= last:
		case len(r.Faults) < e.options.MaxFaults:
			e.plan(r, t, i, e.of(m.Call))
		case isNew && len(r.Faults) < maxDepth:
			e.plan(r, t, i, few(e.of(m.Call)))
		}
	}
}

// Skipped takes note of a run that isn't made, such as one that go test -run leaves out.
func (e *Exploration) Skipped(r Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.skipped++
}

// Report returns what was found so far.
func (e *Exploration) Report() Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	sorted := slices.Clone(e.results)
	slices.SortStableFunc(sorted, func(a, b placed) int { return slices.Compare(a.place, b.place) })
	r := Report{
		Format: ReportFormat, Name: e.options.Name, Calls: []string{}, NotDeterministic: e.notSame, Results: make([]Result, len(sorted)),
		Runs: e.runs - e.skipped, SameAsAnother: e.same, LeftOut: e.leftOut + e.skipped, Ended: e.ended, Took: e.over,
	}
	for i, p := range sorted {
		r.Results[i] = p.Result
	}
	for _, m := range e.base.trace.calls {
		r.Calls = append(r.Calls, m.Name())
	}
	if r.Took == 0 {
		r.Took = time.Since(e.began)
	}
	return r
}
