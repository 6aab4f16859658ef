package sandbox

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Sandbox is one isolated bank. Readers see its state as it was at one moment and never wait; writers take
// turns. All methods are safe for use by many goroutines.
type Sandbox struct {
	name     string
	scenario *scenario.Scenario
	seed     uint64
	created  time.Time        // real time
	real     func() time.Time // the real clock
	writing  sync.Mutex       // held by the one who replaces state
	state    atomic.Pointer[state]
}

// state is all that a sandbox is, as one immutable value: it is replaced, never changed.
type state struct {
	world *sim.World
	clock sim.Clock
}

// Moment is a sandbox at one moment: its world and the virtual time.
type Moment struct {
	World *sim.World
	Now   time.Time
}

// New returns a sandbox in the state that a scenario describes. A nil seed is the scenario's own.
func New(name string, sc *scenario.Scenario, seed *uint64) *Sandbox {
	s := &Sandbox{name: name, scenario: sc, seed: sc.Seed, real: time.Now}
	if seed != nil {
		s.seed = *seed
	}
	s.created = s.real()
	s.Reset()
	return s
}

// Name returns the name by which base URLs and the control API address the sandbox.
func (s *Sandbox) Name() string { return s.name }

// Scenario returns the scenario that the sandbox starts from.
func (s *Sandbox) Scenario() *scenario.Scenario { return s.scenario }

// Seed returns what its random source starts from.
func (s *Sandbox) Seed() uint64 { return s.seed }

// CreatedAt returns the real time of its making.
func (s *Sandbox) CreatedAt() time.Time { return s.created }

// Now returns the sandbox at this moment. Its world is for reading only.
func (s *Sandbox) Now() Moment { return s.state.Load().at(s.real()) }

func (st *state) at(real time.Time) Moment { return Moment{World: st.world, Now: st.clock.Now(real)} }

// Change runs fn, alone, on a copy of the world that it may write to. The copy replaces the world if fn returns
// nil; with an error, which Change returns, nothing has happened.
func (s *Sandbox) Change(fn func(Moment) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	old := s.state.Load()
	fork := &state{world: old.world.Fork(), clock: old.clock}
	if err := fn(fork.at(s.real())); err != nil {
		return err
	}
	s.state.Store(fork)
	return nil
}

// Reset puts the world, the clock and the random source back to the start.
func (s *Sandbox) Reset() {
	s.writing.Lock()
	defer s.writing.Unlock()
	start := &state{
		world: s.scenario.World.Fork(),
		clock: sim.NewClock(s.scenario.Start, s.scenario.Running, s.real()),
	}
	if s.seed != s.scenario.Seed {
		start.world.Reseed(s.seed)
	}
	s.state.Store(start)
}

// Clock returns the virtual time and whether it runs.
func (s *Sandbox) Clock() (now time.Time, running bool) {
	st := s.state.Load()
	return st.clock.Now(s.real()), st.clock.Running()
}

// SetClock replaces the virtual clock by what fn makes of it; fn is also given the real time.
func (s *Sandbox) SetClock(fn func(clock sim.Clock, real time.Time) sim.Clock) {
	s.writing.Lock()
	defer s.writing.Unlock()
	old := s.state.Load()
	s.state.Store(&state{world: old.world, clock: fn(old.clock, s.real())})
}
