package controlapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// met returns what was met in a run: points and, after a +, what no description lists, with how often: naturally, by
// faults.
func met(run coverage.Run) []string {
	all := []string{}
	add := func(prefix string, m coverage.PointCount) {
		if m.Count == (coverage.Count{}) {
			return
		}
		parts := []string{m.Operation, m.Dialect}
		for _, part := range []string{fmt.Sprint(m.Status), m.Code, m.Rule, m.Connection, m.Phase} {
			if part != "" && part != "0" {
				parts = append(parts, part)
			}
		}
		all = append(all, fmt.Sprintf("%s%s: %d, %d", prefix, strings.Join(parts, " "), m.ByBank, m.Injected))
	}
	for _, m := range run.Points {
		add("", m)
	}
	for _, m := range run.Other {
		add("+", m)
	}
	return all
}

// What an app meets is counted by what it sees: the bank's own answer, that of a fault, or none.
func TestCoverage(t *testing.T) {
	t.Parallel()
	create, list := simtest.CreateGroup, simtest.ListGroups
	type calls = []simtest.Call
	for name, test := range map[string]struct {
		scenario string // below frozen retail
		calls    calls
		met      []string
	}{
		"nothing": {met: []string{}},
		"accepted, and refused by a rule": {"", calls{create, create, create.Without("transactionId")},
			[]string{"groups.create document 200: 1, 0", "groups.create document 400 2000 request-id-missing: 1, 0",
				"groups.create document 400 2004 group-exists: 1, 0"}},
		"in another dialect": {"", calls{list.At(contract.Public().Operation(contract.GroupsList.Name).Path)},
			[]string{"groups.list public 401 2003 token-missing: 1, 0"}},
		"no operation's": {"", calls{list.At("/nowhere"), list.WithMethod("PATCH")}, []string{}},
		"a delay alone": {"faults: [{then: {delay: 1ms}}, {phase: after, then: {delay: 1ms, headers: {X-Slow: yes}}}]\n",
			calls{list.WithMethod("HEAD")}, []string{"groups.list document 200: 1, 0"}},
		"an error that rules have, too": {"faults: [{then: {status: 401}}]\n", calls{list},
			[]string{"groups.list document 401 2003 token-expired: 0, 1",
				"groups.list document 401 2003 token-malformed: 0, 1",
				"groups.list document 401 2003 token-missing: 0, 1",
				"groups.list document 401 2003 token-unknown: 0, 1"}},
		"an error that only a fault brings about": {"faults: [{then: {status: 500, error: {code: CMN_90002}}}]\n",
			calls{list},
			[]string{"groups.list document 500 CMN_90002: 0, 1"}},
		"a body of a fault's own": {
			"faults: [{when: {first: 1}, then: {status: 500, body: '{\"code\":\"2001\"}'}}, {then: {status: 200, body: '{}'}}]\n",
			calls{create, create}, []string{"groups.create document 200: 0, 1",
				"groups.create document 500 2001: 0, 1"}},
		"what no description lists": {"behavior: {faultHeader: true}\n",
			calls{list.With("Banksim-Fault", "status=503; code=C1"),
				list.With("Banksim-Fault", "status=503; code=C2"), list.With("Banksim-Fault", "nonsense")},
			[]string{"+groups.list document 503: 0, 2",
				"+groups.list document 400 BANKSIM_FAULT_HEADER fault-header-malformed: 1, 0"}},
		"lost before the change": {"faults: [{then: {connection: reset}}]\n", calls{create},
			[]string{"groups.create document reset before: 0, 1"}},
		"lost after the change": {"faults: [{phase: after, then: {connection: close}}]\n", calls{create, list},
			[]string{"groups.create document close after: 0, 1", "groups.list document close: 0, 1"}},
		"damaged": {"faults: [{when: {first: 1}, then: {connection: malformed}}, {then: {status: 500, connection: malformed}}]\n",
			calls{create, create},
			[]string{"groups.create document malformed after: 0, 1", "+groups.create document malformed before: 0, 1"}},
		"strict": {"behavior: {strict: true}\n", calls{create},
			[]string{"+groups.create document 501 BANKSIM_STRICT strict: 1, 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail+test.scenario)
			for _, call := range test.calls {
				_, _ = call.Try(b) // an answer may be lost
			}
			assert.Equal(t, test.met, met(b.Sandbox.Coverage().Run("")))
		})
	}
}
