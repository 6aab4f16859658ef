package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// exchange makes a change with an exchange, and returns the id of the exchange.
func exchange(t testing.TB, sb *sandbox.Sandbox, change func(*sandbox.Tx) error) (id string) {
	t.Helper()
	id, err := sb.Update(t.Context(), func(tx *sandbox.Tx) (sandbox.Draft, error) {
		err := change(tx)
		record := journal.Record{
			Exchange: &journal.Exchange{At: tx.Now, Changed: tx.World.Changed()},
			Step:     journal.Step{Before: tx.Before, After: tx.World, Running: tx.Running, Since: tx.Since},
		}
		return func() journal.Record { return record }, err
	})
	require.NoError(t, err)
	return id
}

// A fork around an exchange has what was there at the time. It has what came between two exchanges, and not what came
// later.
func TestForksOfThePast(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	ctx, sb := t.Context(), r.Default()
	_, err := sb.Snapshot(ctx, "s")
	require.NoError(t, err)
	exchange(t, sb, newGroup("First"))
	advance(t, sb, time.Minute)
	addGroup(t, sb, "Between")
	second := exchange(t, sb, newGroup("Second"))
	require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) error {
		tx.Clock = tx.Clock.Advance(time.Hour, tx.Wall).Run(true, tx.Wall)
		return nil
	}))
	third := exchange(t, sb, newGroup("Third"))
	require.NoError(t, sb.Restore(ctx, "s"))
	fourth := exchange(t, sb, newGroup("Fourth"))

	start := latest(t, sb).Now.Truncate(time.Minute)
	for _, test := range []struct {
		id     string
		side   sandbox.Side
		groups []string
		now    time.Duration // from the start, in whole minutes
		runs   bool
	}{
		{second, sandbox.Before, []string{"Between", "First"}, time.Minute, false},
		{second, sandbox.After, []string{"Between", "First", "Second"}, time.Minute, false},
		{third, sandbox.Before, []string{"Between", "First", "Second"}, time.Hour + time.Minute, true},
		{fourth, sandbox.After, []string{"Fourth"}, 0, true},
	} {
		fork, err := r.ForkAt(ctx, sb, "", 0, test.id, test.side)
		require.NoError(t, err)
		now := latest(t, fork)
		assert.Equal(t, test.groups, groups(now), "%s %v", test.id, test.side)
		assert.Equal(t, test.now, now.Now.Sub(start).Truncate(time.Minute), "%s %v", test.id, test.side)
		assert.Equal(t, test.now, now.Since.Truncate(time.Minute), "%s %v: since the start", test.id, test.side)
		assert.Equal(t, test.runs, now.Running, "%s %v", test.id, test.side)
		drawn := addGroup(t, fork, "Drawn")
		require.NoError(t, fork.Reset(ctx, ""))
		assert.Equal(t, test.groups, groups(latest(t, fork)), "a reset returns to that")
		assert.Equal(t, drawn, addGroup(t, fork, "Drawn"), "and so does the random source")
	}
}
