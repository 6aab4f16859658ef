package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Fault is a failure that a bank injects into some requests to an operation.
type Fault struct {
	Name      string // in the journal. Default: fault-1 and so on
	Operation string // such as GroupsCreate, or a family: "groups.*". Default: all
	Method    string // with Path. Default: every method
	Path      string // in place of Operation: a path that the interface doesn't have, for which the fault is a stub
	When      When   // default: every request
	Then      Effect
	// AfterCommit carries the operation out and commits its change first; then its answer is late, lost or replaced.
	AfterCommit bool
	Optional    bool // whether the test passes though the fault never fires
}

// Inject adds faults behind those that the bank has, up to 1,000 in all. They stay until [Bank.ClearFaults] or
// [Bank.Reset]. A fault that has never fired by then, or by the end of the test, fails the test unless it is optional.
// So does one that only fired where another fault gave the answer.
func (b *Bank) Inject(faults ...Fault) {
	b.t.Helper()
	rules := make([]fault.Rule, len(faults))
	for i, f := range faults {
		var err error
		if rules[i], err = f.rule(); err != nil {
			b.t.Fatalf("testkit: Inject: %v", err)
		}
	}
	var added api.Faults
	if err := b.call(context.Background(), http.MethodPost, "/faults", rules, &added); err != nil {
		b.t.Fatalf("testkit: Inject: %v", withoutPlaces(err))
	}
	line := callerOf(1)
	for i, f := range added.Faults {
		b.faults.injected = append(b.faults.injected, injectedFault{f.Name, line, faults[i].Optional})
	}
}

// ClearFaults removes all faults, the scenario's included.
func (b *Bank) ClearFaults() {
	b.t.Helper()
	b.requireFired()
	b.must("ClearFaults", http.MethodDelete, "/faults", nil, nil)
	b.faults.injected = nil
}

// rule returns a fault as the simulator has it.
func (f Fault) rule() (fault.Rule, error) {
	r := fault.Rule{
		Name: f.Name, Method: f.Method, Path: f.Path, When: f.When.when, Then: f.Then.then,
	}
	if f.Operation != "" {
		r.Operation = fault.Operations{f.Operation}
	}
	if f.AfterCommit {
		r.Phase = fault.After
	}
	problem := errors.Join(f.When.problem, f.Then.problem)
	if problem == nil && reflect.ValueOf(r.Then).IsZero() {
		problem = errors.New("a fault has no Then: give it an effect, such as Status(500)")
	}
	return r, problem
}

// faultWatch notes the faults that a test has injected.
type faultWatch struct {
	injected []injectedFault
	shared   bool // whether other tests inject faults into the bank as well
}

// injectedFault is a fault that a test has injected.
type injectedFault struct {
	name     string
	line     string // file and line of the call of Inject
	optional bool
}

// requireFired fails the test if a fault that it has injected never fired, unless that is optional. If the test has
// failed anyway, it only logs that. It logs the faults of the scenario that never fired, unless tests share the bank.
func (b *Bank) requireFired() {
	b.t.Helper()
	var list api.Faults
	if err := b.call(context.Background(), http.MethodGet, "/faults", nil, &list); err != nil {
		b.t.Errorf("testkit: reading the faults of the bank: %v", err)
		return
	}
	fail := b.t.Errorf
	if b.t.Failed() {
		fail = b.t.Logf
	}
	isIdle := b.idleFaults(list.Faults)
	there := map[string]bool{}
	for _, f := range list.Faults {
		there[f.Name] = true
		i, injected := b.faults.find(f.Name)
		hasToFire := injected && !i.optional
		switch never := fmt.Sprintf("%s (%s) never fired: %s matched it", f.Name, f.Summary, counted(f.Matched)); {
		case f.Off:
		case f.Fired == 0 && hasToFire:
			fail("testkit: %s: the fault %s; if that is right, set Optional", i.line, never)
		case f.Fired == 0 && !injected && !b.faults.shared:
			b.t.Logf("testkit: the scenario's fault %s", never)
		case isIdle[f.Name] && hasToFire:
			fail(
				"testkit: %s: the fault %s (%s) fired, but another fault gave the answer each time; if that is right, "+
					"set Optional",
				i.line,
				f.Name,
				f.Summary,
			)
		}
	}
	for _, i := range b.faults.injected {
		if !there[i.name] && !i.optional {
			fail(
				"testkit: %s: the fault %s was removed by another test or call, and may not have fired", i.line, i.name,
			)
		}
	}
}

// idleFaults returns the names of the faults that fired and had no effect, because another fault gave each answer. It
// returns none if fewer than two faults could have answered, or the journal can't say.
func (b *Bank) idleFaults(faults []fault.Counted) map[string]bool {
	idle, rivals := map[string]bool{}, 0
	for _, f := range faults {
		if f.Fired > 0 && (f.Answers() || f.Then.Forward != nil) {
			rivals++
			idle[f.Name] = f.Then.Delay == nil && len(f.Then.Headers) == 0
		}
	}
	if rivals < 2 {
		return nil
	}
	exchanges, err := b.lastExchanges(context.Background(), pageLimit, "")
	if err != nil || len(exchanges) == pageLimit {
		return nil
	}
	for _, x := range exchanges {
		if x.Fault != nil {
			delete(idle, x.Fault.AnsweredBy)
		}
	}
	return idle
}

func counted(requests uint64) string {
	if requests == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", requests)
}

func (w *faultWatch) find(name string) (injectedFault, bool) {
	for _, f := range w.injected {
		if f.name == name {
			return f, true
		}
	}
	return injectedFault{}, false
}

// removeInjected removes the faults that the test has injected.
func (b *Bank) removeInjected() {
	for _, f := range b.faults.injected {
		path := "/faults?name=" + url.QueryEscape(f.name)
		err := b.call(context.Background(), http.MethodDelete, path, nil, nil)
		var problem *api.Problem
		if isGone := errors.As(err, &problem) && problem.Status == http.StatusNotFound; err != nil && !isGone {
			b.t.Errorf("testkit: removing the fault %s: %v", f.name, err)
		}
	}
}

// callerOf returns the file and the line of a call. Skip 0 means the call of callerOf itself.
func callerOf(skip int) string {
	_, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return "an unknown line"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// withoutPlaces returns a refusal without the places in the JSON that the test didn't write.
func withoutPlaces(err error) error {
	var problem *api.Problem
	if errors.As(err, &problem) {
		for i := range problem.Problems {
			problem.Problems[i].Line = 0
		}
	}
	return err
}
