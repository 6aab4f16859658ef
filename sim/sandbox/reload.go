package sandbox

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Origin is the registry's scenario: sandboxes without their own start from it.
type Origin struct {
	Scenario *scenario.Scenario
	LoadedAt time.Time // real
	Problem  error     // why the present content of its files was refused, or nil if it was not
}

// Origin returns the registry's scenario.
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

// SetScenario replaces the registry's scenario: new sandboxes start from it, and the sandboxes that started from the
// old one restart, all at once. Their journals go on. If its rows are the same, the sandboxes keep theirs, and get its
// faults and its time of resets. SetScenario returns how many sandboxes have changed, and whether their rows have.
// Forks and sandboxes with their own scenario don't change. If the scenario says the same as before, or if a store
// keeps the banks, no sandbox changes.
//
// The new worlds are made first. While the sandboxes get them, no sandbox can be looked up, so a caller that has seen
// the new scenario in one sandbox sees it in all.
func (r *Registry) SetScenario(sc *scenario.Scenario) (changed int, restarted bool) {
	r.setting.Lock()
	defer r.setting.Unlock()
	old, next := r.Origin().Scenario, r.newOrigin(sc)
	if sc.Version == old.Version || sc.StartsEqual(old) || r.store != nil {
		r.setOrigin(next, sc.Version == old.Version)
		return 0, false
	}
	made, keepRows := map[*Sandbox]startPoint{}, sc.HasRowsOf(old)
	for {
		for _, s := range r.All() {
			s.makeFollowing(next, made)
		}
		if changed, ok := r.reloadAll(next, made, keepRows); ok {
			return changed, !keepRows
		}
	}
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
func (s *Sandbox) makeFollowing(origin Origin, made map[*Sandbox]startPoint) {
	if old := s.state.Load().generation.start; old.Follows && made[s].scenario == nil {
		made[s] = old.with(origin.Scenario, s.registry.clockStart(origin.LoadedAt)).following(true)
	}
}

// reloadAll replaces the origin, and reloads the sandboxes whose starts are made. It does nothing if a sandbox that
// follows the scenario was created since.
func (r *Registry) reloadAll(next Origin, made map[*Sandbox]startPoint, keepRows bool) (changed int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sandboxes {
		if s.state.Load().generation.start.Follows && made[s].scenario == nil {
			return 0, false
		}
	}
	r.origin = next
	for _, s := range r.sandboxes {
		if p := made[s]; p.scenario != nil && s.takeScenario(p, keepRows) {
			changed++
		}
	}
	return changed, true
}

// takeScenario gives a sandbox in memory a new scenario of the registry, and reports whether it did. With keepRows, it
// takes the faults and the time of resets alone: the clock and the seed count from the next reset on. A save in an
// editor takes no record away, so the journal goes on.
func (s *Sandbox) takeScenario(p startPoint, keepRows bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.state.Load()
	if old.deleted || !old.generation.start.Follows {
		return false
	}
	g, next := *old.generation, *old
	g.journal.Mark(fmt.Sprintf("the scenario %s was reloaded before this exchange", p.scenario.Name))
	if keepRows {
		g.start.scenario = p.scenario
		next.faults, _, _ = old.faults.Replace(p.scenario.Faults...) // the scenario's own check has let them pass
	} else {
		p.Reset = Reset{time.Now(), byWatch}
		g.number++
		g.start = p
		next.world, next.faults, next.clock = p.world.loaded.Load().Fork(), p.newFaults(), p.newClock()
		next.world.Replace(old.world)
	}
	next.generation, next.schedule = &g, old.schedule.afterReset(g.start)
	if next.schedule.ResetTime != old.schedule.ResetTime { // it is due at the next such time
		next.schedule.Since = realNow()
	}
	s.install(&next)
	return true
}

// newOrigin returns the origin of a scenario that was loaded just now. A sandbox that starts at that time shares its
// rows.
func (r *Registry) newOrigin(sc *scenario.Scenario) Origin {
	now := time.Now()
	if r.cfg.Seed != nil {
		sc = sc.At(r.cfg.Seed, r.clockStart(now))
	} else {
		sc = sc.WithClock(r.clockStart(now))
	}
	return Origin{Scenario: sc, LoadedAt: now}
}

// startFollowing returns the start at a real time of a sandbox that follows the registry's scenario.
func (r *Registry) startFollowing(seed *uint64, wall time.Time) startPoint {
	return fromScenario(r.Origin().Scenario, seed, r.cfg.Seed, r.clockStart(wall)).following(true)
}
