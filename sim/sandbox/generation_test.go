package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// What is asked of a deleted sandbox fails with ErrDeleted, wherever the sandbox was.
func TestDeletedSandbox(t *testing.T) {
	t.Parallel()
	for where, r := range map[string]*sandbox.Registry{
		"in memory":  newRegistry(t),
		"in a store": opened(t, newStore(t), frozen),
	} {
		ctx := t.Context()
		sb := create(t, r, sandbox.Plan{Name: "s"})
		_, err := sb.Snapshot(ctx, "one")
		require.NoError(t, err)
		require.NoError(t, r.Delete(ctx, sb))
		for call, err := range map[string]error{
			"view": second(sb.View(ctx, func(sandbox.View) (sandbox.Draft, error) {
				return anExchange, nil
			})),
			"update that only has an exchange": second(sb.Update(ctx, func(tx *sandbox.Tx) (sandbox.Draft, error) {
				tx.UndoWorld()
				return anExchange, nil
			})),
			"change":            sb.Change(ctx, newGroup("x")),
			"latest":            second(sb.Latest(ctx)),
			"reset":             sb.Reset(ctx, ""),
			"renew":             sb.Renew(ctx, time.Hour),
			"restart":           sb.Restart(ctx, "", parse(t, frozen)),
			"restore":           sb.Restore(ctx, "one"),
			"snapshot":          second(sb.Snapshot(ctx, "two")),
			"delete a snapshot": sb.DeleteSnapshot(ctx, "one"),
			"clear the journal": sb.ClearJournal(ctx),
			"fork":              second(r.Fork(ctx, sb, "fork", 0)),
		} {
			assert.ErrorIs(t, err, sandbox.ErrDeleted, "%s %s", call, where)
		}
		assert.ErrorIs(t, r.Delete(ctx, sb), sandbox.ErrNoSandbox, where)
		assert.True(t, sb.Known().Journal.Closed(), where)
	}
}

// second returns the error of a call that returns a value, too.
func second[T any](_ T, err error) error { return err }

// A scenario of its own replaces the one of the sandbox for all later resets. A seed from its creation stays.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	other := parse(t, "name: other\nextends: base\nseed: 9\n"+
		"institutions: [{institutionId: '02688', groups: [{groupName: Given}]}]\n")
	fortyTwo := uint64(42)
	for _, test := range []struct {
		plan sandbox.Plan
		seed uint64
	}{{sandbox.Plan{}, 9}, {sandbox.Plan{Seed: &fortyTwo}, 42}} {
		sb := create(t, r, test.plan)
		addGroup(t, sb, "Dropped")
		require.NoError(t, sb.Restart(t.Context(), "", other))
		for range 2 {
			v := latest(t, sb)
			assert.Equal(t, "other", v.Scenario.Name)
			assert.Equal(t, other.Version, v.Scenario.Version)
			assert.Equal(t, test.seed, v.Seed())
			assert.Equal(t, []string{"Given"}, groups(v))
			require.NoError(t, sb.Reset(t.Context(), ""))
		}
	}
}
