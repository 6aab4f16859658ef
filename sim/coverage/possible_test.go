package coverage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// possible returns the points of a kind of an operation that can be met after a request to it, in a bank with switches.
func possible(op *contract.Operation, kind coverage.Kind, strict bool, set func(*sim.Behavior)) (all []string) {
	b := sim.DefaultBehavior()
	set(&b)
	b.Strict = strict
	c := coverage.NewCounter().Sandbox("app", time.Now())
	c.Count(point(op, coverage.Point{Kind: coverage.Accepted, Status: 599}), nil, contract.NewPolicies(b))
	for _, m := range c.Run("").Points {
		if m.Operation == op.Name && m.Kind == kind && m.Possible {
			all = append(
				all, fmt.Sprintf("%s %d %s %s%s%s", m.Dialect, m.Status, m.Code, m.Rule, m.Connection, m.Phase),
			)
		}
	}
	return all
}

// What can be met follows from the switches of the bank.
func TestPossible(t *testing.T) {
	t.Parallel()
	byDefault := func(*sim.Behavior) {}
	create := contract.GroupsCreate
	for name, test := range map[string]struct {
		op      *contract.Operation
		kind    coverage.Kind
		strict  bool
		set     func(*sim.Behavior)
		can     []string
		cannot  []string
		howMany int // 0: any number
	}{
		"by default": {op: create, kind: coverage.Accepted, can: []string{"document 200  "}, howMany: 1},
		"a status": {op: create, kind: coverage.Accepted, set: func(b *sim.Behavior) { b.Groups.CreateStatus = 201 },
			can: []string{"document 201  "}, howMany: 1},
		"an answer beside": {op: contract.EstatementsUpdateUser, kind: coverage.Accepted,
			set: func(b *sim.Behavior) { b.Estatements.PartialUpdate = sim.PartialUpdateAllow },
			can: []string{"document 204  ",
				"document 206  "}, howMany: 2},
		"rules": {op: create, kind: coverage.Refused,
			can:    []string{"document 400 2004 group-exists", "document 400 2000 institution-unknown"},
			cannot: []string{"document 400 2004 group-id-taken"}},
		"a strict bank": {op: create, kind: coverage.Refused, strict: true,
			can:    []string{"document 400 2004 group-exists"},
			cannot: []string{"document 400 2000 institution-unknown"}},
		"a status of refusals": {op: contract.EstatementsGetDisclosures, kind: coverage.Refused,
			set:    func(b *sim.Behavior) { b.Estatements.BearerFailureStatus = 400 },
			can:    []string{"document 400 UXESTMT_10002 token-unknown"},
			cannot: []string{"document 401 UXESTMT_10002 token-unknown"}},
		"errors of faults": {op: create, kind: coverage.Injected,
			can: []string{"document 500 2001 ", "document 500 CMN_90001 ", "document 500 CMN_90002 "}, howMany: 3},
		"an error that a switch leaves to faults": {op: contract.EstatementsGetDisclosures, kind: coverage.Injected,
			set: func(b *sim.Behavior) { b.Estatements.BearerFailureStatus = 400 },
			can: []string{"document 401 UXESTMT_10002 "}},
		"an error that a rule brings about": {op: contract.EstatementsGetDisclosures, kind: coverage.Injected,
			cannot: []string{"document 401 UXESTMT_10002 "}},
		"connections": {op: create, kind: coverage.Connection,
			can: []string{"document 0  resetbefore", "document 0  hangafter",
				"document 0  truncateafter"}, cannot: []string{"document 0  truncatebefore"}, howMany: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.set == nil {
				test.set = byDefault
			}
			all := possible(test.op, test.kind, test.strict, test.set)
			assert.Subset(t, all, test.can)
			for _, p := range test.cannot {
				assert.NotContains(t, all, p)
			}
			if test.howMany > 0 {
				assert.Len(t, all, test.howMany)
			}
		})
	}
}
