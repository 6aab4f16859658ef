package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// memoryStore is a store in memory, of this process alone.
type memoryStore struct {
	err    error                          // of every write
	before func(write, bank string) error // called before a write, without a lock; its error is the one of the write

	mu      sync.Mutex
	banks   map[string]sandbox.Bank
	created int64
	commits int
	reads   int // how many worlds were read
}

func newMemoryStore() *memoryStore { return &memoryStore{banks: map[string]sandbox.Bank{}} }

func (m *memoryStore) Location() string            { return "memory" }
func (m *memoryStore) Shared() bool                { return false }
func (m *memoryStore) Check(context.Context) error { return nil }

func (m *memoryStore) List(context.Context) (heads []sandbox.Head, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.banks)) {
		b := m.banks[name]
		heads = append(heads, sandbox.Head{Name: name, Version: b.Version, Description: b.Description})
	}
	return heads, nil
}

func (m *memoryStore) Load(_ context.Context, name string) (sandbox.Bank, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.banks[name]
	if !ok {
		return b, sandbox.ErrNoSandbox
	}
	b.Worlds = maps.Clone(b.Worlds)
	maps.DeleteFunc(b.Worlds, func(id sandbox.WorldID, _ []sim.StoredRow) bool {
		return id != sandbox.OwnRows && id != b.Present
	})
	return b, nil
}

func (m *memoryStore) Create(_ context.Context, name string, b sandbox.Bank) (sandbox.Version, error) {
	err := m.write("create", name, func() error {
		if _, taken := m.banks[name]; taken {
			return sandbox.ErrTaken
		}
		m.created++
		b.Version, b.Worlds = sandbox.Version{Bank: m.created, Seq: 1}, maps.Clone(b.Worlds)
		m.banks[name] = b
		return nil
	})
	return b.Version, err
}

func (m *memoryStore) Delete(_ context.Context, name string, v sandbox.Version) error {
	return m.change("delete", name, v, func(sandbox.Bank) error {
		delete(m.banks, name)
		return nil
	})
}

func (m *memoryStore) Commit(
	_ context.Context, name string, base sandbox.Version, batch sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	if batch.Change == nil {
		return base, 0, nil
	}
	next = base
	next.Seq++
	err = m.change("commit", name, base, func(b sandbox.Bank) error {
		if b.Version != base {
			return fmt.Errorf("the bank is at version %v, and the commit begins at %v", b.Version, base)
		}
		m.commits++
		c := batch.Change
		b.Description = c.Description
		if c.Scenario != nil {
			b.Scenario = c.Scenario
		}
		for _, row := range c.Rows {
			b.Worlds[row.World] = put(b.Worlds[row.World], row.StoredRow)
		}
		b.Version, b.Present = next, batch.Present
		m.banks[name] = b
		return nil
	})
	return next, 0, err
}

// put returns rows with another one put or removed.
func put(rows []sim.StoredRow, row sim.StoredRow) []sim.StoredRow {
	rows = slices.DeleteFunc(slices.Clone(rows), func(old sim.StoredRow) bool {
		return old.Table == row.Table && old.Key == row.Key
	})
	if row.Removed {
		return rows
	}
	return append(rows, row)
}

func (m *memoryStore) Follow(
	_ context.Context, _ string, since sandbox.Version, _ uint64,
) (sandbox.News, error) {
	return sandbox.News{Version: since}, nil
}

func (m *memoryStore) Locked(
	_ context.Context, _ string, _ sandbox.Version, fn func(sandbox.Store) error,
) error {
	return fn(m)
}

func (m *memoryStore) Stage(
	_ context.Context, name string, v sandbox.Version, id sandbox.WorldID, rows []sim.StoredRow,
) error {
	return m.change("stage", name, v, func(b sandbox.Bank) error {
		b.Worlds[id] = rows
		return nil
	})
}

func (m *memoryStore) World(
	_ context.Context, name string, v sandbox.Version, id sandbox.WorldID,
) ([]sim.StoredRow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	b := m.banks[name]
	if b.Version.Bank != v.Bank {
		return nil, sandbox.ErrDeleted
	}
	rows, ok := b.Worlds[id]
	if !ok {
		return nil, fmt.Errorf("there is no world %d", id)
	}
	return rows, nil
}

func (m *memoryStore) Drop(_ context.Context, name string, v sandbox.Version, ids ...sandbox.WorldID) error {
	return m.change("drop", name, v, func(b sandbox.Bank) error {
		for _, id := range ids {
			delete(b.Worlds, id)
		}
		return nil
	})
}

// change makes a write to the bank of a version.
func (m *memoryStore) change(write, name string, v sandbox.Version, fn func(sandbox.Bank) error) error {
	return m.write(write, name, func() error {
		b := m.banks[name]
		if b.Version.Bank != v.Bank {
			return sandbox.ErrDeleted
		}
		return fn(b)
	})
}

func (m *memoryStore) write(write, name string, fn func() error) error {
	if m.before != nil {
		if err := m.before(write, name); err != nil {
			return err
		}
	}
	if m.err != nil {
		return m.err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return fn()
}

// worlds returns how many worlds a bank has in the store.
func (m *memoryStore) worlds(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := 0
	for id := range m.banks[name].Worlds {
		if id != sandbox.OwnRows {
			count++
		}
	}
	return count
}

// unsureStore is a store that doesn't say whether it has taken a commit. It has.
type unsureStore struct{ *memoryStore }

func (u unsureStore) Commit(
	ctx context.Context, name string, base sandbox.Version, batch sandbox.Batch,
) (sandbox.Version, uint64, error) {
	if _, _, err := u.memoryStore.Commit(ctx, name, base, batch); err != nil {
		return base, 0, err
	}
	return base, 0, sandbox.ErrUnsure
}

// slowStore is a store that has created a bank some time before it says so.
type slowStore struct {
	*memoryStore
	release chan struct{}
}

func (s slowStore) Create(ctx context.Context, name string, b sandbox.Bank) (sandbox.Version, error) {
	v, err := s.memoryStore.Create(ctx, name, b)
	if name != sandbox.Default {
		<-s.release
	}
	return v, err
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

// A registry goes on with all that another one has had stored: worlds, random sources, snapshots, forks, clocks, and
// faults with their counts. Clocks run on meanwhile.
func TestStoredSandboxesGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newMemoryStore()
		before := opened(t, st, frozen)
		sb := before.Default()
		addGroup(t, sb, "first")
		_, err := sb.Snapshot(ctx, "one")
		require.NoError(t, err)
		addGroup(t, sb, "second")
		fork, err := before.Fork(ctx, sb, "fork", 0)
		require.NoError(t, err)
		addGroup(t, fork, "third")
		require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) (err error) {
			tx.UndoWorld()
			twice := fault.Rule{Name: "twice", When: fault.When{First: 2}, Then: fault.Then{Status: 500}}
			tx.Faults, _, err = tx.Faults.Add(twice)
			return err
		}))
		create(t, before, sandbox.Plan{Name: "running", Scenario: parse(t, frozen)})
		require.NoError(t, find(t, before, "running").Change(ctx, func(tx *sandbox.Tx) error {
			tx.Clock = tx.Clock.Run(true, tx.Wall)
			return nil
		}))
		create(t, before, sandbox.Plan{Name: "short", TTL: time.Minute})
		create(t, before, sandbox.Plan{Name: "gone"})
		require.NoError(t, before.Delete(ctx, find(t, before, "gone")))
		for _, id := range []string{"1", "2", "3"} {
			got, err := sb.Update(ctx, func(tx *sandbox.Tx) (*journal.Raw, error) {
				tx.UndoWorld()
				_, tx.Faults = tx.Faults.Decide(&fault.Query{Operation: "groups.list"})
				return &journal.Raw{}, nil
			})
			require.NoError(t, err)
			require.Equal(t, id, got)
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
		assert.Equal(t, old.Changes(), now.Changes())
		assert.Equal(t, old.Faults.Counts(), now.Faults.Counts())
		twice := now.Faults.Counts()[1]
		assert.Equal(t, []uint64{3, 2}, []uint64{twice.Matched, twice.Fired})
		id, err := sb.View(ctx, func(sandbox.View) (*journal.Raw, error) { return &journal.Raw{}, nil })
		require.NoError(t, err)
		assert.Equal(t, "4", id, "exchanges go on")
		_, err = after.ForkAt(ctx, sb, "", 0, "2", sandbox.Before)
		assert.ErrorIs(t, err, sandbox.ErrNoExchange)
		running := latest(t, find(t, after, "running"))
		assert.Equal(t, running.Scenario.Start.Add(time.Hour), running.Now, "a clock runs on")
		assert.Equal(t, now.Scenario.Start, now.Now, "a clock that stands still stays")
		for _, name := range []string{"short", "gone"} { // the first has expired
			_, err = after.Find(ctx, name)
			assert.ErrorIs(t, err, sandbox.ErrNoSandbox, name)
		}

		fork = find(t, after, "fork")
		assert.Equal(t, sandbox.Fork{Of: sandbox.Default}, fork.Info().Fork)
		assert.Equal(t, []string{"first", "second", "third"}, groups(latest(t, fork)))
		require.NoError(t, fork.Reset(ctx, ""))
		assert.Equal(t, []string{"first", "second"}, groups(latest(t, fork)), "its start is the moment of the fork")
		require.NoError(t, sb.Restore(ctx, "one"))
		assert.Equal(t, []string{"first"}, groups(latest(t, sb)))
		require.NoError(t, sb.Reset(ctx, ""))
		assert.Empty(t, groups(latest(t, sb)))
		assert.Len(t, latest(t, sb).Faults.Counts(), 1)
	})
}

// A change counts for the world if it may have written to the world. The clock, faults and snapshots are no part of it.
func TestChangesOfTheWorldAreCounted(t *testing.T) {
	t.Parallel()
	for where, r := range map[string]*sandbox.Registry{
		"in memory":  newRegistry(t),
		"in a store": opened(t, newMemoryStore(), frozen),
	} {
		ctx, sb := t.Context(), r.Default()
		addGroup(t, sb, "first")
		addGroup(t, sb, "second")
		assert.Equal(t, uint64(2), latest(t, sb).Changes(), where)
		advance(t, sb, time.Minute)
		require.NoError(t, sb.Change(ctx, withoutFaults))
		_, err := sb.Snapshot(ctx, "one")
		require.NoError(t, err)
		assert.Equal(t, uint64(2), latest(t, sb).Changes(), where)
	}
}

// A reset of a stored sandbox that follows the registry's scenario starts from the scenario that there is now.
func TestResetOfStoredSandboxFollows(t *testing.T) {
	t.Parallel()
	st := newMemoryStore()
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
	ctx, st := t.Context(), newMemoryStore()
	r := opened(t, st, frozen)
	sb := r.Default()
	create(t, r, sandbox.Plan{Name: "other"})
	_, err := sb.Snapshot(ctx, "one")
	require.NoError(t, err)
	_, err = sb.View(ctx, func(sandbox.View) (*journal.Raw, error) { return &journal.Raw{}, nil })
	require.NoError(t, err)
	before, was := latest(t, sb), shapeOf(t, sb)
	st.err = errors.New("the disk is full")
	for name, change := range map[string]func() error{
		"change":  func() error { return sb.Change(ctx, newGroup("x")) },
		"reset":   func() error { return sb.Reset(ctx, "") },
		"restart": func() error { return sb.Restart(ctx, "", parse(t, frozen)) },
		"restore": func() error { return sb.Restore(ctx, "one") },
		"forget":  func() error { return sb.DeleteSnapshot(ctx, "one") },
		"clock":   func() error { return sb.Change(ctx, advanced(time.Hour)) },
		"faults":  func() error { return sb.Change(ctx, withoutFaults) },
		"exchange": func() error {
			return second(sb.Update(ctx, func(tx *sandbox.Tx) (*journal.Raw, error) {
				return &journal.Raw{}, newGroup("x")(tx)
			}))
		},
		"journal":  func() error { return sb.ClearJournal(ctx) },
		"snapshot": func() error { return second(sb.Snapshot(ctx, "two")) },
		"sandbox":  func() error { return second(r.Create(ctx, sandbox.Plan{Name: "new"})) },
		"fork":     func() error { return second(r.Fork(ctx, sb, "new", 0)) },
		"delete":   func() error { return r.Delete(ctx, find(t, r, "other")) },
	} {
		err := change()
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

	st.err = nil
	addGroup(t, sb, "at last")
	require.NoError(t, sb.Reset(ctx, ""))
	require.NoError(t, r.Delete(ctx, find(t, r, "other")))
	create(t, r, sandbox.Plan{Name: "new"})
	assert.Equal(t, 2, st.worlds(sandbox.Default), "the present world and the snapshot")
}

// A world is not dropped from the store if a change that may have been made refers to it.
func TestUnsureChangesLoseNoWorld(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(context.Context, *sandbox.Sandbox) error{
		"reset":    func(ctx context.Context, sb *sandbox.Sandbox) error { return sb.Reset(ctx, "") },
		"restore":  func(ctx context.Context, sb *sandbox.Sandbox) error { return sb.Restore(ctx, "one") },
		"snapshot": func(ctx context.Context, sb *sandbox.Sandbox) error { return second(sb.Snapshot(ctx, "two")) },
	} {
		ctx, st := t.Context(), newMemoryStore()
		sure := opened(t, st, frozen)
		_, err := sure.Default().Snapshot(ctx, "one")
		require.NoError(t, err)
		sure.Close()
		unsure := opened(t, unsureStore{st}, frozen)
		require.ErrorIs(t, change(ctx, unsure.Default()), sandbox.ErrUnsure, name)
		unsure.Close()

		sb := opened(t, st, frozen).Default()
		now := latest(t, sb)
		assert.NotEmpty(t, slices.Collect(now.World.Rows()), "the present world after an unsure %s", name)
		for _, snapshot := range now.Snapshots() {
			_, err := sb.Diff(ctx, now, snapshot.Name)
			assert.NoError(t, err, "the snapshot %s after an unsure %s", snapshot.Name, name)
		}
	}
}

// A sandbox that is looked up while it is being created is the one that is created.
func TestFindDuringCreation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), slowStore{newMemoryStore(), make(chan struct{})}
		r := opened(t, st, frozen)
		var created, found *sandbox.Sandbox
		var calls sync.WaitGroup
		calls.Go(func() { created = create(t, r, sandbox.Plan{Name: "slow"}) })
		synctest.Wait() // until the store has the bank
		calls.Go(func() {
			var err error
			if found, err = r.Find(ctx, "slow"); err != nil {
				assert.ErrorIs(t, err, sandbox.ErrNoSandbox, "or it is not there yet")
			}
		})
		synctest.Wait()
		close(st.release)
		calls.Wait()
		assert.Same(t, created, find(t, r, "slow"))
		if found != nil {
			assert.Same(t, created, found)
		}
	})
}

// A sandbox whose time to live is over goes as soon as the store can delete it.
func TestExpiryIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st, failures := newMemoryStore(), 1
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
		_, err := r.Find(t.Context(), "brief")
		assert.ErrorIs(t, err, sandbox.ErrNoSandbox)
		assert.ErrorIs(t, sb.Change(t.Context(), newGroup("x")), sandbox.ErrDeleted)
		assert.NotContains(t, st.banks, "brief")
	})
}

// A sandbox that is being created keeps no other one waiting. Its name is taken already.
func TestCreationKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	ctx, st := t.Context(), newMemoryStore()
	entered, release := make(chan struct{}), make(chan struct{})
	st.before = func(write, bank string) error {
		if write == "create" && bank == "slow" {
			close(entered)
			<-release
		}
		return nil
	}
	r := opened(t, st, frozen)
	create(t, r, sandbox.Plan{Name: "other"})
	created := make(chan error)
	go func() { created <- second(r.Create(ctx, sandbox.Plan{Name: "slow"})) }()
	<-entered
	addGroup(t, find(t, r, "other"), "here")
	assert.Equal(t, []string{"here"}, groups(latest(t, find(t, r, "other"))))
	create(t, r, sandbox.Plan{Name: "third"})
	_, err := r.Create(ctx, sandbox.Plan{Name: "slow"})
	assert.ErrorIs(t, err, sandbox.ErrTaken)
	close(release)
	require.NoError(t, <-created)
	assert.Empty(t, groups(latest(t, find(t, r, "slow"))))
}

// What waits for the store is committed together.
func TestWaitingChangesAreCommittedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newMemoryStore()
		sb := opened(t, st, frozen).Default()
		release := make(chan struct{})
		st.before = func(string, string) error {
			<-release
			return nil
		}
		var calls sync.WaitGroup
		for i := range 10 {
			calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup(fmt.Sprint(i)))) })
		}
		synctest.Wait() // until all of them wait
		close(release)
		calls.Wait()
		assert.LessOrEqual(t, st.commits, 2)
		assert.Len(t, groups(latest(t, sb)), 10)
	})
}

// A call that fails or panics has no part in its batch. The other calls of the batch succeed.
func TestFailuresInABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newMemoryStore()
		sb := opened(t, st, frozen).Default()
		release, no := make(chan struct{}), errors.New("no")
		st.before = func(string, string) error {
			<-release
			return nil
		}
		recovered := func(fn func()) (p any) {
			defer func() { p = recover() }()
			fn()
			return nil
		}
		var calls sync.WaitGroup
		calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup("before"))) })
		synctest.Wait() // until the first call holds the store
		calls.Go(func() { assert.NoError(t, sb.Change(ctx, newGroup("one"))) })
		calls.Go(func() {
			p := recovered(func() {
				_ = sb.Change(ctx, func(tx *sandbox.Tx) error {
					_ = newGroup("half")(tx)
					panic("a programming error")
				})
			})
			if caught, ok := p.(*sandbox.Panic); assert.True(t, ok, "%T", p) {
				assert.Equal(t, "a programming error", caught.Value)
				assert.Contains(t, string(caught.Stack), "store_test.go")
			}
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
		assert.Equal(t, 2, st.commits)
		assert.Equal(t, []string{"before", "one", "two"}, groups(latest(t, sb)))
	})
}

// After a restart, the worlds of snapshots and of the start of a fork are read when they are needed, and once.
func TestWorldsAreReadOnDemand(t *testing.T) {
	t.Parallel()
	ctx, st := t.Context(), newMemoryStore()
	before := opened(t, st, frozen)
	sb := before.Default()
	first := "groups/" + institution + "/" + addGroup(t, sb, "first")
	_, err := sb.Snapshot(ctx, "one")
	require.NoError(t, err)
	later := "groups/" + institution + "/" + addGroup(t, sb, "second")
	fork, err := before.Fork(ctx, sb, "fork", 0)
	require.NoError(t, err)
	third := "groups/" + institution + "/" + addGroup(t, fork, "third")
	before.Close()

	after := opened(t, st, frozen)
	sb, fork = after.Default(), find(t, after, "fork")
	assert.Equal(t, []string{"first", "second", "third"}, groups(latest(t, fork)))
	assert.ElementsMatch(t, []string{first, later}, changedRows(t, sb, sandbox.Start))
	assert.Zero(t, st.reads, "the start of a sandbox that is no fork comes from its scenario")
	for range 2 {
		assert.Equal(t, []string{later}, changedRows(t, sb, "one"))
		assert.Equal(t, 1, st.reads)
	}
	require.NoError(t, fork.Reset(ctx, ""))
	assert.Equal(t, 2, st.reads)
	assert.Equal(t, []string{"first", "second"}, groups(latest(t, fork)))
	assert.Empty(t, changedRows(t, fork, sandbox.Start))
	again := "groups/" + institution + "/" + addGroup(t, fork, "third")
	assert.Equal(t, third, again, "the random source is as it was")
	assert.Equal(t, []string{third}, changedRows(t, fork, sandbox.Start))
	assert.Equal(t, 2, st.reads)
}

// A row of a newer version is no reason to lose it. The registry is refused, and says where the row is.
func TestRowsOfANewerVersionAreRefused(t *testing.T) {
	t.Parallel()
	st := newMemoryStore()
	opened(t, st, frozen).Close()
	worlds := st.banks[sandbox.Default].Worlds
	worlds[sandbox.OwnRows] = append(worlds[sandbox.OwnRows], sim.StoredRow{
		Table: "weather", Key: "today", Value: []byte(`{}`),
	})
	_, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: parse(t, frozen)}, st)
	require.ErrorIs(t, err, sandbox.ErrNotStored)
	assert.ErrorContains(t, err,
		`row "today" of table "weather": a newer version of banksim has written it`)
	assert.ErrorContains(t, err, "the bank default of memory")
}
