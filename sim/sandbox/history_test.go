package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// exchange makes a change with an exchange, and returns the id of that.
func exchange(t testing.TB, sb *sandbox.Sandbox, change func(sandbox.Moment) error) (id string) {
	t.Helper()
	require.NoError(t, sb.Change(func(m sandbox.Moment) error {
		err := change(m)
		step := journal.Step{Before: m.Before, After: m.World, Changed: m.World.Changed(), Running: m.Running}
		id = m.Journal.Add(journal.Raw{At: m.Now, Step: step})
		return err
	}))
	return id
}

// changed returns the rows that an exchange has changed.
func changed(t testing.TB, sb *sandbox.Sandbox, id string) []string {
	t.Helper()
	step, at, ok := sb.Now().Journal.Step(id)
	require.True(t, ok)
	rows := []string{}
	for c := range step.After.Diff(at, step.Before, at) {
		rows = append(rows, c.Row)
	}
	return rows
}

// A fork around an exchange has what was there at the time: not what came later, and what came between two exchanges from
// elsewhere.
func TestForksOfThePast(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := r.Default()
	_, err := sb.Snapshot("s")
	require.NoError(t, err)
	first := exchange(t, sb, newGroup("First"))
	advance(sb, time.Minute)
	addGroup(t, sb, "Between")
	second := exchange(t, sb, newGroup("Second"))
	sb.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Advance(time.Hour, real).Run(true, real) })
	third := exchange(t, sb, newGroup("Third"))
	require.NoError(t, sb.Restore("s"))
	fourth := exchange(t, sb, newGroup("Fourth"))

	forked := func(id string, side sandbox.Side) *sandbox.Sandbox {
		fork, err := r.ForkAt(sb, "", id, side)
		require.NoError(t, err)
		return fork
	}
	start := sb.Now().Now.Truncate(time.Minute)
	for _, test := range []struct {
		id     string
		side   sandbox.Side
		groups []string
		now    time.Duration // from the start, in whole minutes
		runs   bool
	}{
		{first, sandbox.Before, []string{}, 0, false},
		{first, sandbox.After, []string{"First"}, 0, false},
		{second, sandbox.Before, []string{"Between", "First"}, time.Minute, false},
		{second, sandbox.After, []string{"Between", "First", "Second"}, time.Minute, false},
		{third, sandbox.Before, []string{"Between", "First", "Second"}, time.Hour + time.Minute, true},
		{fourth, sandbox.Before, []string{}, 0, true},
		{fourth, sandbox.After, []string{"Fourth"}, 0, true},
	} {
		fork := forked(test.id, test.side)
		now := fork.Now()
		assert.Equal(t, test.groups, groups(now), "%s %v", test.id, test.side)
		assert.Equal(t, test.now, now.Now.Sub(start).Truncate(time.Minute), "%s %v", test.id, test.side)
		assert.Equal(t, test.runs, now.Running, "%s %v", test.id, test.side)
		alter(t, fork)
		fork.Reset("")
		assert.Equal(t, test.groups, groups(fork.Now()), "a reset returns to that")
	}
	assert.Len(t, changed(t, sb, second), 1)
	id := addGroup(t, forked(second, sandbox.Before), "Second")
	assert.Equal(t, []string{"groups/" + institution + "/" + id}, changed(t, sb, second), "the random source is as it was")
}
