package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Explore finds out what an app does when the bank fails. It runs a test undisturbed and notes the calls that it makes.
// Then it runs the test once more for each call and each way to fail. Each run is a subtest with a bank of its own,
// such as groups.create#1/500_2001 (an error), …/reset (the connection), …/timeout, …/answer-lost-after-commit. Calls
// that the app makes only after a failure, such as a retry, fail in turn:
// groups.create#1/reset/groups.create#2/500_2001.
//
//	func TestSignUp(t *testing.T) {
//		testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
//			app := NewApp(run.BaseURL(), run.Token())
//			err := app.SignUp("1003")
//			run.Outcome(err)
//			if run.Failure == nil {
//				require.NoError(t, err)
//			}
//		}, testkit.RequireAllOrNothing())
//	}
//
// The bank judges each run by its own journal and rows: whether the change was completed, nothing happened, or it was
// left half done, or done twice ([RequireAllOrNothing], [Invariant]). A subtest fails with such a finding, with an
// assertion of the test, with a panic, and if the app hangs ([EachWithin]). It logs how to reproduce it alone. A subtest
// whose failure did not reach the app is skipped. If the environment variable BANKSIM_EXPLORE_REPORT names a directory,
// the exploration writes a report there: a page, JSON and JUnit XML.
//
// The test function runs many times, several times at once, and has to use the bank of its run alone. It begins with
// what the bank is to be like (such as [Bank.PatchUser]), and then calls the app. It must not call t.Parallel,
// t.Setenv, t.Chdir or t.Run. What it registers with t.Cleanup comes after the bank has judged. It must not take the
// failure or the journal away by [Bank.Reset] or [Bank.ClearFaults].
func Explore(t *testing.T, test func(t *testing.T, run *Run), opts ...Option) {
	t.Helper()
	s, err := settle(opts)
	if err == nil && test == nil {
		err = errors.New("the test function is nil")
	}
	if err != nil {
		t.Fatalf("testkit: Explore: %v", err)
	}
	x := &exploration{
		exploreSettings: s.explore, banks: s, test: test, name: t.Name(),
		slots: make(chan struct{}, s.explore.atOnce), ending: make(chan struct{}),
	}
	x.explore(t)
}

// Run is a run of an exploration, with a bank of its own.
type Run struct {
	*Bank
	// Failure is how a call fails in this run, so that the test can expect what the app then does. It is nil in the
	// undisturbed runs.
	Failure *Failure

	succeeded *atomic.Bool // what Outcome says
}

// exploration is the exploration of a test.
type exploration struct {
	exploreSettings
	*explore.Explorer
	banks    settings
	test     func(*testing.T, *Run)
	name     string
	behavior *sim.Behavior // of the banks

	deselected atomic.Bool // whether go test -run has left out a run

	slots   chan struct{} // one for each run that is being made
	ending  chan struct{} // closed when all runs were judged
	running sync.WaitGroup
}

// explore makes all runs.
func (x *exploration) explore(t *testing.T) {
	t.Helper()
	limit := max(time.Until(x.end(t)), 1)
	first, second := x.undisturbed(t), x.undisturbed(t)
	var err error
	x.Explorer, err = explore.New(explore.Options{
		Name: x.name, Behavior: x.behavior, MaxRuns: x.maxRuns, Time: limit, AllOrNothing: x.allOrNothing,
		Only: x.patterns, Reproduce: func(run string) string { return reproduction(x.name, run) },
	}, first, second)
	if err != nil {
		t.Fatalf("testkit: Explore: %v", err)
	}
	for runs := x.Next(); len(runs) > 0; runs = x.Next() {
		x.wave(t, runs)
	}
	close(x.ending)
	x.running.Wait()
	x.conclude(t)
}

// end returns when the exploration has to end: in its time, and so long before the test binary is stopped that the last runs end
// before.
func (x *exploration) end(t *testing.T) time.Time {
	end := time.Now().Add(x.within)
	if deadline, ok := t.Deadline(); ok {
		if deadline = deadline.Add(-x.eachWithin - 2*grace); deadline.Before(end) {
			end = deadline
		}
	}
	return end
}

// undisturbed makes a run without a failure, in the test itself: so it is made as well if go test -run selects a single subtest.
func (x *exploration) undisturbed(t *testing.T) explore.Observation {
	t.Helper()
	bank := start(t, x.banks)
	t.Cleanup(bank.writeCoverage)
	if x.behavior == nil {
		x.behavior = bank.behavior()
	}
	a := x.begin(t, bank, explore.Run{})
	o := a.make()
	switch {
	case o.Ended == explore.Hung: // and may go on
		t.Fatalf("testkit: Explore: the test takes longer than %v without a failure of the bank, after %d requests: "+
			"give it more by EachWithin, or look where it hangs", x.eachWithin, len(o.Exchanges))
	case a.panicked != "":
		panic("testkit: Explore: the test panics without a failure of the bank: " + a.panicked)
	case t.Skipped():
		t.SkipNow()
	case t.Failed():
		bank.report()
		t.Log("testkit: Explore: the test fails without a failure of the bank: nothing was explored")
		t.FailNow()
	}
	return o
}

// behavior returns the switches of the bank's scenario.
func (b *Bank) behavior() *sim.Behavior {
	b.t.Helper()
	source, err := b.read(context.Background(), http.MethodGet, "/state?format=scenario")
	if err == nil {
		var of *scenario.Scenario
		if of, err = scenario.Parse("scenario.yaml", source); err == nil {
			return of.World.Behavior()
		}
	}
	b.t.Fatalf("testkit: Explore: reading the bank's scenario: %v", err)
	return nil
}

// wave makes runs, several at once, and returns when all were judged. One that go test -run leaves out is skipped.
func (x *exploration) wave(t *testing.T, runs []explore.Run) {
	var judged sync.WaitGroup
	for _, r := range runs {
		if x.Over() {
			x.Skip(r)
			continue
		}
		x.slots <- struct{}{} // one of a run that hangs is free as soon as that was judged
		judged.Add(1)
		x.running.Go(func() {
			var once sync.Once
			over := func(skipped bool) {
				once.Do(func() {
					if skipped {
						x.Skip(r)
					}
					<-x.slots
					judged.Done()
				})
			}
			defer over(true) // t.Run may end the goroutine
			selected := false
			t.Run(subtest(r.Name()), func(t *testing.T) {
				t.Helper()
				selected = true
				x.failing(t, r, over)
			})
			if !selected {
				x.deselected.Store(true)
			}
		})
	}
	judged.Wait()
}

// failing makes a run with failures, in a subtest. It calls over as soon as the run was judged, or skipped.
func (x *exploration) failing(t *testing.T, run explore.Run, over func(skipped bool)) {
	t.Helper()
	bank := start(t, x.banks)
	t.Cleanup(bank.writeCoverage)
	a := x.begin(t, bank, run)
	o := a.make()
	if t.Skipped() && o.Ended != explore.Hung {
		over(true)
		return
	}
	result := x.Done(run, o)
	over(false)
	x.verdict(t, a, result)
	select { // the subtest may log until it ends
	case <-a.done:
	case <-x.ending:
	}
}

// Failure is how a call of the bank fails in a run of [Explore].
type Failure struct {
	Operation string // such as groups.create
	Call      int    // which call of the operation in the run it is, from 1
	Name      string // such as 500_2001, timeout or answer-lost-after-commit
	About     string // what that is, in a sentence
	// Committed says that the change of the call is made all the same: its answer is lost or replaced.
	Committed bool
	// Stays says that the calls of the operation that follow fail as well, 50 in all. The name ends with -stays then.
	Stays bool
	// Earlier are the failures of calls before it in the same run. There are some only if the app makes the call because of them.
	Earlier []Failure
}

// failureOf returns the failure of the last call in a run, or nil if the run is undisturbed.
func failureOf(r explore.Run) *Failure {
	var all []Failure
	for _, a := range r.Faults {
		all = append(all, Failure{
			Operation: a.Call.Operation, Call: a.Call.Number,
			Name: a.Failure.Name, About: a.Failure.About, Committed: a.Failure.Committed, Stays: a.Failure.Stays,
		})
	}
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	last.Earlier = all[:len(all)-1]
	return &last
}

// Outcome notes what the app reported. If err is nil though the bank isn't as after the undisturbed run, that is a
// finding.
func (r *Run) Outcome(err error) { r.succeeded.Store(err == nil) }

// grace is how long an app that hangs may take to end once its bank is gone.
const grace = 2 * time.Second

// attempt is a run of an exploration in a bank of its own.
type attempt struct {
	x    *exploration
	t    *testing.T
	bank *Bank
	run  *Run

	since     atomic.Value  // the snapshot that the end of the run is compared with, or "" for the bank's start
	succeeded atomic.Bool   // see Run.Outcome
	done      chan struct{} // closed when the test function has ended
	panicked  string        // with its stack, or "". It is read when done is closed
}

// begin makes a bank ready for a run.
func (x *exploration) begin(t *testing.T, bank *Bank, run explore.Run) *attempt {
	t.Helper()
	a := &attempt{x: x, t: t, bank: bank, done: make(chan struct{})}
	a.since.Store("")
	a.run = &Run{bank, failureOf(run), &a.succeeded}
	bank.arranged = a.arranged
	bank.apps.Timeout = min(bank.apps.Timeout, x.eachWithin/4)
	if rules := run.Rules(); len(rules) > 0 {
		bank.must("Explore", http.MethodPost, "/faults", rules, nil)
	}
	return a
}

// make calls the test function within its time limit, and returns what the bank has seen. If the function hangs, make
// removes the bank, so that a function that waits for an answer ends.
func (a *attempt) make() explore.Observation {
	a.t.Helper()
	start := time.Now()
	go a.call()
	timer := time.NewTimer(a.x.eachWithin)
	defer timer.Stop()
	var o explore.Observation
	select {
	case <-a.done:
		o.Ended = explore.Passed
	case <-timer.C:
		o.Ended, o.Message = explore.Hung, fmt.Sprintf("it had not ended after %v", a.x.eachWithin)
		a.bank.close()
	}
	o.Took = time.Since(start)
	a.observe(&o)
	if o.Ended == explore.Hung {
		a.bank.removeOrFail()
		timer.Reset(grace)
		select {
		case <-a.done:
		case <-timer.C:
		}
		return o
	}
	a.t.Cleanup(a.bank.removeOrFail) // the verdict may log its exchanges
	switch {
	case a.panicked != "":
		o.Ended, o.Message = explore.Failed, "panic: "+a.panicked
	case a.t.Failed():
		o.Ended, o.Message = explore.Failed, "the test function failed"
	}
	return o
}

// call calls the test function. It may end by t.FailNow, t.SkipNow or a panic, also after a subtest that didn't wait any longer.
func (a *attempt) call() {
	defer close(a.done)
	defer func() {
		if p := recover(); p != nil {
			a.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
		}
	}()
	a.x.test(a.t, a.run)
}

// observe reads what the bank had and is left with.
func (a *attempt) observe(o *explore.Observation) {
	a.t.Helper()
	whole, err := a.bank.wholeJournal(context.Background(), "0")
	o.Exchanges, o.Evicted = whole.Exchanges, whole.Evicted
	var diff api.Diff
	if err == nil {
		err = a.bank.call(context.Background(), http.MethodGet, "/diff?since="+a.since.Load().(string), nil, &diff)
	}
	o.Changes, o.Succeeded = diff.Changes, a.succeeded.Load()
	var state State
	if err == nil && len(a.x.invariants) > 0 {
		err = a.bank.call(context.Background(), http.MethodGet, "/state", nil, &state)
	}
	if err != nil {
		a.t.Fatalf("testkit: Explore: reading what the run did: %v", err)
	}
	for _, i := range a.x.invariants {
		if err := i.holds(state); err != nil {
			o.Broken = append(o.Broken, i.name+": "+err.Error())
		}
	}
}

// arranged takes note that the test function has changed the bank past its rules. If the app has sent nothing by then, the bank is
// judged by what differs from now on.
func (a *attempt) arranged() {
	a.t.Helper()
	newest, err := a.bank.newestExchange(context.Background())
	if err != nil {
		a.t.Fatalf("testkit: Explore: %v", err)
	}
	if newest == "0" {
		a.since.Store(a.bank.Snapshot().name)
	}
}
