package sandbox

import (
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Generation is what lasts from a sandbox's start to its next: a reset and another scenario begin one. What is under way then
// goes on with the old one.
type Generation struct {
	start   start
	faults  *fault.Set
	journal *journal.Journal
	last    atomic.Pointer[state] // the generation as it was at its end; nil before
}

// Faults returns the faults of the generation.
func (l *Generation) Faults() *fault.Set { return l.faults }

// start is what a reset goes back to.
type start struct {
	scenario *scenario.Scenario
	given    *uint64 // the seed that the sandbox was created with; nil: the scenario's counts
	follows  bool    // whether the sandbox goes along when the registry's scenario is replaced
	seed     uint64
	world    *sim.World // never written to
	now      time.Time  // virtual
	running  bool
}

// fromScenario returns a start from a scenario. A nil seed is the scenario's own.
func fromScenario(sc *scenario.Scenario, seed *uint64) start {
	s := start{scenario: sc, given: seed, seed: sc.Seed, world: sc.World, now: sc.Start, running: sc.Running}
	if seed != nil && *seed != sc.Seed {
		s.seed = *seed
		s.world = sc.World.Fork()
		s.world.Reseed(*seed)
	}
	return s
}

// begin begins a generation.
func (s *Sandbox) begin(at start) {
	s.state.Store(&state{
		generation: &Generation{
			start:   at,
			faults:  fault.NewSet(at.scenario.Faults, at.seed),
			journal: s.journal(),
		},
		world: at.world.Fork(),
		clock: sim.NewClock(at.now, at.running, s.real()),
	})
}

// Reset puts the world, the faults, the journal, the clock and the random source back to the start. Snapshots stay.
func (s *Sandbox) Reset() {
	_ = s.restart(func(old start) (start, bool) { return old, true })
}

// Restart makes the sandbox start from a scenario of its own, now and at every reset to come. The seed that the
// sandbox was created with stays; without one, the scenario's counts. It fails with ErrGone.
func (s *Sandbox) Restart(sc *scenario.Scenario) error {
	return s.restart(func(old start) (start, bool) { return fromScenario(sc, old.given), true })
}

// follow is Restart, for the registry's scenario, if the sandbox follows it, and tells whether it does.
func (s *Sandbox) follow(sc *scenario.Scenario) (follows bool) {
	err := s.restart(func(old start) (start, bool) {
		follows = old.follows
		at := fromScenario(sc, old.given)
		at.follows = true
		return at, follows
	})
	return follows && err == nil
}

// restart begins a generation at what becomes of the old one's start, if there is to be one. It fails with ErrGone.
func (s *Sandbox) restart(at func(old start) (next start, begins bool)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.gone {
		return ErrGone
	}
	old := s.state.Load()
	next, begins := at(old.generation.start)
	if !begins {
		return nil
	}
	old.generation.last.Store(old) // before anyone can find that the generation is over
	s.begin(next)
	old.generation.journal.Close()
	return nil
}

// end ends the last generation: what is under way comes to its end, and nothing of it is kept.
func (s *Sandbox) end() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.gone = true
	s.state.Load().generation.journal.Close()
}

// forked returns what a fork of the sandbox starts from: the world and the time as they are now, and the faults of the
// scenario, which count anew. It is kept when the registry's scenario is replaced: it was made to keep a moment.
func (s *Sandbox) forked() start {
	now := s.state.Load()
	at := now.generation.start
	at.follows = false
	at.world, at.now, at.running = now.world.Fork(), now.clock.Now(s.real()), now.clock.Running()
	return at
}
