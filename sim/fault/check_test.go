package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// does is a rule for groups.list.
func does(then fault.Then) fault.Rule {
	return fault.Rule{Operation: fault.Operations{"groups.list"}, Then: then}
}

func ptr[T any](v T) *T { return &v }

// Counts that are accepted are fulfilled by some request, and those that are refused by none.
func TestContradictionsAreThose(t *testing.T) {
	const most = 5
	for n := range most * most * most * most {
		when := fault.When{First: n % most, Nth: n / most % most, Every: n / most / most % most,
			After: n / most / most / most}
		rules := []fault.Rule{{Operation: fault.Operations{"groups.list"}, When: when, Then: always}}
		accepted, set, fired := len(fault.Check(rules)) == 0, counting(rules, 7), false
		for range most * most {
			fired = fired || set.Decide(list()).Fired != nil
		}
		assert.Equal(t, fired, accepted, "%+v", when)
	}
}
