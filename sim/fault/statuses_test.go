package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// A set knows which statuses its rules could give, also those of rules that were removed: an answer may still have one.
func TestGives(t *testing.T) {
	set := fault.NewSet([]fault.Rule{{Operation: fault.On("groups.*"), Then: fault.Then{Status: 418}}}, 1)
	assert.True(t, set.Gives("groups.list", 418))
	assert.True(t, set.Gives("groups.create", 418))
	assert.False(t, set.Gives("tokens.issue", 418))
	assert.False(t, set.Gives("groups.list", 429))
	_, err := set.Add(fault.Rule{Operation: fault.On("groups.list"), Then: fault.Then{Status: 429}}, fault.Rule{Then: fault.Then{Delay: &fault.Delay{Fixed: 1}}})
	require.NoError(t, err)
	set.Clear()
	assert.True(t, set.Gives("groups.list", 429))
	assert.True(t, set.Gives("groups.list", 418))
	assert.False(t, set.Gives("groups.list", 0))
}
