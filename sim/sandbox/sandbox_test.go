package sandbox_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

func TestChangeIsAllOrNothing(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	before := sb.Now()
	failed := errors.New("failed")
	assert.Same(t, failed, sb.Change(func(m sandbox.Moment) error {
		require.NoError(t, newGroup("Half")(m))
		return failed
	}))
	assert.Same(t, before.World, sb.Now().World, "nothing has changed")
	require.NoError(t, sb.Change(newGroup("Whole")))
	assert.Equal(t, []string{"Whole"}, groups(sb.Now()))
	assert.Empty(t, groups(before), "a moment does not change")
}

func TestClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sb := newRegistry(t).Default()
		start := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
		clock := func(want time.Duration, wantRunning bool) {
			t.Helper()
			now := sb.Now()
			assert.Equal(t, start.Add(want), now.Now)
			assert.Equal(t, wantRunning, now.Running)
			assert.Equal(t, want, sb.Now().Since)
		}
		time.Sleep(time.Minute)
		clock(0, false)
		sb.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Advance(time.Hour, real).Run(true, real) })
		clock(time.Hour, true)
		time.Sleep(time.Minute)
		clock(time.Hour+time.Minute, true)
		sb.Reset("")
		clock(0, false)
	})
}

// A fork starts as the sandbox is now, and is independent from then on.
func TestFork(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := r.Default()
	alter(t, sb)
	fork, err := r.Fork(sb, "f")
	require.NoError(t, err)
	forked := shape{[]string{"Altered"}, sb.Now().Now, 1, 0} // the faults of the scenario, and an empty journal
	assert.Equal(t, forked, shapeOf(fork))
	assert.Same(t, sb.Scenario(), fork.Scenario())
	changes, err := fork.Diff(sandbox.Start)
	require.NoError(t, err)
	assert.Empty(t, slices.Collect(changes))

	assert.Equal(t, addGroup(t, sb, "Next"), addGroup(t, fork, "Next"), "both draw the same ids")
	sb.Reset("")
	assert.Equal(t, []string{"Altered", "Next"}, groups(fork.Now()))
	advance(fork, time.Hour)
	fork.Reset("")
	assert.Equal(t, forked, shapeOf(fork), "a reset returns to the moment of the fork")
}

// A snapshot restores world, random source and virtual time, as often as one likes, also after a reset.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	addGroup(t, sb, "Kept")
	advance(sb, time.Hour)
	taken, err := sb.Snapshot("b")
	require.NoError(t, err)
	assert.Equal(t, sb.Now().Now, taken.Now)
	assert.WithinRange(t, taken.TakenAt, sb.CreatedAt(), time.Now())

	drawn := addGroup(t, sb, "Dropped")
	alter(t, sb)
	for range 2 {
		require.NoError(t, sb.Restore("b"))
		assert.Equal(t, shape{[]string{"Kept"}, taken.Now, 0, 1}, shapeOf(sb), "faults and journal are not affected")
		assert.Equal(t, drawn, addGroup(t, sb, "Dropped"))
	}
	sb.Reset("")
	require.NoError(t, sb.Restore("b"))
	assert.Equal(t, []string{"Kept"}, groups(sb.Now()))

	_, err = sb.Snapshot("a")
	require.NoError(t, err)
	all := sb.Snapshots()
	require.Len(t, all, 2)
	assert.Equal(t, []sandbox.SnapshotInfo{{"a", taken.Now, all[0].TakenAt}, taken}, all)
}

func TestDiff(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	rows := func(since string) []string {
		changes, err := sb.Diff(since)
		require.NoError(t, err)
		rows := []string{}
		for c := range changes {
			rows = append(rows, c.Row)
		}
		return rows
	}
	assert.Empty(t, rows(sandbox.Start))
	one := "groups/02688/" + addGroup(t, sb, "One")
	_, err := sb.Snapshot("s")
	require.NoError(t, err)
	two := "groups/02688/" + addGroup(t, sb, "Two")
	assert.Equal(t, []string{two}, rows("s"))
	assert.ElementsMatch(t, []string{one, two}, rows(sandbox.Start))
	sb.Reset("")
	assert.Empty(t, rows(sandbox.Start))
	assert.Equal(t, []string{one}, rows("s"))
}
