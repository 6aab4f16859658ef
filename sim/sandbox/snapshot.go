package sandbox

import (
	"context"
	"errors"
	"iter"
	"maps"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// maxSnapshots limits the snapshots of one sandbox (choice).
const maxSnapshots = 100

// Start is the name by which a diff addresses the start of a sandbox. No snapshot can have it.
const Start = "start"

// Errors about snapshots.
var (
	ErrNoSnapshot       = errors.New("there is no snapshot of this name")
	ErrSnapshotReserved = errors.New("a snapshot can't be named start: that names the start of the sandbox")
	ErrSnapshotTaken    = errors.New("a snapshot of this name exists")
	ErrTooManySnapshots = errors.New("a sandbox holds at most 100 snapshots")
)

// snapshot is a world and a virtual time to which a sandbox can return.
type snapshot struct {
	world *storedWorld
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
	taken := snapshot{world: inMemory(v.World.Fork()), now: v.Now, taken: time.Now()}
	if taken.world.id, err = s.stage(ctx, v, v.World); err != nil {
		return SnapshotInfo{}, err
	}
	err = s.replace(ctx, func(tx *Tx) error {
		if err := tx.from.canTakeSnapshot(name); err != nil {
			return err
		}
		tx.snapshots = maps.Clone(tx.snapshots)
		tx.snapshots[name] = taken
		return nil
	})
	if err != nil && !errors.Is(err, ErrUnsure) {
		s.drop(ctx, v, taken.world.id)
	}
	return SnapshotInfo{name, taken.now, taken.taken}, err
}

func (st *state) canTakeSnapshot(name string) error {
	if _, taken := st.snapshots[name]; taken {
		return ErrSnapshotTaken
	}
	if len(st.snapshots) >= maxSnapshots {
		return ErrTooManySnapshots
	}
	return nil
}

// DeleteSnapshot deletes a snapshot. It fails with ErrNoSnapshot, and as Update does.
func (s *Sandbox) DeleteSnapshot(ctx context.Context, name string) error {
	var gone snapshot
	var v View
	err := s.replace(ctx, func(tx *Tx) (err error) {
		v = tx.View
		if gone, err = tx.from.snapshot(name); err != nil {
			return err
		}
		tx.snapshots = maps.Clone(tx.snapshots)
		delete(tx.snapshots, name)
		return nil
	})
	if err == nil {
		s.drop(ctx, v, gone.world.id)
	}
	return err
}

func (st *state) snapshot(name string) (snapshot, error) {
	found, ok := st.snapshots[name]
	if !ok {
		return snapshot{}, ErrNoSnapshot
	}
	return found, nil
}

// Restore returns the world, its random source and the virtual time to a snapshot. The journal is not affected. It fails
// with ErrNoSnapshot, and as Update does.
func (s *Sandbox) Restore(ctx context.Context, name string) error {
	for {
		err := s.tryRestore(ctx, name)
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

func (s *Sandbox) tryRestore(ctx context.Context, name string) error {
	v, err := s.Latest(ctx)
	if err != nil {
		return err
	}
	taken, err := v.state.snapshot(name)
	if err != nil {
		return err
	}
	world, err := taken.world.get(ctx, s, v)
	if err != nil {
		return err
	}
	return s.replaceWorld(ctx, v, world, func(tx *Tx, id WorldID) error {
		if now, err := tx.from.snapshot(name); err != nil || !now.equal(taken) {
			return errOvertaken // deleted, or taken anew
		}
		tx.replaceWorld(world, id)
		tx.Clock = tx.Clock.Set(taken.now, time.Now())
		return nil
	})
}

// Diff returns the rows in which the world of a view differs from a snapshot, or from Start. It fails with ErrNoSnapshot
// and ErrNotStored.
func (s *Sandbox) Diff(ctx context.Context, v View, since string) (iter.Seq[sim.Change], error) {
	before := snapshot{world: v.Generation.start.world, now: v.Generation.start.Now}
	if since != Start {
		var err error
		if before, err = v.state.snapshot(since); err != nil {
			return nil, err
		}
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
	return s.replace(ctx, func(tx *Tx) error {
		tx.clearJournal()
		return nil
	})
}
