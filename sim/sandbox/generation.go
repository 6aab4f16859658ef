package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Generation is the time of a sandbox between two resets. A new scenario begins one, too. A request that a fault delays
// compares generations to see whether the sandbox was reset.
type Generation struct {
	number  uint64 // from 1
	began   uint64 // the number of the generation in which the journal began
	start   startPoint
	journal *journal.Journal
}

// IsSame reports whether no reset of the sandbox lies between two generations.
func (g *Generation) IsSame(other *Generation) bool { return g.number == other.number }

// Reset is a reset of a sandbox. A new scenario is one, too.
type Reset struct {
	At time.Time `json:"at"` // real
	By string    `json:"by"` // the client that asked for it: its token's name or its address; byWatch; or resets, at a time of day
}

// byWatch resets the sandboxes that follow the registry's scenario when the scenario is replaced.
const byWatch = "watch"

// Reset restores the start: world, faults, journal, clock and random source. It records who asked for it. Snapshots
// stay. A sandbox that follows the registry's scenario starts from the scenario that the registry has now. Reset
// fails as Update does.
func (s *Sandbox) Reset(ctx context.Context, by string) error {
	return s.reset(ctx, Reset{time.Now(), by}, time.Time{})
}

// reset is Reset. If a reset was due at a time, it fails with errWasReset if the sandbox has begun since.
func (s *Sandbox) reset(ctx context.Context, by Reset, due time.Time) error {
	return s.restart(ctx, by, due, func(v View) (startPoint, error) {
		old := v.Generation.start
		if newest := s.registry.Origin().Scenario; old.Follows && old.scenario.Version != newest.Version {
			return old.with(newest, s.registry.clockStart(time.Now())).following(true), nil
		}
		return old.again(ctx, s, v)
	})
}

// Restart gives the sandbox its own scenario, now and for later resets. It records who asked for it. An explicit seed
// of the sandbox stays; otherwise the seed of the scenario applies, or one is drawn. It fails as Reset does, and with
// ErrNoRoom.
func (s *Sandbox) Restart(ctx context.Context, by string, sc *scenario.Scenario) error {
	sc = s.registry.parts.scenario(sc)
	return s.restart(ctx, Reset{time.Now(), by}, time.Time{}, func(v View) (startPoint, error) {
		return v.Generation.start.with(sc, s.registry.clockStart(time.Now())), nil
	})
}

// FollowRegistry gives the sandbox the registry's scenario, now and at later resets. A reload of the scenario restarts
// the sandbox, or replaces its faults. FollowRegistry fails as Reset does.
func (s *Sandbox) FollowRegistry(ctx context.Context, by string) error {
	for {
		newest := s.registry.Origin().Scenario
		err := s.restart(ctx, Reset{time.Now(), by}, time.Time{}, func(v View) (startPoint, error) {
			return v.Generation.start.with(newest, s.registry.clockStart(time.Now())).following(true), nil
		})
		if err != nil || newest == s.registry.Origin().Scenario { // it was not reloaded meanwhile
			return err
		}
	}
}

// errOvertaken says that another call has replaced the start or the snapshot: try again.
var errOvertaken = errors.New("the start or the snapshot was replaced by another call")

// untilNotOvertaken tries something again until no other change has come before it.
func untilNotOvertaken(try func() error) error {
	for {
		if err := try(); !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

// restart begins a generation at the start that makeStart returns for the latest view.
//
//  1. The start is made. Its world may have a million rows.
//  2. The rows of the world are staged in the store, if there is one. Nobody waits for that.
//  3. One small change begins the generation. It refers to the staged world.
//  4. The journal of the old generation is closed, and the store drops the old world.
func (s *Sandbox) restart(
	ctx context.Context, by Reset, due time.Time, makeStart func(View) (startPoint, error),
) error {
	return untilNotOvertaken(func() error { return s.tryRestart(ctx, by, due, makeStart) })
}

func (s *Sandbox) tryRestart(
	ctx context.Context, by Reset, due time.Time, makeStart func(View) (startPoint, error),
) error {
	v, err := s.Latest(ctx)
	if err == nil {
		err = s.checkBefore(v, due)
	}
	if err != nil {
		return err
	}
	p, err := makeStart(v)
	if err != nil {
		return err
	}
	world, err := p.world.get(ctx, s, v)
	if err != nil {
		return err
	}
	resolved, err := s.resolvedIfStored(p.scenario)
	if err != nil {
		return err
	}
	p.Reset = by
	next := s.registry.newJournal()
	old, err := s.stageAndSwitch(ctx, v, world, func(tx *Tx) error {
		if err := s.checkBefore(tx.View, due); err != nil {
			return err
		}
		if !tx.Generation.start.isSameAs(v.Generation.start) {
			return errOvertaken
		}
		number := tx.Generation.number + 1
		tx.Generation = &Generation{number: number, began: number, start: p, journal: next}
		tx.Journal, tx.clearedTo, tx.resolved = next, 0, resolved
		tx.Clock, tx.Faults = p.newClock(), p.newFaults().After(tx.Faults)
		tx.schedule = tx.schedule.afterReset(p)
		return nil
	})
	if err != nil {
		next.Close() // a generation that may have begun all the same gets another journal when the bank is loaded again
		return err
	}
	old.Journal.Close()
	if fork := old.Generation.start.world.id; fork != p.world.id { // a fork that is none any more
		s.drop(ctx, v, fork)
	}
	return nil
}

// errWasReset says that the sandbox has been reset already.
var errWasReset = errors.New("the sandbox was reset meanwhile")

// checkBefore fails with errWasReset if the sandbox began at a time or later, unless that is zero.
func (s *Sandbox) checkBefore(v View, at time.Time) error {
	if !at.IsZero() && !s.InfoAt(v).beganBefore(at) {
		return errWasReset
	}
	return nil
}

// stageAndSwitch stages a world, and makes a change that puts it in the place of the present one. It returns the view
// before the change. The store drops the world that the bank doesn't use then.
func (s *Sandbox) stageAndSwitch(
	ctx context.Context, v View, w *sim.World, change func(*Tx) error,
) (old View, err error) {
	id, err := s.stage(ctx, v, w)
	if err != nil {
		return old, err
	}
	err = s.updateAlone(ctx, func(tx *Tx) error {
		old = tx.View
		if err := change(tx); err != nil {
			return err
		}
		tx.setWorld(w, id)
		return nil
	})
	switch {
	case err == nil:
		s.drop(ctx, v, old.state.present)
	case !errors.Is(err, ErrUnsure): // else the bank may refer to either world
		s.drop(ctx, v, id)
	}
	return old, err
}

// stage stores the rows of a world for a change to come, and returns its id. It returns 0 without a store.
func (s *Sandbox) stage(ctx context.Context, v View, w *sim.World) (WorldID, error) {
	if s.registry.store == nil {
		return 0, nil
	}
	id, began := newWorldID(), time.Now()
	staging, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	err := s.registry.store.Stage(staging, s.name, v.state.version, rowsOf(w, id))
	if err != nil {
		s.drop(ctx, v, id)
	}
	return id, s.registry.health.note(usedByCall, began, err)
}

// drop deletes a world that the bank doesn't refer to. If that fails, its rows go when the bank is deleted.
func (s *Sandbox) drop(ctx context.Context, v View, id WorldID) {
	if s.registry.store == nil || id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), worldTimeout)
	defer cancel()
	began := time.Now()
	_ = s.registry.health.note(usedByCall, began, s.registry.store.Drop(ctx, s.name, v.state.version, id))
}

// resolvedIfStored returns the YAML of a scenario for the store, or nil without one.
func (s *Sandbox) resolvedIfStored(sc *scenario.Scenario) ([]byte, error) {
	if s.registry.store == nil {
		return nil, nil
	}
	text, err := sc.Resolved()
	if err != nil {
		return nil, fmt.Errorf("%w: its scenario: %w", ErrNotStored, err)
	}
	return text, nil
}
