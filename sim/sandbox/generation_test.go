package sandbox_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// A reset returns everything but the snapshots to the start, and begins a generation.
func TestReset(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	before, generation := shapeOf(sb), sb.Generation()
	drawn := addGroup(t, sb, "Night owls")
	_, err := sb.Snapshot("s")
	require.NoError(t, err)
	alter(t, sb)
	assert.NotEqual(t, before, shapeOf(sb))

	sb.Reset()
	assert.Equal(t, before, shapeOf(sb))
	assert.NotSame(t, generation, sb.Generation())
	assert.Equal(t, drawn, addGroup(t, sb, "Night owls"), "the random source is back at the start")
	assert.Len(t, sb.Snapshots(), 1)
}

// What began in a generation can't see or change the sandbox once that is over.
func TestAGenerationIsOver(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := create(t, r, sandbox.Plan{Name: "s"})
	old := sb.Generation()
	for _, commit := range []bool{false, true} {
		require.NoError(t, sb.ChangeIn(old, func(m sandbox.Moment) bool {
			require.NoError(t, newGroup(fmt.Sprint(commit))(m))
			return commit
		}))
	}
	now, err := sb.NowIn(old)
	require.NoError(t, err)
	assert.Equal(t, []string{"true"}, groups(now))
	assert.Same(t, old.Faults(), now.Faults)

	isOver := func(want error) {
		t.Helper()
		_, err := sb.NowIn(old)
		assert.ErrorIs(t, err, want)
		assert.ErrorIs(t, sb.ChangeIn(old, func(sandbox.Moment) bool { return assert.Fail(t, "it runs") }), want)
	}
	sb.Reset()
	isOver(sandbox.ErrGenerationOver)
	assert.Empty(t, groups(sb.Now()))
	_, _, err = now.Journal.Batch(1)
	assert.ErrorIs(t, err, io.EOF, "the journal of the old generation is closed")

	old = sb.Generation()
	require.NoError(t, r.Delete("s"))
	isOver(sandbox.ErrDeleted)
}

// A scenario of its own replaces that of the sandbox for all later resets. A seed from its creation stays.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	other := parse(t, "name: other\nextends: base\nseed: 9\ninstitutions: [{institutionId: '02688', groups: [{groupName: Given}]}]\n")
	fortyTwo := uint64(42)
	for _, test := range []struct {
		plan sandbox.Plan
		seed uint64
	}{{sandbox.Plan{}, 9}, {sandbox.Plan{Seed: &fortyTwo}, 42}} {
		sb := create(t, r, test.plan)
		addGroup(t, sb, "Dropped")
		require.NoError(t, sb.Restart(other))
		for range 2 {
			sc, seed := sb.Start()
			assert.Same(t, other, sc)
			assert.Equal(t, test.seed, seed)
			assert.Equal(t, []string{"Given"}, groups(sb.Now()))
			sb.Reset()
		}
	}
}
