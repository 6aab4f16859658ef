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
	startInfo
	scenario *scenario.Scenario
	world    *sim.World  // never written to
	faults   *fault.Past // of a fork from around an exchange; nil: the scenario's
}

// startInfo is what a store keeps of a start as it is.
type startInfo struct {
	Given    *uint64       `json:"given,omitzero"`    // the seed that the sandbox was created with; nil: that of the scenario
	Fallback *uint64       `json:"fallback,omitzero"` // the seed where neither is given; nil: it is drawn
	Follows  bool          `json:"follows,omitzero"`  // whether replacing the registry's scenario restarts the sandbox
	Seed     uint64        `json:"seed"`
	Now      time.Time     `json:"now"` // virtual
	Running  bool          `json:"running"`
	Reset    Reset         `json:"reset,omitzero"`  // by which the generation began; zero: by none
	Origin   Fork          `json:"origin,omitzero"` // of a fork
	Since    time.Duration `json:"since,omitzero"`  // virtual, of a fork from around an exchange, from the start of the other sandbox
}

// fromScenario returns the start that a scenario describes at a real time.
func fromScenario(sc *scenario.Scenario, given, fallback *uint64, real time.Time) start {
	sc = sc.At(cmp.Or(given, fallback), real)
	at := start{scenario: sc, world: sc.World, startInfo: startInfo{
		Given: given, Fallback: fallback, Seed: sc.Seed, Now: sc.Start, Running: sc.Running,
	}}
	if given != nil && *given != sc.Seed {
		at.Seed = *given
		at.world = sc.World.Fork()
		at.world.Reseed(*given)
	}
	return at
}

// again returns the start of a reset at a real time: what was drawn is drawn again, and a clock that starts now shows the time.
func (at start) again(real time.Time) start {
	if at.Origin == (Fork{}) {
		next := fromScenario(at.scenario, at.Given, at.Fallback, real)
		next.Follows = at.Follows
		return next
	}
	if at.drawn() {
		at.Seed, at.world = rand.Uint64(), at.world.Fork()
		at.world.Reseed(at.Seed)
	}
	return at
}

// drawn reports whether the seed was drawn.
func (at start) drawn() bool { return at.Given == nil && at.Fallback == nil && !at.scenario.Seeded }

// begin returns the state in which a generation begins after an old state, nil for the first: with the journal of that, or a new one.
func (s *Sandbox) begin(at start, old *state, keepsJournal bool) *state {
	g := &Generation{number: 1, start: at, faults: fault.NewSet(at.scenario.Faults, at.Seed)}
	if at.faults != nil {
		g.faults = at.faults.NewSet(at.Seed)
	}
	st := &state{
		generation: g, world: at.world.Fork(), clock: sim.NewClock(at.Now, at.Running, time.Now()), snapshots: map[string]snapshot{},
	}
	if old != nil {
		g.number, st.changes, st.snapshots = old.generation.number+1, old.changes, old.snapshots
	}
	if keepsJournal {
		g.began, g.journal = old.generation.began, old.generation.journal
	} else {
		g.began, g.journal = g.number, s.in.cfg.newJournal()
	}
	return st
}

// Reset returns the world, the faults, the journal, the clock and the random source to the start. Snapshots stay. A sandbox that follows
// the registry's scenario starts from that: a store may have kept the sandbox while the scenario changed. It fails with ErrNotStored.
// It records who asked for it.
func (s *Sandbox) Reset(by string) error {
	newest := s.in.Origin().Scenario
	err := s.restart(by, func(old start) (start, bool) {
		if old.Follows && old.scenario.Version != newest.Version {
			old.scenario = newest
		}
		return old.again(time.Now()), true
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
	return s.restart(by, func(old start) (start, bool) { return fromScenario(sc, old.Given, old.Fallback, time.Now()), true })
}

// follow restarts the sandbox from the registry's scenario if it follows that, and reports whether it does.
func (s *Sandbox) follow(sc *scenario.Scenario) (follows bool) {
	err := s.restart(ByWatch, func(old start) (start, bool) {
		follows = old.Follows && old.scenario.Version != sc.Version // else another process was first
		at := fromScenario(sc, old.Given, old.Fallback, time.Now())
		at.Follows = true
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
		next.Reset = Reset{time.Now(), by}
		keepsJournal := by == ByWatch // what was saved in an editor takes no record away
		st := s.begin(next, old, keepsJournal)
		if err := s.commitGenerationLocked(st); err != nil {
			if !keepsJournal {
				st.generation.journal.Close()
			}
			return err
		}
		s.showLocked(old, st)
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
	last = s.state.Load().generation.start.Reset
	return last, !last.At.IsZero()
}
