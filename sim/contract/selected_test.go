package contract_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// A refusal that rests on an entry with a switch between words says under which values it applies: it does under some
// of them, and not under others. (A number or a status changes when or how it refuses, not whether.)
func TestSwitchedRefusals(t *testing.T) {
	t.Parallel()
	rules := 0
	for _, op := range contract.Document().Operations {
		for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
			s := r.Entry.Switch
			if s == nil || s.Kind == contract.Number || s.Kind == contract.Status {
				standard := sim.DefaultBehavior()
				assert.True(t, r.AppliesUnder(document(standard)), "%s of %s", r.Rule, op.Name)
				continue
			}
			rules++
			applies := map[bool]int{}
			for _, b := range behaviors(t, s) {
				applies[r.AppliesUnder(document(b))]++
			}
			assert.Positive(t, applies[true], "%s of %s applies under no value of behavior.%s", r.Rule, op.Name, s.Key)
			assert.Positive(t, applies[false], "%s of %s applies under every value of behavior.%s: say so at the "+
				"switch",
				r.Rule, op.Name, s.Key)
		}
	}
	assert.Greater(t, rules, 15)
}

// behaviors returns a behaviour for each value of a switch.
func behaviors(t *testing.T, s *contract.Switch) []sim.Behavior {
	all := []sim.Behavior{sim.DefaultBehavior()}
	add := func(value any) {
		b := sim.DefaultBehavior()
		set(t, s, &b, value)
		all = append(all, b)
	}
	switch s.Kind {
	case contract.Word:
		for _, name := range s.Names {
			add(name)
		}
	case contract.Flag:
		add(true)
		add(false)
	case contract.Members:
		add(s.Names)
	case contract.List:
		add(s.Form.Examples)
	}
	return all
}
