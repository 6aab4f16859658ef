package sandbox

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxSnapshots limits the snapshots of one sandbox (choice).
const maxSnapshots = 100

// Start names the sandbox's start for Diff and Restore. No snapshot can have this name.
const Start = "start"

// Errors about snapshots.
var (
	ErrNoSnapshot       = errors.New("there is no snapshot")
	ErrSnapshotReserved = errors.New("start names the start of the sandbox: it can't be made or deleted")
	ErrSnapshotTaken    = errors.New("a snapshot of this name exists")
	ErrOtherScenario    = errors.New("a bank in a store begins only as its own scenario has it")
	ErrTooManySnapshots = errors.New("a sandbox holds at most 100 snapshots")
)

// snapshot is a world and a virtual time to return to.
type snapshot struct {
	world *lazyWorld
	now   time.Time // virtual
	taken time.Time // real
}

func (s snapshot) equal(other snapshot) bool {
	return s.taken.Equal(other.taken) && s.world.id == other.world.id
}

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	Name    string
	Now     time.Time // virtual
	TakenAt time.Time // real
}

// Snapshot saves the world, with its random source, and the virtual time under a name. It fails with ErrBadName,
// ErrSnapshotReserved, ErrSnapshotTaken and ErrTooManySnapshots, and as Update does.
func (s *Sandbox) Snapshot(ctx context.Context, name string) (SnapshotInfo, error) {
	switch {
	case name == Start:
		return SnapshotInfo{}, ErrSnapshotReserved
	case !IsName(name):
		return SnapshotInfo{}, ErrBadName
	}
	v, err := s.Latest(ctx)
	if err == nil {
		err = v.state.canTakeSnapshot(name) // before its rows are staged
	}
	if err != nil {
		return SnapshotInfo{}, err
	}
	added := snapshot{world: inMemory(v.World.Fork()), now: v.Now, taken: time.Now()}
	if added.world.id, err = s.stage(ctx, v, v.World); err != nil {
		return SnapshotInfo{}, err
	}
	err = s.updateAlone(ctx, func(tx *Tx) error {
		if err := tx.from.canTakeSnapshot(name); err != nil {
			return err
		}
		tx.snapshots = maps.Clone(tx.snapshots)
		tx.snapshots[name] = added
		return nil
	})
	if err != nil && !errors.Is(err, ErrUnsure) {
		s.drop(ctx, v, added.world.id)
	}
	return SnapshotInfo{name, added.now, added.taken}, err
}

func (st *state) canTakeSnapshot(name string) error {
	if _, exists := st.snapshots[name]; exists {
		return ErrSnapshotTaken
	}
	if len(st.snapshots) >= maxSnapshots {
		return ErrTooManySnapshots
	}
	return nil
}

// findSnapshot returns a snapshot or, by the name Start, the start of the sandbox. It fails with ErrNoSnapshot.
func (st *state) findSnapshot(name string) (snapshot, error) {
	if start := st.generation.start; name == Start {
		return snapshot{world: start.world, now: start.Now}, nil
	}
	found, ok := st.snapshots[name]
	if !ok {
		there, names := "there are", append(slices.Sorted(maps.Keys(st.snapshots)), Start)
		if len(names) == 1 {
			there = "there is only"
		}
		return snapshot{}, fmt.Errorf("%w %s: %s %s", ErrNoSnapshot, wording.Quote(name), there, wording.Names(names))
	}
	return found, nil
}

// DeleteSnapshot deletes a snapshot. It fails with ErrNoSnapshot and ErrSnapshotReserved, and as Update does.
func (s *Sandbox) DeleteSnapshot(ctx context.Context, name string) error {
	if name == Start {
		return ErrSnapshotReserved
	}
	var old View
	err := s.updateAlone(ctx, func(tx *Tx) error {
		old = tx.View
		if _, err := tx.from.findSnapshot(name); err != nil {
			return err
		}
		tx.snapshots = maps.Clone(tx.snapshots)
		delete(tx.snapshots, name)
		return nil
	})
	if err == nil {
		s.drop(ctx, old, old.state.snapshots[name].world.id)
	}
	return err
}

// Restore returns the world, its random source and the virtual time to a snapshot, or to Start. The journal is not
// affected. It fails with ErrNoSnapshot, and as Update does.
func (s *Sandbox) Restore(ctx context.Context, name string) error {
	return untilNotOvertaken(func() error { return s.tryRestore(ctx, name) })
}

func (s *Sandbox) tryRestore(ctx context.Context, name string) error {
	v, err := s.Latest(ctx)
	if err != nil {
		return err
	}
	found, err := v.state.findSnapshot(name)
	if err != nil {
		return err
	}
	world, err := found.world.get(ctx, s, v)
	if err != nil {
		return err
	}
	if s.registry.store != nil { // which keeps rows, and not the switches of an earlier scenario
		world = world.Fork()
		world.SetPolicies(v.Generation.start.scenario.World.Policies())
	}
	_, err = s.stageAndSwitch(ctx, v, world, func(tx *Tx) error {
		now, err := tx.from.findSnapshot(name)
		if err != nil || !now.equal(found) || tx.Generation.number != v.Generation.number {
			return errOvertaken
		}
		tx.Clock = tx.Clock.Set(found.now, tx.Wall)
		return nil
	})
	return err
}

// Begin returns the world and the virtual time to the start of a scenario. A nil scenario is the sandbox's own, and a
// nil seed is the scenario's, or is drawn. The faults, the journal, the snapshots and the start of a reset stay as they
// are. It fails with ErrOtherScenario, and as Update does: a store keeps rows, and the sandbox's own scenario has the
// rules for them.
func (s *Sandbox) Begin(ctx context.Context, sc *scenario.Scenario, seed *uint64) error {
	r := s.registry
	switch {
	case sc == nil && seed == nil:
		return s.Restore(ctx, Start)
	case sc != nil && r.store != nil:
		return ErrOtherScenario
	}
	return untilNotOvertaken(func() error { return s.tryBegin(ctx, sc, seed) })
}

func (s *Sandbox) tryBegin(ctx context.Context, sc *scenario.Scenario, seed *uint64) error {
	r := s.registry
	v, err := s.Latest(ctx)
	if err != nil {
		return err
	}
	if sc == nil {
		sc = v.Generation.start.scenario
	}
	start := fromScenario(r.parts.scenario(sc), seed, r.cfg.Seed, r.clockStart(time.Now()))
	_, err = s.stageAndSwitch(ctx, v, start.world.loaded.Load().Fork(), func(tx *Tx) error {
		if tx.Generation.number != v.Generation.number {
			return errOvertaken
		}
		tx.Clock = tx.Clock.Set(start.Now, tx.Wall)
		return nil
	})
	return err
}

// Diff returns the rows that differ between a view and a snapshot, or Start. It fails with ErrNoSnapshot and
// ErrNotStored.
func (s *Sandbox) Diff(ctx context.Context, v View, since string) (iter.Seq[sim.Change], error) {
	before, err := v.state.findSnapshot(since)
	if err != nil {
		return nil, err
	}
	world, err := before.world.get(ctx, s, v)
	if err != nil {
		return nil, err
	}
	return v.World.Diff(v.Now, world, before.now), nil
}

// ClearJournal removes all exchanges from the journal, and the worlds around them. It fails as Update does.
func (s *Sandbox) ClearJournal(ctx context.Context) error {
	if _, err := s.Latest(ctx); err != nil {
		return err
	}
	return s.updateAlone(ctx, func(tx *Tx) error {
		tx.clearedTo = tx.Journal.Last()
		return nil
	})
}
