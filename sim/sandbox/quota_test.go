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

// Callers share the memory limit. It has room for a number of rows in all sandboxes together. A reset makes room.
func TestSandboxesShareTheRoomForRows(t *testing.T) { // not parallel: it sets the memory limit
	const most = 10
	before := debug.SetMemoryLimit(most * 4 << 10)
	r := newRegistry(t)
	debug.SetMemoryLimit(before)
	ctx, sb := t.Context(), r.Default()
	fill := func(sb *sandbox.Sandbox) (added int) {
		for ; sb.Change(ctx, newGroup(fmt.Sprint(added))) == nil; added++ {
			require.Less(t, added, most)
		}
		require.ErrorIs(t, sb.Change(ctx, newGroup("one more")), sim.WorldFull)
		return added
	}
	addGroup(t, sb, "A")
	_, err := sb.Snapshot(ctx, "one")
	require.NoError(t, err)
	assert.Equal(t, most-1, fill(sb))
	require.NoError(t, sb.Restore(ctx, "one"))

	fork, err := r.Fork(ctx, sb, "fork", 0)
	require.NoError(t, err)
	addGroup(t, fork, "B")
	assert.Equal(t, most-2, fill(sb), "what the fork starts with belongs to the other sandbox")
	assert.Zero(t, fill(fork))
	require.NoError(t, sb.Reset(ctx, ""))
	assert.Equal(t, most-1, fill(fork))
	require.NoError(t, r.Delete(ctx, fork))
	other := create(t, r, sandbox.Plan{})
	assert.Equal(t, most, fill(other))
	require.NoError(t, other.Restart(ctx, "", parse(t, frozen)))
	assert.Equal(t, most, fill(sb))
}
