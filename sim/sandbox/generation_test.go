package sandbox_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Whoever asks for a generation doesn't see another one.
func TestAGenerationIsOver(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := create(t, r, sandbox.Plan{Name: "s"})
	old := sb.Now().Generation
	for _, commit := range []error{errors.New("no"), nil} {
		assert.Equal(t, commit, sb.Change(func(m sandbox.Moment) error {
			require.NoError(t, newGroup(fmt.Sprint(commit))(m))
			assert.Same(t, sb.Now().World, m.Before)
			return commit
		}))
	}
	now, err := sb.NowIn(old)
	require.NoError(t, err)
	assert.Equal(t, []string{"<nil>"}, groups(now))

	sb.Reset("")
	_, err = sb.NowIn(old)
	assert.ErrorIs(t, err, sandbox.ErrGenerationOver)
	assert.Empty(t, groups(sb.Now()))
	assert.True(t, now.Journal.Closed(), "the journal of the old generation is closed")

	require.NoError(t, r.Delete("s"))
	_, err = sb.NowIn(old)
	assert.ErrorIs(t, err, sandbox.ErrDeleted)
	assert.ErrorIs(t, sb.Change(func(sandbox.Moment) error { return nil }), sandbox.ErrDeleted)
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
		require.NoError(t, sb.Restart("", other))
		for range 2 {
			sc, seed := sb.Start()
			assert.Same(t, other, sc)
			assert.Equal(t, test.seed, seed)
			assert.Equal(t, []string{"Given"}, groups(sb.Now()))
			sb.Reset("")
		}
	}
}
