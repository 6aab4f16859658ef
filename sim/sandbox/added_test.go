package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// What callers have added counts once, for the sandbox in which they did, and until its generation is over.
func TestAddedBytes(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := r.Default()
	require.Zero(t, r.AddedBytes())
	addGroup(t, sb, "A")
	one := r.AddedBytes()
	assert.Positive(t, one)

	_, err := sb.Snapshot("one")
	require.NoError(t, err)
	addGroup(t, sb, "B")
	assert.Equal(t, 2*one, r.AddedBytes())
	require.NoError(t, sb.Restore("one"))
	assert.Equal(t, one, r.AddedBytes())

	fork, err := r.Fork(sb, "fork")
	require.NoError(t, err)
	assert.Equal(t, one, r.AddedBytes(), "what a fork starts with is the other sandbox's")
	addGroup(t, fork, "C")
	assert.Equal(t, 2*one, r.AddedBytes())
	fork.Reset()
	assert.Equal(t, one, r.AddedBytes())
	addGroup(t, fork, "C")
	require.NoError(t, r.Delete("fork"))
	assert.Equal(t, one, r.AddedBytes())
	require.NoError(t, fork.Change(newGroup("D")), "by one who had it before")
	assert.Equal(t, one, r.AddedBytes())

	other := create(t, r, sandbox.Plan{TTL: time.Hour})
	addGroup(t, other, "E")
	require.NoError(t, other.Restart(parse(t, frozen)))
	sb.Reset()
	assert.Zero(t, r.AddedBytes())
}
