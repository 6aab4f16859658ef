package sandbox

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Origin is the scenario from which the sandboxes of a registry start unless they have one of their own.
type Origin struct {
	Scenario *scenario.Scenario
	LoadedAt time.Time // real
	Problem  error     // why the present content of its files was refused, or nil if it was not
}

// Origin returns the scenario from which sandboxes start.
func (r *Registry) Origin() Origin {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.origin
}

// Refuse records why the content of the scenario's files was refused. The scenario stays.
func (r *Registry) Refuse(problem error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin.Problem = problem
}

// Replace replaces the registry's scenario: new sandboxes start from it, and the sandboxes that started from the old one
// restart, all at once. It returns how many restarted; their journals go on. Forks and sandboxes with a scenario of their
// own stay as they are. If the scenario says the same as before, or if a store keeps the banks, no sandbox restarts.
//
// The new worlds are made first. While the sandboxes get them, no sandbox can be looked up, so a caller that has seen the
// new scenario in one sandbox sees it in all.
func (r *Registry) Replace(sc *scenario.Scenario) (restarted int) {
	r.replacing.Lock()
	defer r.replacing.Unlock()
	old := r.Origin().Scenario
	next := r.loaded(sc)
	if sc.Version == old.Version || sc.SaysAs(old) || r.store != nil {
		r.setOrigin(next, sc.Version == old.Version)
		return 0
	}
	made := map[*Sandbox]start{}
	for _, s := range r.All() {
		r.makeFollowing(made, s, next.Scenario)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin = next
	for _, s := range r.sandboxes {
		r.makeFollowing(made, s, next.Scenario) // a sandbox that was created meanwhile
		if at, follows := made[s]; follows && s.restartInMemory(at) {
			restarted++
		}
	}
	return restarted
}

// setOrigin replaces the origin. If it is the same as before, the old one only loses its problem.
func (r *Registry) setOrigin(next Origin, isSame bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if isSame {
		next = r.origin
		next.Problem = nil
	}
	r.origin = next
}

// makeFollowing makes the start of a sandbox that follows the registry's scenario, unless it is made.
func (r *Registry) makeFollowing(made map[*Sandbox]start, s *Sandbox, sc *scenario.Scenario) {
	old := s.state.Load().generation.start
	if _, isMade := made[s]; isMade || !old.Follows || old.scenario.Version == sc.Version {
		return
	}
	at := fromScenario(sc, old.Given, old.Fallback, time.Now())
	at.Follows = true
	made[s] = at
}

// restartInMemory restarts a sandbox from a new scenario of the registry, and reports whether it did. What somebody saves
// in an editor takes no record away, so the journal goes on.
func (s *Sandbox) restartInMemory(at start) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.state.Load()
	if old.deleted || !old.generation.start.Follows {
		return false
	}
	at.Reset = Reset{time.Now(), ByWatch}
	g := *old.generation
	g.number++
	g.start = at
	g.journal.Mark(fmt.Sprintf("the scenario %s was reloaded before this exchange", at.scenario.Name))
	next := *old
	next.generation, next.world, next.faults = &g, at.world.world.Fork(), at.newFaults()
	next.clock = sim.NewClock(at.Now, at.Running, time.Now())
	s.showLocked(&next)
	return true
}

// loaded returns the origin of a scenario that was loaded just now. With the registry's seed its rows are built once.
func (r *Registry) loaded(sc *scenario.Scenario) Origin {
	now := time.Now()
	if r.cfg.Seed != nil {
		sc = sc.At(r.cfg.Seed, now)
	}
	return Origin{Scenario: sc, LoadedAt: now}
}

// startFollowing returns the start of a sandbox that follows the registry's scenario.
func (r *Registry) startFollowing(seed *uint64) start {
	at := fromScenario(r.Origin().Scenario, seed, r.cfg.Seed, time.Now())
	at.Follows = true
	return at
}
