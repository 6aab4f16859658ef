package sandbox_test

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Callers share the memory limit: it has room for a number of rows in all sandboxes together, until a generation is over.
func TestSandboxesShareTheRoomForRows(t *testing.T) { // not parallel: it sets the memory limit
	const most = 10
	before := debug.SetMemoryLimit(most * 4 << 10)
	r := newRegistry(t)
	debug.SetMemoryLimit(before)
	sb := r.Default()
	fill := func(sb *sandbox.Sandbox) (added int) {
		for ; sb.Change(newGroup(fmt.Sprint(added))) == nil; added++ {
			require.Less(t, added, most)
		}
		require.ErrorIs(t, sb.Change(newGroup("one more")), sim.WorldFull)
		return added
	}
	addGroup(t, sb, "A")
	_, err := sb.Snapshot("one")
	require.NoError(t, err)
	assert.Equal(t, most-1, fill(sb))
	require.NoError(t, sb.Restore("one"))

	fork, err := r.Fork(sb, "fork")
	require.NoError(t, err)
	addGroup(t, fork, "B")
	assert.Equal(t, most-2, fill(sb), "what the fork starts with is the other sandbox's")
	assert.Zero(t, fill(fork))
	sb.Reset("")
	assert.Equal(t, most-1, fill(fork))
	require.NoError(t, r.Delete("fork"))
	other := create(t, r, sandbox.Plan{})
	assert.Equal(t, most, fill(other))
	require.NoError(t, other.Restart("", parse(t, frozen)))
	assert.Equal(t, most, fill(sb))
}
