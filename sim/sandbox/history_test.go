package sandbox_test

import (
	"fmt"
	"runtime"
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
	changes, err := sb.Changes(id)
	require.NoError(t, err)
	rows := []string{}
	for c := range changes {
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
		now, runs := fork.Clock()
		assert.Equal(t, test.groups, groups(fork.Now()), "%s %v", test.id, test.side)
		assert.Equal(t, test.now, now.Sub(start).Truncate(time.Minute), "%s %v", test.id, test.side)
		assert.Equal(t, test.runs, runs, "%s %v", test.id, test.side)
		alter(t, fork)
		fork.Reset()
		assert.Equal(t, test.groups, groups(fork.Now()), "a reset returns to that")
	}
	assert.Len(t, changed(t, sb, second), 1)
	id := addGroup(t, forked(second, sandbox.Before), "Second")
	assert.Equal(t, []string{"groups/" + institution + "/" + id}, changed(t, sb, second), "the random source is as it was")
}

// The worlds around an exchange are kept as long as the journal keeps the exchange.
func TestThePastGoesWithTheJournal(t *testing.T) {
	t.Parallel()
	budget := journal.NewBudget(0)
	r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, frozen), Budget: budget, Entries: 3})
	t.Cleanup(r.Close)
	sb := create(t, r, sandbox.Plan{Name: "s"})
	first := exchange(t, sb, newGroup("first"))
	assert.Len(t, changed(t, sb, first), 1)
	for name, end := range map[string]func(){
		"evicted": func() {
			for range 3 {
				sb.Now().Journal.Add(journal.Raw{})
			}
		},
		"cleared":  func() { sb.Now().Journal.Clear() },
		"reset":    sb.Reset,
		"scenario": func() { require.NoError(t, sb.Restart(parse(t, frozen))) },
	} {
		id := exchange(t, sb, newGroup(name))
		require.Len(t, changed(t, sb, id), 1)
		end()
		_, err := sb.Changes(id)
		assert.ErrorIs(t, err, sandbox.ErrNoExchange, name)
		_, err = r.ForkAt(sb, "", id, sandbox.Before)
		assert.ErrorIs(t, err, sandbox.ErrNoExchange, name)
	}
	require.NoError(t, r.Delete("s"))
	assert.Zero(t, budget.Used())
	_, err := sb.Changes("1")
	assert.ErrorIs(t, err, sandbox.ErrDeleted)
}

// What exchanges count for, with the worlds before them, is about what they take.
func TestWorldsOfThePastAreCounted(t *testing.T) { // not parallel: it measures the heap
	update := func(i int) func(sandbox.Moment) error {
		return func(m sandbox.Moment) error {
			var users []*sim.User
			for u := range m.World.Users(institution) {
				users = append(users, u)
			}
			active := i%2 == 0
			return m.World.PatchUser(institution, users[i*37%len(users)].HostUserID, sim.UserPatch{Active: &active}, m.Now)
		}
	}
	for name, test := range map[string]struct {
		users  int
		change func(i int) func(sandbox.Moment) error
	}{
		"groups of a small bank":  {0, func(i int) func(sandbox.Moment) error { return newGroup(fmt.Sprint("g", i)) }},
		"updates of a large bank": {5_000, update},
		"tokens of a large bank": {5_000, func(int) func(sandbox.Moment) error {
			return func(m sandbox.Moment) error {
				_, err := m.World.MintToken(institution, "demo-app", "", m.Now, time.Hour)
				return err
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			budget := journal.NewBudget(0)
			r := sandbox.NewRegistry(sandbox.Config{Budget: budget, Scenario: parse(t,
				fmt.Sprintf("extends: base\ninstitutions: [{institutionId: '02688', multistatement: true, generate: {users: %d}}]\n", test.users))})
			defer r.Close()
			var all []*sandbox.Sandbox
			for range 5 {
				sb := create(t, r, sandbox.Plan{})
				all = append(all, sb)
				for i := range 300 {
					exchange(t, sb, test.change(i))
				}
			}
			with, counted := heap(), budget.Used()
			for _, sb := range all {
				sb.Now().Journal.Clear()
			}
			took := with - heap()
			t.Logf("%d bytes a world, counted as %d", took/500, counted/500)
			assert.InDelta(t, 1, float64(counted)/float64(took), 0.5)
			runtime.KeepAlive(all)
		})
	}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
