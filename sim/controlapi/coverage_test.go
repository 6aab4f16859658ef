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

// met returns what was met in a run: points and, after a +, what no description lists, with how often: naturally, by faults.
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
	for name, test := range map[string]struct {
		scenario string // below frozen retail
		send     func(*simtest.Bank)
		met      []string
	}{
		"nothing": {met: []string{}},
		"accepted, and refused by a rule": {send: func(b *simtest.Bank) {
			create.Send(b)
			create.Send(b)
			create.Without("transactionId").Send(b)
		}, met: []string{"groups.create document 200: 1, 0", "groups.create document 400 2000 request-id-missing: 1, 0",
			"groups.create document 400 2004 group-exists: 1, 0"}},
		"HEAD": {send: func(b *simtest.Bank) { list.WithMethod("HEAD").Send(b) },
			met: []string{"groups.list document 200: 1, 0"}},
		"in another dialect": {send: func(b *simtest.Bank) { list.At(contract.Public().Operation(contract.GroupsList.Name).Path).Send(b) },
			met: []string{"groups.list public 401 2003 token-missing: 1, 0"}},
		"no operation's": {send: func(b *simtest.Bank) { list.At("/nowhere").Send(b); list.WithMethod("PATCH").Send(b) },
			met: []string{}},
		"a delay alone": {scenario: "faults: [{then: {delay: 1ms}}, {phase: after, then: {delay: 1ms, headers: {X-Slow: yes}}}]\n",
			send: func(b *simtest.Bank) { list.Send(b) }, met: []string{"groups.list document 200: 1, 0"}},
		"an error that rules have, too": {scenario: "faults: [{then: {status: 401}}]\n", send: func(b *simtest.Bank) { list.Send(b) },
			met: []string{"groups.list document 401 2003 token-expired: 0, 1", "groups.list document 401 2003 token-malformed: 0, 1",
				"groups.list document 401 2003 token-missing: 0, 1", "groups.list document 401 2003 token-unknown: 0, 1"}},
		"an error that only a fault brings about": {scenario: "faults: [{then: {status: 500, error: {code: CMN_90002}}}]\n",
			send: func(b *simtest.Bank) { list.Send(b) },
			met:  []string{"groups.list document 500 CMN_90002: 0, 1"}},
		"an error in place of an answer": {scenario: "faults: [{phase: after, then: {status: 500}}]\n",
			send: func(b *simtest.Bank) { create.Send(b) },
			met:  []string{"groups.create document 500 2001: 0, 1"}},
		"a body of a fault's own": {scenario: "faults: [{when: {first: 1}, then: {status: 500, body: '{\"code\":\"2001\"}'}}, {then: " +
			"{status: 200, body: '{}'}}]\n",
			send: func(b *simtest.Bank) { create.Send(b); create.Send(b) },
			met:  []string{"groups.create document 200: 0, 1", "groups.create document 500 2001: 0, 1"}},
		"what no description lists": {scenario: "behavior: {faultHeader: true}\n", send: func(b *simtest.Bank) {
			for i := range 20 {
				list.With("Banksim-Fault", fmt.Sprintf("status=503; code=C%d", i)).Send(b)
			}
			list.With("Banksim-Fault", "status=404").Send(b)
			list.With("Banksim-Fault", "nonsense").Send(b)
		}, met: []string{"+groups.list document 404: 0, 1", "+groups.list document 503: 0, 20",
			"+groups.list document 400 BANKSIM_FAULT_HEADER fault-header-malformed: 1, 0"}},
		"lost before the change": {scenario: "faults: [{then: {connection: reset}}]\n",
			send: func(b *simtest.Bank) { _, _ = create.Try(b) },
			met:  []string{"groups.create document reset before: 0, 1"}},
		"lost after the change": {scenario: "faults: [{phase: after, then: {connection: close}}]\n",
			send: func(b *simtest.Bank) { _, _ = create.Try(b) },
			met:  []string{"groups.create document close after: 0, 1"}},
		"lost, of an operation that changes nothing": {scenario: "faults: [{phase: after, then: {connection: close}}]\n",
			send: func(b *simtest.Bank) { _, _ = list.Try(b) },
			met:  []string{"groups.list document close: 0, 1"}},
		"damaged": {scenario: "faults: [{then: {connection: malformed}}]\n", send: func(b *simtest.Bank) { create.Send(b) },
			met: []string{"groups.create document malformed after: 0, 1"}},
		"a damaged error before the change": {scenario: "faults: [{then: {status: 500, connection: malformed}}]\n",
			send: func(b *simtest.Bank) { create.Send(b) },
			met:  []string{"+groups.create document malformed before: 0, 1"}},
		"strict": {scenario: "behavior: {strict: true}\n", send: func(b *simtest.Bank) { create.Send(b) },
			met: []string{"+groups.create document 501 BANKSIM_STRICT strict: 1, 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail+test.scenario)
			if test.send != nil {
				test.send(b)
			}
			assert.Equal(t, test.met, met(b.Sandbox.Coverage().Run("")))
		})
	}
}
