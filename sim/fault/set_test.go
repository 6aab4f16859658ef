package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Sets know nothing of each other, even of the same rules.
func TestSetsAreApart(t *testing.T) {
	rules := []fault.Rule{{Name: "once", When: fault.When{First: 1}, Then: always}}
	one, other := fault.NewSet(rules, 7), fault.NewSet(rules, 7)
	assert.NotNil(t, one.Decide(list()).Fired)
	assert.Nil(t, one.Decide(list()).Fired)
	assert.Zero(t, other.Counts()[0].Matched)
	assert.NotNil(t, other.Decide(list()).Fired)
	_, err := one.Replace()
	require.NoError(t, err)
	assert.Len(t, other.Counts(), 1)
}
