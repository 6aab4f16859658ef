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
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// memory is a store in memory, which can fail.
type memory struct {
	banks map[string]sandbox.StoredBank
	err   error
}

func (m *memory) Banks() (all []sandbox.StoredBank, err error) {
	for _, b := range m.banks {
		all = append(all, b)
	}
	return all, nil
}

func (m *memory) Commit(name string, c sandbox.StoredChanges) error {
	if m.err != nil {
		return m.err
	}
	b := m.banks[name]
	if b.Worlds == nil {
		b = sandbox.StoredBank{Name: name, Worlds: map[string][]sim.StoredRow{}}
	}
	b.Meta = c.Meta
	if c.Start != nil {
		b.Start = c.Start
	}
	for world, rows := range c.Worlds {
		if b.Worlds[world] = rows; rows == nil {
			delete(b.Worlds, world)
		}
	}
	present := slices.Clone(b.Worlds[sandbox.PresentWorld])
	for _, row := range c.Rows {
		present = slices.DeleteFunc(present, func(r sim.StoredRow) bool { return r.Table == row.Table && r.Key == row.Key })
		if !row.Removed {
			present = append(present, row)
		}
	}
	b.Worlds[sandbox.PresentWorld] = present
	m.banks[name] = b
	return nil
}

func (m *memory) Delete(name string) error {
	delete(m.banks, name)
	return m.err
}

func (m *memory) Place() string { return "memory" }

// opened returns a registry whose sandboxes a store keeps.
func opened(t *testing.T, st sandbox.Store, yaml string) *sandbox.Registry {
	t.Helper()
	r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, yaml)})
	_, err := r.Open(st)
	require.NoError(t, err)
	return r
}

// A registry goes on with all that another one has had stored: worlds, random sources, snapshots, forks, faults with their counts, and
// clocks, which ran on meanwhile.
func TestStoredSandboxesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &memory{banks: map[string]sandbox.StoredBank{}}
		before := opened(t, st, frozen)
		sb := before.Default()
		addGroup(t, sb, "first")
		_, err := sb.Snapshot("one")
		require.NoError(t, err)
		addGroup(t, sb, "second")
		fork, err := before.Fork(sb, "fork")
		require.NoError(t, err)
		addGroup(t, fork, "third")
		require.NoError(t, sb.ChangeFaults(func(s *fault.Set) error {
			_, err := s.Add(fault.Rule{Name: "twice", When: fault.When{First: 2}, Then: fault.Then{Status: 500}})
			return err
		}))
		sb.Now().Faults.Decide(&fault.Query{Operation: "groups.list"})
		require.NoError(t, sb.CommitCounts())
		running := create(t, before, sandbox.Plan{Name: "running", Scenario: parse(t, frozen+"")})
		err = running.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Run(true, real) })
		require.NoError(t, err)
		create(t, before, sandbox.Plan{Name: "short", TTL: time.Minute})
		create(t, before, sandbox.Plan{Name: "gone"})
		require.NoError(t, before.Delete("gone"))
		for range 3 {
			sb.Now().Journal.Add(journal.Raw{})
		}
		require.NoError(t, sb.CommitCounts())
		next := sb.Now().World.Fork()
		before.Close()

		time.Sleep(time.Hour)
		after := opened(t, st, frozen)
		defer after.Close()
		synctest.Wait()
		sb = after.Default()
		assert.True(t, sb.Now().World.Equal(next), "the same rows, and the same draws from here on")
		assert.Equal(t, uint64(2), sb.ChangeCount())
		counts := sb.Now().Faults.Counts()
		assert.Equal(t, []uint64{1, 1}, []uint64{counts[1].Matched, counts[1].Fired}, "of the rule twice")
		assert.Equal(t, "4", sb.Now().Journal.Add(journal.Raw{}), "exchanges go on")
		_, err = after.ForkAt(sb, "", "2", sandbox.Before)
		assert.ErrorIs(t, err, sandbox.ErrNoExchange)
		running, _ = after.Get("running")
		assert.Equal(t, running.Scenario().Start.Add(time.Hour), running.Now().Now, "a clock runs on")
		assert.Equal(t, sb.Scenario().Start, sb.Now().Now, "and one that stands still stays")
		_, ok := after.Get("short")
		assert.False(t, ok, "it has expired")
		_, ok = after.Get("gone")
		assert.False(t, ok)

		fork, _ = after.Get("fork")
		assert.Equal(t, []string{"first", "second", "third"}, groups(fork.Now()))
		require.NoError(t, fork.Reset(""))
		assert.Equal(t, []string{"first", "second"}, groups(fork.Now()), "its start is that of the fork")
		require.NoError(t, sb.Restore("one"))
		assert.Equal(t, []string{"first"}, groups(sb.Now()))
		require.NoError(t, sb.Reset(""))
		assert.Empty(t, groups(sb.Now()))
		assert.Len(t, sb.Now().Faults.Counts(), 1)
	})
}

// A reset of a stored sandbox that follows the registry's scenario starts from the one that there is now.
func TestResetOfStoredSandboxFollows(t *testing.T) {
	t.Parallel()
	st := &memory{banks: map[string]sandbox.StoredBank{}}
	opened(t, st, frozen).Close()
	r := opened(t, st, frozen+"description: another\n")
	defer r.Close()
	assert.NotEqual(t, r.Origin().Scenario.Version, r.Default().Scenario().Version)
	require.NoError(t, r.Default().Reset(""))
	assert.Equal(t, r.Origin().Scenario.Version, r.Default().Scenario().Version)
}

// What can't be stored changes nothing.
func TestNotStored(t *testing.T) {
	t.Parallel()
	st := &memory{banks: map[string]sandbox.StoredBank{}}
	r := opened(t, st, frozen)
	defer r.Close()
	sb := r.Default()
	_, err := sb.Snapshot("one")
	require.NoError(t, err)
	before, now := sb.Now().World, shapeOf(sb)
	st.err = errors.New("the disk is full")
	for name, change := range map[string]func() error{
		"change":  func() error { return sb.Change(newGroup("x")) },
		"reset":   func() error { return sb.Reset("") },
		"restore": func() error { return sb.Restore("one") },
		"forget":  func() error { return sb.DeleteSnapshot("one") },
		"clock": func() error {
			return sb.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Advance(time.Hour, real) })
		},
		"faults": func() error {
			return sb.ChangeFaults(func(s *fault.Set) error {
				_, err := s.Replace()
				return err
			})
		},
		"snapshot": func() error {
			_, err := sb.Snapshot("two")
			return err
		},
		"sandbox": func() error {
			_, err := r.Create(sandbox.Plan{Name: "new"})
			return err
		},
	} {
		assert.ErrorIs(t, change(), sandbox.ErrNotStored, name)
	}
	assert.True(t, sb.Now().World.Equal(before))
	assert.Equal(t, now, shapeOf(sb))
	assert.Len(t, sb.Snapshots(), 1)
	assert.Equal(t, 1, r.Len())
}
