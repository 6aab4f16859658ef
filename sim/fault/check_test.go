package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// does is a rule for groups.list.
func does(then fault.Then) fault.Rule {
	return fault.Rule{Operation: fault.Operations{"groups.list"}, Then: then}
}

func uniform(least, most time.Duration) *fault.Delay {
	return &fault.Delay{Uniform: &[2]fault.Duration{fault.Duration(least), fault.Duration(most)}}
}

func longTailed(median time.Duration, sigma float64) *fault.Delay {
	return &fault.Delay{Lognormal: &fault.Lognormal{Median: fault.Duration(median), Sigma: sigma}}
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

// The rule that has no room is named, and no rule behind it.
func TestCheckBytes(t *testing.T) {
	large := func(operation string) fault.Rule {
		body := fault.Body{Text: strings.Repeat("x", 3<<20)}
		return fault.Rule{Operation: fault.Operations{operation}, Then: fault.Then{Status: 500, Body: &body}}
	}
	problems := fault.Check([]fault.Rule{
		large("groups.list"), large("groups.create"), large("jobs.list"), large("jobs.get"),
	})
	require.Len(t, problems, 1)
	assert.Equal(t, []string{"2"}, problems[0].Path)
	assert.Contains(t, problems[0].Message, "more than 8 MiB")
}
