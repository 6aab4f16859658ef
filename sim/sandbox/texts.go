package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// DefaultScenarioBytes is how many bytes the texts of scenarios have at most unless a configuration sets a limit
// (choice).
const DefaultScenarioBytes = 64 << 20

// ErrScenariosTooLarge is the error of a scenario whose text has no room beside those that sandboxes hold.
var ErrScenariosTooLarge = errors.New("the scenarios of sandboxes leave no room for another one: delete sandboxes, " +
	"or let them start from the simulator's scenario")

// texts counts the texts of the scenarios that sandboxes hold. Equal scenarios share their text, and it counts once.
// The scenario of the registry doesn't count for the sandboxes that follow it.
type texts struct {
	max int

	mu   sync.Mutex
	held int              // bytes
	all  map[string]*text // by the version of the scenario
}

type text struct {
	source []byte
	users  int // sandboxes, and calls that are making one
}

// reserve returns a scenario that shares its text with equal ones, and holds the text until release is called. It fails
// with ErrScenariosTooLarge.
func (t *texts) reserve(sc *scenario.Scenario) (shared *scenario.Scenario, release func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.all[sc.Version]
	switch {
	case known == nil && t.held+len(sc.Source) > t.max:
		return nil, nil, fmt.Errorf("%w (they have %d of %d bytes, and this one has %d)",
			ErrScenariosTooLarge, t.held, t.max, len(sc.Source))
	case known != nil && bytes.Equal(known.source, sc.Source):
		light := *sc
		light.Source = known.source
		sc = &light
	}
	t.takeLocked(sc)
	return sc, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.releaseLocked(sc)
	}, nil
}

// recount counts the text of next in place of the text of old. Old is nil for a new sandbox.
func (t *texts) recount(old, next *state) {
	was, is := old.ownScenario(), next.ownScenario()
	if was == is {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.takeLocked(is)
	t.releaseLocked(was)
}

func (t *texts) takeLocked(sc *scenario.Scenario) {
	if sc == nil {
		return
	}
	held := t.all[sc.Version]
	if held == nil {
		held = &text{source: sc.Source}
		t.all[sc.Version] = held
		t.held += len(sc.Source)
	}
	held.users++
}

func (t *texts) releaseLocked(sc *scenario.Scenario) {
	if sc == nil {
		return
	}
	held := t.all[sc.Version]
	if held.users--; held.users == 0 {
		delete(t.all, sc.Version)
		t.held -= len(held.source)
	}
}

// ownScenario returns the scenario that a sandbox holds, or nil if it follows the registry's.
func (st *state) ownScenario() *scenario.Scenario {
	if st == nil || st.deleted || st.generation.start.Follows {
		return nil
	}
	return st.generation.start.scenario
}
