package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// testStore is a store in a file whose writes can fail, wait, and go unconfirmed.
type testStore struct {
	sandbox.Store
	before, after func(write, bank string) error // called around each write; their errors are the write's
}

func newStore(t testing.TB) *testStore {
	t.Helper()
	file, err := store.OpenFile(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	return &testStore{Store: file}
}

// write makes a write between the calls of before and after.
func (s *testStore) write(write, bank string, fn func() error) error {
	if s.before != nil {
		if err := s.before(write, bank); err != nil {
			return err
		}
	}
	if err := fn(); err != nil || s.after == nil {
		return err
	}
	return s.after(write, bank)
}

func (s *testStore) Create(
	ctx context.Context, name string, b sandbox.Bank, rows sandbox.Rows,
) (v sandbox.Version, err error) {
	err = s.write("create", name, func() error {
		v, err = s.Store.Create(ctx, name, b, rows)
		return err
	})
	return v, err
}

func (s *testStore) Delete(ctx context.Context, name string, v sandbox.Version) error {
	return s.write("delete", name, func() error { return s.Store.Delete(ctx, name, v) })
}

func (s *testStore) Commit(
	ctx context.Context, name string, base sandbox.Version, b sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	err = s.write("commit", name, func() error {
		next, first, err = s.Store.Commit(ctx, name, base, b)
		return err
	})
	return next, first, err
}

func (s *testStore) Stage(ctx context.Context, name string, v sandbox.Version, rows sandbox.Rows) error {
	return s.write("stage", name, func() error { return s.Store.Stage(ctx, name, v, rows) })
}

func (s *testStore) Drop(ctx context.Context, name string, v sandbox.Version, ids ...sandbox.WorldID) error {
	return s.write("drop", name, func() error { return s.Store.Drop(ctx, name, v, ids...) })
}

// opened returns a registry whose sandboxes a store keeps.
func opened(t testing.TB, st sandbox.Store, yaml string) *sandbox.Registry {
	t.Helper()
	heads, err := st.List(t.Context())
	require.NoError(t, err)
	r, wasStored, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: parse(t, yaml)}, st)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	assert.Equal(t, len(heads) > 0, wasStored)
	return r
}

// A registry goes on with all that another one has had stored: worlds, random sources, clocks, and faults with their
// counts. Clocks run on meanwhile. That snapshots and forks stay is tested with the banks of earlier versions.
func TestStoredSandboxesGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newStore(t)
		before := opened(t, st, frozen)
		sb := before.Default()
		addGroup(t, sb, "first")
		require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) (err error) {
			tx.UndoWorld()
			twice := fault.Rule{Name: "twice", When: fault.When{First: 2}, Then: fault.Then{Status: 500}}
			removed := fault.Rule{Name: "removed", Required: true, Then: fault.Then{Status: 500}}
			tx.Faults, _, err = tx.Faults.Add(twice, removed)
			tx.Faults = tx.Faults.Remove("removed")
			return err
		}))
		create(t, before, sandbox.Plan{Name: "running", Scenario: parse(t, frozen)})
		require.NoError(t, find(t, before, "running").Change(ctx, func(tx *sandbox.Tx) error {
			tx.Clock = tx.Clock.Run(true, tx.Wall)
			return nil
		}))
		short := create(t, before, sandbox.Plan{Name: "short", TTL: time.Minute})
		assert.NoError(t, second(before.Fork(ctx, short, "tied", 0)))
		create(t, before, sandbox.Plan{Name: "gone"})
		require.NoError(t, before.Delete(ctx, find(t, before, "gone")))
		for _, id := range []string{"1", "2", "3"} {
			require.Equal(t, id, exchange(t, sb, func(tx *sandbox.Tx) error {
				tx.UndoWorld()
				_, tx.Faults = tx.Faults.Decide(&fault.Query{Operation: "groups.list"})
				if tx.Changes() > 0 {
					tx.Faults = tx.Faults.CountIdle([]fault.Idle{{Name: "twice", Rival: "another"}})
				}
				return nil
			}))
		}
		old := latest(t, sb)
		next := old.World.Fork()
		before.Close()

		time.Sleep(time.Hour)
		after := opened(t, st, frozen)
		synctest.Wait()
		sb = after.Default()
		now := latest(t, sb)
		assert.True(t, now.World.Equal(next), "the same rows, and the same draws from here on")
		assert.Equal(t, old.Faults.Counts(), now.Faults.Counts())
		require.Len(t, now.Faults.Findings(), 1, "of the rule that was removed")
		assert.Equal(t, old.Faults.Findings(), now.Faults.Findings())
		twice := now.Faults.Counts()[1]
		assert.Equal(t, []uint64{3, 2}, []uint64{twice.Matched, twice.Fired})
		assert.Equal(t, "10004", exchange(t, sb, nothing), "no exchange has the number of one that wasn't stored")
		assert.ErrorIs(t, second(after.ForkAt(ctx, sb, "", 0, "2", sandbox.Before)), sandbox.ErrNoExchange)
		running := latest(t, find(t, after, "running"))
		assert.Equal(t, running.Scenario.Start.Add(time.Hour), running.Now, "a clock runs on")
		assert.Equal(t, now.Scenario.Start, now.Now, "a clock that stands still stays")
		for _, name := range []string{"short", "tied", "gone"} { // the first has expired, and its fork with it
			assert.ErrorIs(t, second(after.Find(ctx, name)), sandbox.ErrNoSandbox, name)
		}

		require.NoError(t, sb.Reset(ctx, ""))
		assert.Empty(t, groups(latest(t, sb)))
		assert.Len(t, latest(t, sb).Faults.Counts(), 1)
	})
}

// A reset of a stored sandbox that follows the registry's scenario starts from the scenario that there is now.
func TestResetOfStoredSandboxFollows(t *testing.T) {
	t.Parallel()
	st := newStore(t)
	opened(t, st, frozen).Close()
	r := opened(t, st, frozen+"description: another\n")
	sb, newest := r.Default(), r.Origin().Scenario.Version
	assert.NotEqual(t, newest, latest(t, sb).Scenario.Version)
	require.NoError(t, sb.Reset(t.Context(), ""))
	assert.Equal(t, newest, latest(t, sb).Scenario.Version)
	r.Close()
	again := opened(t, st, frozen)
	assert.Equal(t, newest, latest(t, again.Default()).Scenario.Version, "the new scenario is stored")
}

// What can't be stored changes nothing.
func TestNotStored(t *testing.T) {
	t.Parallel()
	ctx, st := t.Context(), newStore(t)
	r := opened(t, st, frozen)
	sb := r.Default()
	other := create(t, r, sandbox.Plan{Name: "other"})
	_, err := sb.Snapshot(ctx, "one")
	require.NoError(t, err)
	exchange(t, sb, nothing)
	before, was := latest(t, sb), shapeOf(t, sb)
	st.before = func(string, string) error { return errors.New("the disk is full") }
	for name, err := range map[string]error{
		"change":  sb.Change(ctx, newGroup("x")),
		"reset":   sb.Reset(ctx, ""),
		"restore": sb.Restore(ctx, "one"),
		"forget":  sb.DeleteSnapshot(ctx, "one"),
		"exchange": second(sb.Update(ctx, func(tx *sandbox.Tx) (sandbox.Draft, error) {
			return anExchange, newGroup("x")(tx)
		})),
		"journal":  sb.ClearJournal(ctx),
		"snapshot": second(sb.Snapshot(ctx, "two")),
		"sandbox":  second(r.Create(ctx, sandbox.Plan{Name: "new"})),
		"fork":     second(r.Fork(ctx, sb, "new", 0)),
		"delete":   r.Delete(ctx, other),
	} {
		assert.ErrorIs(t, err, sandbox.ErrNotStored, name)
		assert.ErrorContains(t, err, "the disk is full", name)
	}
	now := latest(t, sb)
	assert.Same(t, before.World, now.World)
	assert.Same(t, before.Generation, now.Generation)
	assert.False(t, now.Journal.Closed())
	assert.Equal(t, was, shapeOf(t, sb))
	assert.Len(t, now.Snapshots(), 1)
	assert.Equal(t, 2, r.Len())

	worlds := 0
	st.before = func(write, _ string) error {
		worlds += map[string]int{"stage": 1, "drop": -1}[write]
		return nil
	}
	addGroup(t, sb, "at last")
	require.NoError(t, sb.Reset(ctx, ""))
	assert.Zero(t, worlds, "the world before the reset is dropped")
	require.NoError(t, r.Delete(ctx, other))
	create(t, r, sandbox.Plan{Name: "new"})
}

// A world is not dropped from the store if a change that may have been made refers to it.
func TestUnsureChangesLoseNoWorld(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(context.Context, *sandbox.Sandbox) error{
		"reset":    func(ctx context.Context, sb *sandbox.Sandbox) error { return sb.Reset(ctx, "") },
		"restore":  func(ctx context.Context, sb *sandbox.Sandbox) error { return sb.Restore(ctx, "one") },
		"snapshot": func(ctx context.Context, sb *sandbox.Sandbox) error { return second(sb.Snapshot(ctx, "two")) },
	} {
		ctx, st := t.Context(), newStore(t)
		sure := opened(t, st, frozen)
		_, err := sure.Default().Snapshot(ctx, "one")
		require.NoError(t, err)
		sure.Close()
		unsure := opened(t, st, frozen)
		st.after = func(write, _ string) error {
			if write == "commit" {
				return sandbox.ErrUnsure
			}
			return nil
		}
		require.ErrorIs(t, change(ctx, unsure.Default()), sandbox.ErrUnsure, name)
		unsure.Close()

		sb := opened(t, st, frozen).Default()
		now := latest(t, sb)
		assert.NotEmpty(t, slices.Collect(now.World.Rows()), "the present world after an unsure %s", name)
		for _, snapshot := range now.Snapshots() {
			assert.NoError(t, second(sb.Diff(ctx, now, snapshot.Name)), "%s, after an unsure %s", snapshot.Name, name)
		}
	}
}

// A sandbox that is being created keeps no other one waiting. Its name is taken, and nobody finds another one under it.
func TestSlowCreation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st, release := t.Context(), newStore(t), make(chan struct{})
		r := opened(t, st, frozen)
		other := create(t, r, sandbox.Plan{Name: "other"})
		st.after = func(_, bank string) error {
			if bank == "slow" {
				<-release
			}
			return nil
		}
		var created, found *sandbox.Sandbox
		var calls sync.WaitGroup
		calls.Go(func() { created = create(t, r, sandbox.Plan{Name: "slow"}) })
		synctest.Wait() // until the store has the bank
		addGroup(t, other, "here")
		assert.Equal(t, []string{"here"}, groups(latest(t, other)))
		assert.ErrorIs(t, second(r.Create(ctx, sandbox.Plan{Name: "slow"})), sandbox.ErrTaken)
		calls.Go(func() {
			var err error
			if found, err = r.Find(ctx, "slow"); err != nil {
				assert.ErrorIs(t, err, sandbox.ErrNoSandbox, "it is not there yet")
			}
		})
		synctest.Wait()
		close(release)
		calls.Wait()
		assert.Same(t, created, find(t, r, "slow"))
		if found != nil {
			assert.Same(t, created, found)
		}
	})
}

// No two exchanges have the same number, even if reads are numbered while a change is stored, and the process is killed
// then.
func TestNumbersOutliveAKill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st, release := newStore(t), make(chan struct{})
		killed := opened(t, st, frozen).Default()
		st.before = func(string, string) error {
			<-release
			return nil
		}
		last := ""
		var change sync.WaitGroup
		change.Go(func() { last = exchange(t, killed, newGroup("one")) })
		synctest.Wait() // until the store has the change
		for range 3 {
			_, err := killed.View(t.Context(), func(sandbox.View) (sandbox.Draft, error) { return anExchange, nil })
			require.NoError(t, err)
		}
		close(release)
		change.Wait()
		st.before = nil
		assert.Equal(t, "4", last)
		assert.Equal(t, "10002", exchange(t, opened(t, st, frozen).Default(), newGroup("two")))
	})
}

// A sandbox whose time to live is over goes as soon as the store can delete it.
func TestExpiryIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st, failures := newStore(t), 1
		st.before = func(write, _ string) error {
			if write == "delete" && failures > 0 {
				failures--
				return errors.New("the disk is full")
			}
			return nil
		}
		r := opened(t, st, frozen)
		sb := create(t, r, sandbox.Plan{Name: "brief", TTL: time.Hour})
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, failures)
		assert.Same(t, sb, find(t, r, "brief"), "it is still there")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.ErrorIs(t, second(r.Find(t.Context(), "brief")), sandbox.ErrNoSandbox)
		assert.ErrorIs(t, second(st.Load(t.Context(), "brief")), sandbox.ErrNoSandbox)
	})
}

// Calls that wait for the store are committed together. One that fails or panics has no part in it.
func TestCallsInABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newStore(t)
		sb := opened(t, st, frozen).Default()
		release, commits, no := make(chan struct{}), 0, errors.New("no")
		st.before = func(string, string) error {
			<-release
			commits++
			return nil
		}
		var calls sync.WaitGroup
		calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup("before"))) })
		synctest.Wait() // until the first call holds the store
		calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup("one"))) })
		calls.Go(func() {
			defer func() {
				if caught, ok := recover().(*sandbox.Panic); assert.True(t, ok) {
					assert.Equal(t, "a programming error", caught.Value)
					assert.Contains(t, string(caught.Stack), "store_test.go")
				}
			}()
			_ = sb.Change(ctx, func(tx *sandbox.Tx) error {
				_ = newGroup("half")(tx)
				panic("a programming error")
			})
		})
		calls.Go(func() {
			assert.Equal(t, no, sb.Change(ctx, func(tx *sandbox.Tx) error {
				_ = newGroup("half")(tx)
				return no
			}))
		})
		calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup("two"))) })
		synctest.Wait()
		close(release)
		calls.Wait()
		assert.Equal(t, 2, commits)
		assert.Equal(t, []string{"before", "one", "two"}, groups(latest(t, sb)))
	})
}

// otherStore is a store with banks that another version has written.
type otherStore struct {
	sandbox.Store
	change func(*sandbox.Bank)
}

func (s otherStore) Load(ctx context.Context, name string) (sandbox.Bank, error) {
	b, err := s.Store.Load(ctx, name)
	s.change(&b)
	return b, err
}

// What this version can't read is no reason to lose it. The registry is refused, and says where it is.
func TestBanksOfAnotherVersionAreRefused(t *testing.T) {
	t.Parallel()
	st := newStore(t)
	opened(t, st, frozen).Close()
	for want, change := range map[string]func(*sandbox.Bank){
		`row "today" of table "weather": a newer version of banksim has written it`: func(b *sandbox.Bank) {
			row := sim.StoredRow{Table: "weather", Key: "today", Value: []byte(`{}`)}
			b.Worlds[sandbox.OwnRows] = append(b.Worlds[sandbox.OwnRows], row)
		},
		`this version can't read its scenario: start the version that has stored it, or name another place: ` +
			`test.yaml:1:1: unknown key "weather"`: func(b *sandbox.Bank) {
			b.Scenario = append([]byte("weather: fine\n"), b.Scenario...)
		},
	} {
		_, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: parse(t, "description: new\n"+frozen)},
			otherStore{st, change})
		require.ErrorIs(t, err, sandbox.ErrNotStored)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "the bank default of "+st.Location())
		assert.False(t, errors.As(err, new(scenario.Problems)), "the command line shows problems alone")
	}
}
