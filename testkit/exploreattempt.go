package testkit

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// grace is how long an app that hangs may take to end once its bank is gone.
const grace = 2 * time.Second

// attempt is a run of an exploration in a bank of its own.
type attempt struct {
	x    *exploration
	t    *testing.T
	bank *Bank

	since    string        // the snapshot that the end of the run is compared with; empty: the bank's start
	done     chan struct{} // closed when the test function has ended
	panicked string        // with its stack; empty: it did not. Read it when done is closed
	removed  bool          // whether the bank is gone before the test has ended
}

// begin makes a bank ready for a run.
func (x *exploration) begin(t *testing.T, bank *Bank, run explore.Run) *attempt {
	t.Helper()
	a := &attempt{x: x, t: t, bank: bank, done: make(chan struct{})}
	bank.attempt, bank.failure = a, failureOf(run)
	bank.apps.Timeout = min(bank.apps.Timeout, x.eachWithin/4)
	if rules := run.Rules(); len(rules) > 0 {
		bank.in(http.MethodPost, "/faults", x.hangingLonger(rules), nil)
	}
	return a
}

// hangingLonger returns rules that hang for longer than an app may take, and not for much longer.
func (x *exploration) hangingLonger(rules []fault.Rule) []fault.Rule {
	for i, r := range rules {
		if c := r.Then.Connection; c != nil && c.Kind == fault.Hang {
			hang := *c
			hang.Hang = fault.Duration(min(x.eachWithin+time.Second, fault.MaxHang))
			rules[i].Then.Connection = &hang
		}
	}
	return rules
}

// make calls the test function, for as long as it may take, and returns what it came to. If the function hangs, its bank is
// taken away, by which it ends if it waits for an answer.
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
		if err := a.bank.try(http.MethodDelete, api.SandboxPath(a.bank.name, ""), nil, nil); err != nil {
			a.t.Errorf("testkit: removing the bank: %v", err)
		}
		a.removed = true
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

// call calls the test function. It may end by t.FailNow, t.SkipNow or a panic, also after a subtest that didn't wait any longer.
func (a *attempt) call() {
	defer close(a.done)
	defer func() {
		if p := recover(); p != nil {
			a.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
		}
	}()
	a.x.test(a.t, a.bank)
}

// observe reads what the bank had and is left with.
func (a *attempt) observe(o *explore.Observation) {
	a.t.Helper()
	err := a.bank.readExchanges(o)
	var diff struct{ Changes []explore.Change }
	if err == nil {
		err = a.bank.try(http.MethodGet, api.SandboxPath(a.bank.name, "/diff?since="+a.since), nil, &diff)
	}
	o.Changes = diff.Changes
	var state State
	if err == nil && len(a.x.invariants) > 0 {
		err = a.bank.try(http.MethodGet, api.SandboxPath(a.bank.name, "/state"), nil, &state)
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

// readExchanges reads all exchanges that the bank's journal holds, and how many it has lost.
func (b *Bank) readExchanges(o *explore.Observation) error {
	for next := "0"; next != ""; {
		var page api.Page
		path := api.SandboxPath(b.name, fmt.Sprintf("/journal?limit=%d&after=%s", pageLimit, next))
		if err := b.try(http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		o.Exchanges, o.Evicted, next = append(o.Exchanges, page.Exchanges...), page.Evicted, page.Next
	}
	return nil
}

// arrangedSnapshot is the snapshot of a bank as the test function has arranged it.
const arrangedSnapshot = "testkit-explore"

// arranged takes note that the test function has changed the bank past its rules. If the app has sent nothing by then, the bank is
// judged by what differs from now on.
func (a *attempt) arranged(b *Bank) {
	if a == nil || b.name != a.bank.name {
		return
	}
	b.t.Helper()
	var page page
	b.in(http.MethodGet, "/journal?limit=1", nil, &page)
	if len(page.Exchanges) > 0 {
		return
	}
	if a.since != "" {
		b.in(http.MethodDelete, "/snapshots/"+a.since, nil, nil)
	}
	b.Snapshot(arrangedSnapshot)
	a.since = arrangedSnapshot
}
