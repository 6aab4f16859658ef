package sandbox

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// maxSnapshots limits the snapshots of one sandbox (choice).
const maxSnapshots = 100

// Start is the name by which a diff addresses the start of a sandbox. No snapshot can have it.
const Start = "start"

// Errors of a sandbox.
var (
	ErrNoSnapshot       = errors.New("there is no snapshot of this name")
	ErrSnapshotReserved = errors.New("a snapshot can't be named start: that names the start of the sandbox")
	ErrSnapshotTaken    = errors.New("a snapshot of this name exists")
	ErrTooManySnapshots = errors.New("a sandbox holds at most 100 snapshots")
	ErrDeleted          = errors.New("the sandbox was deleted")
	ErrGenerationOver   = errors.New("the generation of the sandbox is over: the sandbox was reset")
)

// Sandbox is one isolated bank. Readers see its state at one moment and never wait; writers take turns. Its methods may
// be called by many goroutines.
type Sandbox struct {
	name    string
	created time.Time   // real time
	expires time.Time   // real time; zero: never
	timer   *time.Timer // that deletes it then; guarded by the registry
	in      *Registry
	met     *coverage.Counter

	state atomic.Pointer[state]

	using   chan struct{}        // of a shared store; full while somebody uses the sandbox
	waiting atomic.Int64         // how many wait for that
	turn    atomic.Pointer[turn] // the present one; nil: there is none
	version StoredVersion        // that the sandbox has; only who uses it may look

	writing sync.Mutex // held while state is replaced
}

// state is the whole state of a sandbox. It is immutable: a change replaces it.
type state struct {
	generation *Generation
	world      *sim.World
	clock      sim.Clock
	changes    uint64 // of the world, since the creation of the sandbox
	snapshots  map[string]snapshot
	deleted    bool // whether the sandbox was deleted; then it changes no more
}

// snapshot is a world and a virtual time to which a sandbox can return.
type snapshot struct {
	world *sim.World // never written to
	now   time.Time  // virtual
	taken time.Time  // real
}

// Moment is a sandbox at one moment: its world, the virtual time, and the faults and the journal of its generation.
type Moment struct {
	World      *sim.World
	Before     *sim.World // that World was before a change, and else World itself
	Now        time.Time
	Running    bool          // whether the virtual clock runs
	Since      time.Duration // virtual, from the sandbox's start to now
	Generation *Generation
	Faults     *fault.Set
	Journal    *journal.Journal
	From       *scenario.Scenario // from which the sandbox starts, or the sandbox that it was forked from

	commit func(changed bool) error // see Commit; nil: it is no moment of a change
}

// Commit has the store keep what was changed until now, or how often faults have fired where nothing was, so that whatever comes next is
// sure of it. A change is committed at its end otherwise; one of a shared sandbox by Release. It fails with ErrNotStored; then the function
// of the change has to fail, too.
func (m Moment) Commit(changed bool) error { return m.commit(changed) }

// CanInject reports whether a fault of this generation could have given an operation's request an answer with a status: a
// rule that the sandbox has or had, or a header of the request, where the scenario lets requests ask for faults.
func (m Moment) CanInject(operation string, status int) bool {
	return m.World.Behavior().FaultHeader || m.Faults.Gives(operation, status)
}

// Name returns the name by which base URLs and the control API address the sandbox.
func (s *Sandbox) Name() string { return s.name }

// Scenario returns the scenario from which the sandbox starts, or the sandbox that it was forked from.
func (s *Sandbox) Scenario() *scenario.Scenario { return s.state.Load().generation.start.scenario }

// Seed returns the seed of its random source.
func (s *Sandbox) Seed() uint64 { return s.state.Load().generation.start.Seed }

// Start returns the scenario and the seed at one moment.
func (s *Sandbox) Start() (*scenario.Scenario, uint64) {
	at := s.state.Load().generation.start
	return at.scenario, at.Seed
}

// ChangeCount returns how many changes the world has seen since the creation of the sandbox.
func (s *Sandbox) ChangeCount() uint64 { return s.state.Load().changes }

// CreatedAt returns the real time of its creation.
func (s *Sandbox) CreatedAt() time.Time { return s.created }

// Coverage returns what counts the answers of the sandbox since its creation, whatever happens to its journal.
func (s *Sandbox) Coverage() *coverage.Counter { return s.met }

// ExpiresAt returns the real time at which it is deleted; the zero time if that is never.
func (s *Sandbox) ExpiresAt() time.Time { return s.expires }

// Now returns the sandbox as it is now. Its world is read-only.
func (s *Sandbox) Now() Moment {
	st, real := s.present()
	return st.at(real)
}

// present returns the state and the real time. Jobs of the world that have ended by then are done: which ones depends on the
// clock alone, and not on who looks when. Only whoever comes first after the end of a job waits for those who change the
// sandbox.
func (s *Sandbox) present() (*state, time.Time) {
	st, real := s.state.Load(), time.Now()
	if !st.world.Due(st.clock.Now(real)) {
		return st, real
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.presentLocked()
}

// presentLocked is present for those who hold writing.
func (s *Sandbox) presentLocked() (*state, time.Time) {
	st, real := s.state.Load(), time.Now()
	now := st.clock.Now(real)
	if st.deleted || !st.world.Due(now) {
		return st, real
	}
	next := *st
	next.world = st.world.Fork()
	written := s.tracked(next.world)
	next.world.EndJobs(now)
	if s.replaceLocked(st, &next, StoredChanges{Rows: written()}) != nil {
		return st, real // they end when the store takes it
	}
	return &next, real
}

// Bank returns the sandbox as it is now, to be saved as a scenario.
func (s *Sandbox) Bank() scenario.Bank {
	now, real := s.present()
	m, from := now.at(real), now.generation.start
	return scenario.Bank{
		World: m.World, Now: m.Now, Since: m.Since, Running: now.clock.Running(), Seed: from.Seed, Drawn: from.drawn(),
		Faults: m.Faults.Counts(), From: from.scenario,
	}
}

// NowIn returns the sandbox as it is now, if its generation is the given one. It fails with ErrGenerationOver or ErrDeleted.
func (s *Sandbox) NowIn(generation *Generation) (Moment, error) {
	st, real := s.present()
	switch {
	case st.deleted:
		return Moment{}, ErrDeleted
	case st.generation != generation:
		return Moment{}, ErrGenerationOver
	}
	return st.at(real), nil
}

func (st *state) at(real time.Time) Moment {
	now := st.clock.Now(real)
	from := st.generation.start
	return Moment{World: st.world, Before: st.world, Now: now, Running: st.clock.Running(), Since: now.Sub(from.Now) + from.Since,
		Generation: st.generation, Faults: st.generation.faults, Journal: st.generation.journal, From: from.scenario}
}

// Change runs fn on a copy of the world, which fn may write to, with no other writer. The copy replaces the world if fn
// returns nil. If fn returns an error, Change returns it and nothing has changed. It fails with ErrDeleted and ErrNotStored, too.
func (s *Sandbox) Change(fn func(Moment) error) error {
	return s.exclusively(func() error { return s.changeLocked(fn) })
}

// ChangeTaken is Change for those who have taken the sandbox: Release commits the change.
func (s *Sandbox) ChangeTaken(fn func(Moment) error) error {
	return s.alone(func() error { return s.changeLocked(fn) })
}

func (s *Sandbox) changeLocked(fn func(Moment) error) error {
	now, real := s.presentLocked()
	if now.deleted {
		return ErrDeleted
	}
	next := *now
	next.changes++
	next.world = next.world.Fork()
	s.in.added.limitIn(next.world)
	written, committed := s.tracked(next.world), false
	m := next.at(real)
	m.Before = now.world
	m.commit = func(changed bool) error {
		if !changed {
			return s.commitLocked(now, StoredChanges{})
		}
		committed = true
		return s.commitLocked(&next, StoredChanges{Rows: written()})
	}
	err := fn(m)
	if err == nil && !committed {
		err = m.commit(true)
	}
	if err == nil {
		s.showLocked(now, &next)
	}
	return err
}

// replaceLocked replaces the state by another one of the same generation, once the store keeps that and other changes.
func (s *Sandbox) replaceLocked(now, next *state, c StoredChanges) error {
	err := s.commitLocked(next, c)
	if err == nil {
		s.showLocked(now, next)
	}
	return err
}

// showLocked replaces the state, nil at first, by another one that is committed.
func (s *Sandbox) showLocked(now, next *state) {
	s.recount(now, next)
	s.state.Store(next)
}

// SetClock replaces the virtual clock by the one that fn derives from it and from the real time. A job that has ended by then
// stays so if the clock goes back. It fails with ErrNotStored.
func (s *Sandbox) SetClock(fn func(clock sim.Clock, real time.Time) sim.Clock) error {
	return s.exclusively(func() error {
		st, real := s.presentLocked()
		next := *st
		next.clock = fn(next.clock, real)
		return s.replaceLocked(st, &next, StoredChanges{})
	})
}

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	Name    string
	Now     time.Time // virtual
	TakenAt time.Time // real
}

// Snapshot saves the world, with its random source, and the virtual time under a name. It fails with ErrBadName,
// ErrSnapshotReserved, ErrSnapshotTaken, ErrTooManySnapshots or ErrNotStored.
func (s *Sandbox) Snapshot(name string) (SnapshotInfo, error) {
	switch {
	case name == Start:
		return SnapshotInfo{}, ErrSnapshotReserved
	case !IsName(name):
		return SnapshotInfo{}, ErrBadName
	}
	var kept snapshot
	err := s.exclusively(func() error {
		now, real := s.presentLocked()
		if _, taken := now.snapshots[name]; taken {
			return ErrSnapshotTaken
		}
		if len(now.snapshots) >= maxSnapshots {
			return ErrTooManySnapshots
		}
		kept = snapshot{world: now.world.Fork(), now: now.clock.Now(real), taken: real}
		next := *now
		next.snapshots = maps.Clone(now.snapshots)
		next.snapshots[name] = kept
		return s.replaceLocked(now, &next, StoredChanges{Worlds: map[string][]sim.StoredRow{snapshotWorld(name): s.rows(kept.world)}})
	})
	return SnapshotInfo{name, kept.now, kept.taken}, err
}

// Snapshots describes the snapshots, sorted by name.
func (s *Sandbox) Snapshots() []SnapshotInfo {
	var infos []SnapshotInfo
	kept := s.state.Load().snapshots
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		infos = append(infos, SnapshotInfo{name, kept[name].now, kept[name].taken})
	}
	return infos
}

// DeleteSnapshot deletes a snapshot. It fails with ErrNoSnapshot or ErrNotStored.
func (s *Sandbox) DeleteSnapshot(name string) error {
	return s.exclusively(func() error {
		now := s.state.Load()
		if _, ok := now.snapshots[name]; !ok {
			return ErrNoSnapshot
		}
		next := *now
		next.snapshots = maps.Clone(now.snapshots)
		delete(next.snapshots, name)
		return s.replaceLocked(now, &next, StoredChanges{Worlds: map[string][]sim.StoredRow{snapshotWorld(name): nil}})
	})
}

// Restore returns the world, its random source and the virtual time to a snapshot. The journal is not affected. It fails
// with ErrNoSnapshot or ErrNotStored.
func (s *Sandbox) Restore(name string) error {
	return s.exclusively(func() error {
		now, real := s.state.Load(), time.Now()
		kept, ok := now.snapshots[name]
		if !ok {
			return ErrNoSnapshot
		}
		next := *now
		next.world = kept.world.Fork()
		next.clock = next.clock.Set(kept.now, real)
		return s.replaceLocked(now, &next, StoredChanges{Worlds: map[string][]sim.StoredRow{PresentWorld: s.rows(next.world)}})
	})
}

// ClearJournal removes all exchanges from the journal, and the worlds around them. It fails with ErrNotStored.
func (s *Sandbox) ClearJournal() error {
	return s.exclusively(func() error {
		now := s.state.Load()
		now.generation.journal.Clear()
		if !s.IsShared() {
			return nil
		}
		return s.commitLocked(now, StoredChanges{})
	})
}

// Diff yields the rows in which the world, as it is now, differs from a snapshot, or from Start. It fails with
// ErrNoSnapshot.
func (s *Sandbox) Diff(since string) (iter.Seq[sim.Change], error) {
	st, real := s.present()
	before, ok := st.snapshots[since]
	switch {
	case since == Start:
		before = snapshot{world: st.generation.start.world, now: st.generation.start.Now}
	case !ok:
		return nil, ErrNoSnapshot
	}
	return st.world.Diff(st.clock.Now(real), before.world, before.now), nil
}
