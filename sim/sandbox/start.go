package sandbox

import (
	"cmp"
	"context"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// startPoint is the state that a reset restores.
type startPoint struct {
	startInfo
	scenario *scenario.Scenario
	world    *lazyWorld
	faults   *fault.Set // of a fork from around an exchange, or nil for the faults of the scenario
}

// startInfo is the part of a start that is stored as JSON.
type startInfo struct {
	ExplicitSeed *uint64       `json:"explicitSeed,omitzero"` // or nil for the seed of the scenario
	Fallback     *uint64       `json:"fallback,omitzero"`     // the seed if there is no other, or nil if it is drawn
	Follows      bool          `json:"follows,omitzero"`      // whether the registry's scenario restarts the sandbox
	Seed         uint64        `json:"seed"`
	Now          time.Time     `json:"now"` // virtual
	Running      bool          `json:"running"`
	Reset        Reset         `json:"reset,omitzero"`     // that began the generation
	Origin       Fork          `json:"origin,omitzero"`    // of a fork
	Since        time.Duration `json:"since,omitzero"`     // virtual, from the sandbox's start to the fork
	HasFaults    bool          `json:"hasFaults,omitzero"` // whether a fork has faults of its own, maybe an empty set
}

// fromScenario returns the start that a scenario describes.
func fromScenario(sc *scenario.Scenario, explicit, fallback *uint64, clock scenario.ClockStart) startPoint {
	sc = sc.At(cmp.Or(explicit, fallback), clock)
	world, seed := sc.World, sc.Seed
	if explicit != nil && *explicit != sc.Seed {
		seed, world = *explicit, sc.World.Fork()
		world.Reseed(seed)
	}
	return startPoint{scenario: sc, world: inMemory(world), startInfo: startInfo{
		ExplicitSeed: explicit, Fallback: fallback, Seed: seed, Now: sc.Start, Running: sc.Running,
	}}
}

// with returns the start that another scenario describes for the same sandbox.
func (p startPoint) with(sc *scenario.Scenario, clock scenario.ClockStart) startPoint {
	return fromScenario(sc, p.ExplicitSeed, p.Fallback, clock)
}

// following returns the start for a sandbox that follows the registry's scenario.
func (p startPoint) following(follows bool) startPoint {
	p.Follows = follows
	return p
}

// again returns the start of a reset. A seed that was drawn is drawn again, and a clock that starts now shows the time.
func (p startPoint) again(ctx context.Context, s *Sandbox, v View) (startPoint, error) {
	if p.Origin == (Fork{}) {
		return p.with(p.scenario, s.registry.clockStart(time.Now())).following(p.Follows), nil
	}
	if !p.isDrawn() {
		return p, nil
	}
	world, err := p.world.get(ctx, s, v)
	if err != nil {
		return p, err
	}
	world = world.Fork()
	p.Seed = scenario.DrawSeed()
	world.Reseed(p.Seed)
	id := p.world.id
	p.world = inMemory(world)
	p.world.id = id
	return p, nil
}

// isDrawn reports whether the seed was drawn.
func (p startPoint) isDrawn() bool {
	return p.ExplicitSeed == nil && p.Fallback == nil && !p.scenario.Seeded()
}

// isSameAs reports whether a reset restores the same state as from another start.
func (p startPoint) isSameAs(other startPoint) bool {
	return p.scenario.Version == other.scenario.Version && p.scenario.File == other.scenario.File &&
		p.Origin == other.Origin
}

// newFaults returns the faults of a new generation.
func (p startPoint) newFaults() *fault.Set {
	if p.faults != nil {
		return p.faults.WithSeed(p.Seed)
	}
	return fault.NewSet(p.scenario.Faults, p.Seed)
}

// newClock returns the clock of a new generation.
func (p startPoint) newClock() sim.Clock { return sim.NewClock(p.Now, p.Running, time.Now()) }

// firstState returns the first state of a new sandbox. The world of its start is in memory.
func (r *Registry) firstState(p startPoint) *state {
	return &state{
		generation: &Generation{number: 1, began: 1, start: p, journal: r.newJournal()},
		world:      p.world.loaded.Load().Fork(), clock: p.newClock(), faults: p.newFaults(),
		settings: settings{
			snapshots: map[string]snapshot{}, schedule: schedule{ResetTime: p.resets(), Since: realNow()},
		},
	}
}
