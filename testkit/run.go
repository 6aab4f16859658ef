package testkit

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// Run is a run of an exploration, with a bank of its own.
type Run struct {
	*Bank
	// Failure is how a call fails in this run, so that the test can expect what the app then does. It is nil in the
	// undisturbed runs.
	Failure *Failure

	succeeded *atomic.Bool // what Outcome says
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
	// Earlier are the failures of calls before it in the same run. There are some only if the app makes the call
	// because of them.
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

	removeBank func() // once

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
	a.removeBank = sync.OnceFunc(bank.removeOrFail)
	t.Cleanup(func() {
		bank.writeCoverage()
		a.removeBank()
	})
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
		a.removeBank()
		timer.Reset(grace)
		select {
		case <-a.done:
		case <-timer.C:
		}
		return o
	}
	switch {
	case a.panicked != "":
		o.Ended, o.Message = explore.Failed, "panic: "+a.panicked
	case a.t.Failed():
		o.Ended, o.Message = explore.Failed, "the test function failed"
	}
	return o
}

// call calls the test function. It may end by t.FailNow, t.SkipNow or a panic, also after a subtest that didn't wait
// any longer.
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

// arranged notes that the test function has changed the bank past its rules. The run is judged by what differs from
// then on. So a change after the app's first request ends the test: its rows would count as the app's.
func (a *attempt) arranged() {
	a.t.Helper()
	newest, err := a.bank.newestExchange(context.Background())
	switch {
	case err != nil:
		a.t.Fatalf("testkit: Explore: %v", err)
	case newest != "0":
		a.t.Fatalf(
			"testkit: Explore: a change of the bank comes after the app's first request, and would count as the app's: " +
				"change the bank first",
		)
	}
	if old := a.since.Load().(string); old != "" { // a bank has few snapshots
		a.bank.must("Explore", http.MethodDelete, "/snapshots/"+old, nil, nil)
	}
	a.since.Store(a.bank.Snapshot().name)
}
