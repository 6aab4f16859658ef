package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
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
	// Effects that damage the operation's own answer always do: Malformed, Garbage, Truncate and Dribble.
	AfterCommit bool
	Optional    bool // whether the test passes though the fault has no effect
}

// Inject adds faults behind those that the bank has, up to 1,000 in all. They stay until [Bank.ClearFaults] or
// [Bank.Reset]. A fault that has had no effect by then, or by the end of the test, fails the test unless it is
// optional. Either it never fired, or another fault took its place, or it found no token to expire, or somebody removed
// it.
func (b *Bank) Inject(faults ...Fault) {
	b.t.Helper()
	rules := make([]fault.Rule, len(faults))
	from := callerOf(1)
	for i, f := range faults {
		var err error
		if rules[i], err = f.rule(); err != nil {
			b.fatalf("Inject: %v", err)
		}
		rules[i].Required, rules[i].From = !f.Optional, from
	}
	var added api.Faults
	if err := b.call(context.Background(), http.MethodPost, "/faults", rules, &added); err != nil {
		b.fatalf("Inject: %v", withoutPlaces(err))
	}
	for _, f := range added.Faults {
		b.injected = append(b.injected, f.Name)
	}
}

// ClearFaults removes all faults, the scenario's included, but not the failure of an exploration.
func (b *Bank) ClearFaults() {
	b.t.Helper()
	v, err := b.verdict()
	if err != nil {
		b.fatalf("ClearFaults: %v", err)
	}
	b.fail(v)
	if b.explores != nil { // verdict has removed the test's own: the exploration's stay
		return
	}
	path := "/faults"
	if !b.isShared { // else other tests have to hear of theirs
		path += "?verdict=true"
	}
	b.must("ClearFaults", http.MethodDelete, path, nil, nil)
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
	return r, errors.Join(f.When.problem, f.Then.problem)
}

// verdict returns what the bank says about the test. From a bank that tests share, it takes the faults of this one.
func (b *Bank) verdict() (v verdict.Verdict, err error) {
	ctx := context.Background()
	var findings []fault.Finding
	if b.isShared {
		for names := range slices.Chunk(b.injected, 100) { // as many as a URL has room for
			path := "/faults?verdict=true&name=" + strings.Join(names, ",")
			if err := b.call(ctx, http.MethodDelete, path, nil, &v); err != nil {
				return v, err
			}
			findings = append(findings, v.Findings...)
		}
		b.injected = nil
	}
	err = b.call(ctx, http.MethodGet, "/verdict?after="+b.since, nil, &v)
	if b.isShared { // others are another test's
		v.Findings = findings
	}
	return v, err
}

// fail fails the test with the findings of a verdict, and logs its notes. If the test has failed anyway or was skipped,
// it only logs. A note about the app's requests is for report, and an unused fault of a bank that tests share may be
// another test's.
func (b *Bank) fail(v verdict.Verdict) {
	b.t.Helper()
	fail := b.t.Errorf
	if b.t.Failed() || b.t.Skipped() {
		fail = b.t.Logf
	}
	for _, f := range v.Findings {
		fail("testkit: %s", f.Text)
	}
	for _, n := range v.Notes {
		if n.Kind != verdict.NoRequest && !(b.isShared && n.Kind == fault.Forgotten) {
			b.t.Logf("testkit: %s", n.Text)
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
