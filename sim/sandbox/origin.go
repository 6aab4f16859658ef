package sandbox

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Origin is the scenario from which the sandboxes of a registry start unless they have one of their own, and why it
// was not replaced.
type Origin struct {
	Scenario *scenario.Scenario
	LoadedAt time.Time // real
	Problem  error     // why the present content of its files was refused; nil: that is what the scenario was loaded from
}

// Origin returns the scenario from which sandboxes start.
func (r *Registry) Origin() Origin {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.origin
}

// Replace replaces the registry's scenario: new sandboxes start from it, and those that started from the old one restart,
// all at once. It returns how many restarted; their journals go on. Sandboxes with a scenario of their own and forks stay as they
// are. If the scenario says the same as before, nothing restarts.
//
// No sandbox can be looked up meanwhile, so a caller that has seen the new scenario in one sandbox sees it in all. A request
// that has already looked up its sandbox belongs to one generation of it: see [Generation].
func (r *Registry) Replace(sc *scenario.Scenario) (restarted int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin.Problem = nil
	if sc.Version == r.origin.Scenario.Version {
		return 0
	}
	same := sc.SaysAs(r.origin.Scenario)
	r.origin = r.loaded(sc)
	if same {
		return 0
	}
	for _, s := range r.sandboxes {
		if s.follow(sc) {
			restarted++
		}
	}
	return restarted
}

// Refuse records why the content of the scenario's files was refused. The scenario stays.
func (r *Registry) Refuse(problem error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin.Problem = problem
}

// loaded returns the origin of a scenario that was loaded just now. With the registry's seed its rows are built once.
func (r *Registry) loaded(sc *scenario.Scenario) Origin {
	now := time.Now()
	if r.cfg.Seed != nil {
		sc = sc.At(r.cfg.Seed, now)
	}
	return Origin{Scenario: sc, LoadedAt: now}
}

// followingLocked returns the start of a sandbox that follows the registry's scenario.
func (r *Registry) followingLocked(seed *uint64) start {
	at := fromScenario(r.origin.Scenario, seed, r.cfg.Seed, time.Now())
	at.Follows = true
	return at
}
