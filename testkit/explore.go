package testkit

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Explore finds out what an app does when the bank fails. It runs a test undisturbed and notes the calls that it makes.
// Then it runs the test once more for each call and each way to fail. Each run is a subtest with a bank of its own,
// such as groups.create#1/500_2001 (an error), …/reset (the connection), …/timeout, or …/answer-lost-after-commit.
// Calls that the app makes only after a failure, such as a retry, fail in turn:
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
// assertion of the test, with a panic, and if the app hangs ([EachWithin]). It logs how to reproduce it alone. A
// subtest whose failure did not reach the app is skipped. If the environment variable BANKSIM_EXPLORE_REPORT names a
// directory, the exploration writes a report there: a page, JSON and JUnit XML.
//
// The test function runs many times, several times at once, and has to use the bank of its run alone. It begins with
// what the bank is to be like (such as [Bank.PatchUser]), and then calls the app. It must not call t.Parallel,
// t.Setenv, t.Chdir or t.Run. What it registers with t.Cleanup comes after the bank has judged. It must not take the
// failure or the journal away by [Bank.Reset] or [Bank.ClearFaults].
func Explore(t *testing.T, test func(t *testing.T, run *Run), opts ...Option) {
	t.Helper()
	s, err := newSettings(opts)
	if err == nil && test == nil {
		err = errors.New("the test function is nil")
	}
	if err == nil && inBubble() {
		err = errors.New("a bubble of testing/synctest has no subtests: call it outside")
	}
	if err != nil {
		t.Fatalf("testkit: Explore: %v", err)
	}
	x := &exploration{
		exploreSettings: s.explore, banks: s, test: test, name: t.Name(),
		slots: make(chan struct{}, runsAtOnce()), ending: make(chan struct{}),
	}
	x.explore(t)
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

// end returns when the exploration has to end: within its time, and early enough for the last runs before the test
// binary is stopped.
func (x *exploration) end(t *testing.T) time.Time {
	end := time.Now().Add(x.within)
	if deadline, ok := t.Deadline(); ok {
		deadline = deadline.Add(-x.eachWithin - 2*grace)
		if time.Until(deadline) <= 0 {
			t.Fatalf("testkit: Explore: go test -timeout leaves no time for runs of %v: see EachWithin", x.eachWithin)
		}
		if deadline.Before(end) {
			end = deadline
		}
	}
	return end
}

// undisturbed makes a run without a failure. It is no subtest, so that go test -run makes it for any subtest.
func (x *exploration) undisturbed(t *testing.T) explore.Observation {
	t.Helper()
	bank := start(t, x.banks)
	a := x.begin(t, bank, explore.Run{})
	if x.behavior == nil {
		x.behavior = bank.behavior()
	}
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
	b.fatalf("Explore: reading the bank's scenario: %v", err)
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

// failing makes a run with failures, in a subtest. It calls over as soon as the run is judged or skipped.
func (x *exploration) failing(t *testing.T, run explore.Run, over func(skipped bool)) {
	t.Helper()
	a := x.begin(t, start(t, x.banks), run)
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
