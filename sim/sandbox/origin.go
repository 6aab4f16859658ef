package sandbox

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Origin is what the sandboxes of a registry start from unless they were given a scenario of their own, and what
// became of the attempts to replace it.
type Origin struct {
	Scenario *scenario.Scenario
	LoadedAt time.Time // real
	Problem  error     // why what its files hold now was not taken; nil: it is what the scenario was made from
	Replaced uint64    // how often it was replaced
	Refused  uint64    // how often what its files held was not taken
	Returned uint64    // how often, after that, they held again what the scenario was made from
}

// Origin returns what the sandboxes start from.
func (r *Registry) Origin() Origin {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.origin
}

// Replace puts another scenario in the place of the registry's: sandboxes to come start from it, and those that
// started from the old one start anew, all at once. It returns how many did. Those with a scenario of their own and
// forks stay as they are, and so does everything where the scenario's content is the one that is there.
//
// Nobody finds a sandbox meanwhile, so that whoever has seen the new scenario in one sandbox sees it in all. A request
// that has found its sandbox before is answered, by one generation of it: see [Generation].
func (r *Registry) Replace(sc *scenario.Scenario) (restarted int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin.Problem = nil
	if sc.Version == r.origin.Scenario.Version {
		r.origin.Returned++
		return 0
	}
	r.origin.Scenario, r.origin.LoadedAt = sc, r.real()
	r.origin.Replaced++
	for _, s := range r.sandboxes {
		if s.follow(sc) {
			restarted++
		}
	}
	return restarted
}

// Refuse keeps everything as it is, and why.
func (r *Registry) Refuse(problem error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.origin.Problem = problem
	r.origin.Refused++
}

// followingLocked returns the start of a sandbox that follows the registry's scenario.
func (r *Registry) followingLocked(seed *uint64) start {
	at := fromScenario(r.origin.Scenario, seed)
	at.follows = true
	return at
}
