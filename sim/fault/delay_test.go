package fault_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Delays add up within their phase, and no request waits longer than MaxDelay in one, whatever its rules say.
func TestDelaysAreBounded(t *testing.T) {
	most := delayed(fixedDelay(fault.MaxDelay))
	late := delayed(fixedDelay(time.Second))
	late.Phase = fault.After
	verdict := counting([]fault.Rule{most, late, most, late}, 7).Decide(list())
	assert.Equal(t, fault.MaxDelay, verdict.Delay(fault.Before))
	assert.Equal(t, 2*time.Second, verdict.Delay(fault.After))
	assert.Zero(t, counting(nil, 7).Decide(list()).Delay(fault.Before))

	set := counting([]fault.Rule{delayed(longTailed(fault.MaxDelay, 3))}, 7)
	for range 10_000 {
		drawn := set.Decide(list()).Fired[0].Delay
		if drawn <= 0 || drawn > fault.MaxDelay {
			assert.Fail(t, "out of bounds", "%s", drawn)
		}
	}
}

// A delay depends on the seed, the rule and the number of the request; whether there is a probability besides, or
// another rule, changes nothing for the same rule.
func TestDelaysAreRepeatable(t *testing.T) {
	draw := func(seed uint64, rules ...fault.Rule) (all []time.Duration) {
		set := counting(rules, seed)
		for range 100 {
			for _, f := range set.Decide(list()).Fired {
				if f.Rule.Name == "slow" {
					all = append(all, f.Delay)
				}
			}
		}
		return all
	}
	slow := fault.Rule{Name: "slow", Then: fault.Then{Delay: longTailed(time.Second, 0.6)}}
	other := fault.Rule{Name: "other", When: fault.When{Probability: 0.5},
		Then: fault.Then{Delay: uniform(0, time.Second)}}
	want := draw(7, slow)
	assert.Len(t, want, 100)
	assert.Equal(t, want, draw(7, slow))
	assert.Equal(t, want, draw(7, other, slow))
	assert.NotEqual(t, want, draw(8, slow))

	// Half of so many fixed draws are below the median: nothing is left of the draw before in the next one.
	below, changes := 0, 0
	for i, d := range want {
		if d < time.Second {
			below++
		}
		if i > 0 && (d < time.Second) != (want[i-1] < time.Second) {
			changes++
		}
	}
	assert.InDelta(t, 50, below, 15)
	assert.InDelta(t, 50, changes, 15)
}
