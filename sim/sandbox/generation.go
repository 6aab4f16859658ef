package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Generation is the time of a sandbox between two resets. Replacing the scenario begins one, too. What began in a generation
// can tell by it whether the sandbox was reset since.
type Generation struct {
	number  uint64 // of the sandbox's
	began   uint64 // the number of the one in which the journal began
	start   start
	faults  *fault.Set
	journal *journal.Journal
}

// start is the state to which a reset returns.
type start struct {
	scenario *scenario.Scenario
	given    *uint64 // the seed that the sandbox was created with; nil: that of the scenario
	fallback *uint64 // the seed where neither is given; nil: it is drawn
	follows  bool    // whether replacing the registry's scenario restarts the sandbox
	seed     uint64
	world    *sim.World // never written to
	now      time.Time  // virtual
	running  bool
	reset    Reset         // by which the generation began; zero: by none
	origin   Fork          // of a fork
	faults   *fault.Past   // of a fork from around an exchange; nil: the scenario's
	since    time.Duration // virtual, from the start of the sandbox that it was forked from, likewise
}

// fromScenario returns the start that a scenario describes at a real time.
func fromScenario(sc *scenario.Scenario, given, fallback *uint64, real time.Time) start {
	sc = sc.At(cmp.Or(given, fallback), real)
	s := start{scenario: sc, given: given, fallback: fallback, seed: sc.Seed, world: sc.World, now: sc.Start, running: sc.Running}
	if given != nil && *given != sc.Seed {
		s.seed = *given
		s.world = sc.World.Fork()
		s.world.Reseed(*given)
	}
	return s
}

// again returns the start of a reset at a real time: what was drawn is drawn again, and a clock that starts now shows the time.
func (at start) again(real time.Time) start {
	if at.origin == (Fork{}) {
		next := fromScenario(at.scenario, at.given, at.fallback, real)
		next.follows = at.follows
		return next
	}
	if at.drawn() {
		at.seed, at.world = rand.Uint64(), at.world.Fork()
		at.world.Reseed(at.seed)
	}
	return at
}

// drawn reports whether the seed was drawn.
func (at start) drawn() bool { return at.given == nil && at.fallback == nil && !at.scenario.Seeded }

// begin returns the state in which a generation begins after an old state, nil for the first: with the journal of that, or a new one.
func (s *Sandbox) begin(at start, old *state, keepsJournal bool) *state {
	g := &Generation{number: 1, start: at, faults: fault.NewSet(at.scenario.Faults, at.seed)}
	if at.faults != nil {
		g.faults = at.faults.NewSet(at.seed)
	}
	st := &state{
		generation: g, world: at.world.Fork(), clock: sim.NewClock(at.now, at.running, s.in.real()), snapshots: map[string]snapshot{},
	}
	if old != nil {
		g.number, st.changes, st.snapshots = old.generation.number+1, old.changes, old.snapshots
	}
	if keepsJournal {
		g.began, g.journal = old.generation.began, old.generation.journal
	} else {
		g.began, g.journal = g.number, s.in.newJournal()
	}
	return st
}

// Reset returns the world, the faults, the journal, the clock and the random source to the start. Snapshots stay. A sandbox that follows
// the registry's scenario starts from that: a store may have kept the sandbox while the scenario changed. It fails with ErrNotStored.
// It records who asked for it.
func (s *Sandbox) Reset(by string) error {
	newest := s.in.Origin().Scenario
	err := s.restart(by, func(old start) (start, bool) {
		if old.follows && old.scenario.Version != newest.Version {
			old.scenario = newest
		}
		return old.again(s.in.real()), true
	})
	if errors.Is(err, ErrDeleted) {
		return nil
	}
	return err
}

// Restart gives the sandbox a scenario of its own, from which it starts now and at each later reset. The seed that the
// sandbox was created with stays; without one, the seed of the scenario applies, or one is drawn. It records who asked for it. It fails
// with ErrDeleted.
func (s *Sandbox) Restart(by string, sc *scenario.Scenario) error {
	return s.restart(by, func(old start) (start, bool) { return fromScenario(sc, old.given, old.fallback, s.in.real()), true })
}

// follow restarts the sandbox from the registry's scenario if it follows that, and reports whether it does.
func (s *Sandbox) follow(sc *scenario.Scenario) (follows bool) {
	err := s.restart(ByWatch, func(old start) (start, bool) {
		follows = old.follows && old.scenario.Version != sc.Version // else another process was first
		at := fromScenario(sc, old.given, old.fallback, s.in.real())
		at.follows = true
		return at, follows
	})
	return follows && err == nil
}

// restart begins a generation at the start that the function derives from the old one, if it says so, and records who asked
// for it. It fails with ErrDeleted or ErrNotStored.
func (s *Sandbox) restart(by string, at func(old start) (next start, begins bool)) error {
	return s.exclusively(func() error {
		old := s.state.Load()
		if old.deleted {
			return ErrDeleted
		}
		next, begins := at(old.generation.start)
		if !begins {
			return nil
		}
		next.reset = Reset{s.in.real(), by}
		keepsJournal := by == ByWatch // what was saved in an editor takes no record away
		st := s.begin(next, old, keepsJournal)
		if err := s.commitGenerationLocked(st); err != nil {
			if !keepsJournal {
				st.generation.journal.Close()
			}
			return err
		}
		s.recount(old, nil)
		s.state.Store(st)
		if keepsJournal {
			st.generation.journal.Mark(fmt.Sprintf("the scenario %s was reloaded before this exchange", next.scenario.Name))
		} else {
			old.generation.journal.Close()
		}
		return nil
	})
}

// end ends the last generation, because the sandbox is deleted or the program ends; then the store keeps it. It fails with ErrNotStored.
func (s *Sandbox) end(deleted bool) error {
	if deleted {
		switch err := s.Take(); {
		case errors.Is(err, ErrDeleted): // by another process
			deleted = false
		case err != nil:
			return err
		default:
			defer func() { _ = s.Release() }() // the deletion is committed already
		}
	}
	return s.alone(func() error {
		last := *s.state.Load()
		if last.deleted {
			return nil
		}
		if deleted {
			if err := s.deleteStored(); err != nil {
				return err
			}
		}
		s.recount(&last, nil)
		last.deleted = true
		s.state.Store(&last)
		last.generation.journal.Close()
		return nil
	})
}

// ByWatch is who resets the sandboxes that follow the registry's scenario when that is replaced.
const ByWatch = "watch"

// Reset is a reset of a sandbox. A new scenario is one, too.
type Reset struct {
	At time.Time // real time
	By string    // the address of the client that asked for it, or ByWatch; empty: the program that runs the sandbox
}

// BeganAt returns the real time at which the present generation began.
func (s *Sandbox) BeganAt() time.Time {
	if last, ok := s.LastReset(); ok {
		return last.At
	}
	return s.created
}

// LastReset returns the reset by which the present generation began; ok is false if there was none.
func (s *Sandbox) LastReset() (last Reset, ok bool) {
	last = s.state.Load().generation.start.reset
	return last, !last.At.IsZero()
}
