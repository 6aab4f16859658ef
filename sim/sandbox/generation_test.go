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

// A request that began in a generation sees how that ended. Its changes are discarded with it.
func TestRequestsEndInTheirGeneration(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	old := sb.Generation()
	alter(t, sb)
	last := sb.NowIn(old)
	assert.Equal(t, sb.Now(), last, "while it lasts")

	sb.Reset()
	assert.Equal(t, last, sb.NowIn(old))
	assert.Same(t, old.Faults(), last.Faults)
	sb.ChangeIn(old, func(m sandbox.Moment) (commit bool) {
		assert.Equal(t, []string{"Altered"}, groups(m))
		return assert.NoError(t, newGroup("Late")(m))
	})
	assert.Equal(t, []string{"Altered"}, groups(sb.NowIn(old)))
	assert.Empty(t, groups(sb.Now()))
	_, _, err := last.Journal.Next(t.Context(), 1)
	assert.ErrorIs(t, err, io.EOF, "the journal of the old generation is closed")

	for _, commit := range []bool{false, true} {
		sb.ChangeIn(sb.Generation(), func(m sandbox.Moment) bool {
			require.NoError(t, newGroup(fmt.Sprint(commit))(m))
			return commit
		})
	}
	assert.Equal(t, []string{"true"}, groups(sb.Now()))
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
