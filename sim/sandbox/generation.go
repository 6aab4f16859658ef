package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Generation is the time of a sandbox between two resets. A new scenario begins one, too. A request that a fault delays can
// tell by it whether the sandbox was reset meanwhile.
type Generation struct {
	number  uint64 // from 1
	began   uint64 // the number of the generation in which the journal began
	start   start
	journal *journal.Journal
}

// start is the state to which a reset returns.
type start struct {
	startInfo
	scenario *scenario.Scenario
	world    *storedWorld
	faults   *fault.Set // of a fork from around an exchange, or nil for the faults of the scenario
}

// startInfo is what a store keeps of a start as it is.
type startInfo struct {
	Given     *uint64       `json:"given,omitzero"`    // the explicit seed, or nil for the seed of the scenario
	Fallback  *uint64       `json:"fallback,omitzero"` // the seed if there is no other, or nil if it is drawn
	Follows   bool          `json:"follows,omitzero"`  // whether a new scenario of the registry restarts the sandbox
	Seed      uint64        `json:"seed"`
	Now       time.Time     `json:"now"` // virtual
	Running   bool          `json:"running"`
	Reset     Reset         `json:"reset,omitzero"`  // by which the generation began
	Origin    Fork          `json:"origin,omitzero"` // of a fork
	Since     time.Duration `json:"since,omitzero"`  // virtual, from the start of the sandbox to the moment of the fork
	Added     int           `json:"added,omitzero"`  // rows that callers had added to the sandbox before the fork
	HasFaults bool          `json:"hasFaults,omitzero"`
}

// Reset is a reset of a sandbox. A new scenario is one, too.
type Reset struct {
	At time.Time `json:"at"` // real
	By string    `json:"by"` // the address of the client that asked for it, ByWatch, or empty for the program itself
}

// ByWatch resets the sandboxes that follow the registry's scenario when the scenario is replaced.
const ByWatch = "watch"

// fromScenario returns the start that a scenario describes at a real time.
func fromScenario(sc *scenario.Scenario, given, fallback *uint64, real time.Time) start {
	sc = sc.At(cmp.Or(given, fallback), real)
	world, seed := sc.World, sc.Seed
	if given != nil && *given != sc.Seed {
		seed, world = *given, sc.World.Fork()
		world.Reseed(seed)
	}
	return start{scenario: sc, world: inMemory(world), startInfo: startInfo{
		Given: given, Fallback: fallback, Seed: seed, Now: sc.Start, Running: sc.Running,
	}}
}

// isDrawn reports whether the seed was drawn.
func (at start) isDrawn() bool { return at.Given == nil && at.Fallback == nil && !at.scenario.Seeded }

// isSameAs reports whether a reset returns to the same state as from another start.
func (at start) isSameAs(other start) bool {
	return at.scenario.Version == other.scenario.Version && at.scenario.File == other.scenario.File &&
		at.Origin == other.Origin
}

// again returns the start of a reset at a real time. A seed that was drawn is drawn again, and a clock that starts now shows
// the time.
func (s *Sandbox) again(ctx context.Context, v View, real time.Time) (start, error) {
	at := v.Generation.start
	if at.Origin == (Fork{}) {
		next := fromScenario(at.scenario, at.Given, at.Fallback, real)
		next.Follows = at.Follows
		return next, nil
	}
	if !at.isDrawn() {
		return at, nil
	}
	world, err := at.world.get(ctx, s, v)
	if err != nil {
		return start{}, err
	}
	world = world.Fork()
	at.Seed = rand.Uint64()
	world.Reseed(at.Seed)
	at.world = &storedWorld{id: at.world.id, meta: world.Meta(), world: world}
	return at, nil
}

// newFaults returns the faults with which a generation begins.
func (at start) newFaults() *fault.Set {
	if at.faults != nil {
		return at.faults.WithSeed(at.Seed)
	}
	return fault.NewSet(at.scenario.Faults, at.Seed)
}

// firstState returns the state in which a new sandbox begins. Its start world is in memory.
func (r *Registry) firstState(at start) *state {
	g := &Generation{number: 1, began: 1, start: at, journal: r.newJournal()}
	return &state{
		generation: g, world: at.world.world.Fork(), clock: sim.NewClock(at.Now, at.Running, time.Now()),
		faults: at.newFaults(), snapshots: map[string]snapshot{},
	}
}

// Reset returns the world, the faults, the journal, the clock and the random source to the start, and records by whom.
// Snapshots stay. A sandbox that follows the registry's scenario starts from the scenario that the registry has now. Reset
// fails with ErrDeleted, ErrNotStored and ErrUnsure.
func (s *Sandbox) Reset(ctx context.Context, by string) error {
	return s.restart(ctx, by, func(v View) (start, error) {
		old := v.Generation.start
		if newest := s.in.Origin().Scenario; old.Follows && old.scenario.Version != newest.Version {
			next := fromScenario(newest, old.Given, old.Fallback, time.Now())
			next.Follows = true
			return next, nil
		}
		return s.again(ctx, v, time.Now())
	})
}

// Restart gives the sandbox a scenario of its own, from which it starts now and at each later reset, and records by whom. An
// explicit seed of the sandbox stays; otherwise the seed of the scenario applies, or one is drawn. It fails as Reset does.
func (s *Sandbox) Restart(ctx context.Context, by string, sc *scenario.Scenario) error {
	return s.restart(ctx, by, func(v View) (start, error) {
		old := v.Generation.start
		return fromScenario(sc, old.Given, old.Fallback, time.Now()), nil
	})
}

// errOvertaken is the error of a reset whose start another call has replaced meanwhile.
var errOvertaken = errors.New("the start of the sandbox was replaced meanwhile")

// restart begins a generation at the start that a function derives from the sandbox as it is. The rows of the new world are
// made and staged before others have to wait.
func (s *Sandbox) restart(ctx context.Context, by string, at func(View) (start, error)) error {
	for {
		err := s.tryRestart(ctx, by, at)
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

func (s *Sandbox) tryRestart(ctx context.Context, by string, at func(View) (start, error)) error {
	v, err := s.Latest(ctx)
	if err != nil {
		return err
	}
	next, err := at(v)
	if err != nil {
		return err
	}
	next.Reset = Reset{time.Now(), by}
	world, err := next.world.get(ctx, s, v)
	if err != nil {
		return err
	}
	resolved, err := s.resolvedIfStored(next.scenario)
	if err != nil {
		return err
	}
	err = s.replaceWorld(ctx, v, world, func(tx *Tx, id WorldID) error {
		if !tx.Generation.start.isSameAs(v.Generation.start) {
			return errOvertaken
		}
		tx.resolved = resolved
		s.in.beginGeneration(tx, next, world, id)
		return nil
	})
	if old := v.Generation.start.world.id; err == nil && old != next.world.id { // that of a fork
		s.drop(ctx, v, old)
	}
	return err
}

// beginGeneration makes a change begin a generation with a journal of its own.
func (r *Registry) beginGeneration(tx *Tx, at start, world *sim.World, id WorldID) {
	number := tx.from.generation.number + 1
	tx.Generation = &Generation{number: number, began: number, start: at, journal: r.newJournal()}
	tx.Journal, tx.clearedTo = tx.Generation.journal, 0
	tx.replaceWorld(world, id)
	tx.Clock = sim.NewClock(at.Now, at.Running, time.Now())
	tx.Faults = at.newFaults()
}

// replaceWorld stages a world, and makes a change that puts it in the place of another one. Worlds that the bank doesn't use
// any more are dropped from the store.
func (s *Sandbox) replaceWorld(ctx context.Context, v View, w *sim.World, change func(*Tx, WorldID) error) error {
	id, err := s.stage(ctx, v, w)
	if err != nil {
		return err
	}
	var unused WorldID
	var closed, opened *journal.Journal
	err = s.replace(ctx, func(tx *Tx) error {
		before := tx.Journal
		unused = tx.present
		if err := change(tx, id); err != nil {
			return err
		}
		if opened != nil {
			opened.Close() // of an attempt before this one
		}
		closed, opened = nil, nil
		if after := tx.Generation.journal; after != before {
			closed, opened = before, after
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrUnsure): // the bank refers to one of the two worlds
		return err
	case err != nil:
		unused, closed = id, opened
	}
	if closed != nil {
		closed.Close()
	}
	s.drop(ctx, v, unused)
	return err
}

// stage stores the rows of a world that a change is going to refer to, and returns its id. It returns 0 without a store.
func (s *Sandbox) stage(ctx context.Context, v View, w *sim.World) (WorldID, error) {
	if s.in.store == nil {
		return 0, nil
	}
	id, began := newWorldID(), time.Now()
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	err := s.in.store.Stage(ctx, s.name, v.state.version, id, storedRows(w))
	if err != nil {
		s.drop(ctx, v, id)
	}
	return id, s.in.health.noteUse(began, err)
}

// drop deletes a world that the bank doesn't refer to. If that fails, its rows go when the bank is deleted.
func (s *Sandbox) drop(ctx context.Context, v View, id WorldID) {
	if s.in.store == nil || id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), worldTimeout)
	defer cancel()
	_ = s.in.health.noteUse(time.Now(), s.in.store.Drop(ctx, s.name, v.state.version, id))
}

// resolvedIfStored returns the YAML of a scenario for the store, or nil without one.
func (s *Sandbox) resolvedIfStored(sc *scenario.Scenario) ([]byte, error) {
	if s.in.store == nil {
		return nil, nil
	}
	text, err := sc.Resolved()
	if err != nil {
		return nil, fmt.Errorf("%w: its scenario: %w", ErrNotStored, err)
	}
	return text, nil
}
