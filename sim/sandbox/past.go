package sandbox

import (
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// How many versions of a shared bank a process remembers, to know the worlds around exchanges of others, and how many
// bytes they keep alone (choice).
const (
	pastLimit = 256
	pastBytes = 16 << 20
)

// pastStates are the newest states of a bank that several processes use.
type pastStates struct {
	mu     sync.Mutex
	states []*state // by version, without a gap
}

// add adds states that follow one another. The first one may be known already.
func (p *pastStates) add(states []*state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, st := range states {
		n := len(p.states)
		switch {
		case n > 0 && p.states[n-1] == st:
			continue
		case n > 0 && p.states[n-1].version.Seq+1 != st.version.Seq:
			p.states = nil
		case n >= pastLimit:
			p.states = slices.Delete(p.states, 0, n-pastLimit+1)
		}
		p.states = append(p.states, st)
		for len(p.states) > 1 && st.world.Replaced()-p.states[0].world.Replaced() > pastBytes {
			p.states = slices.Delete(p.states, 0, 1)
		}
	}
}

// setWorlds gives an exchange of another process the worlds around it, if they are known.
func (p *pastStates) setWorlds(step *journal.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	after, before := p.find(step.Version), p.find(step.Version)
	if step.IsChange {
		before = p.find(step.Version - 1)
	}
	if before == nil || after == nil {
		return
	}
	step.Before, step.After = before.world, after.world
	if !before.faults.Empty() || !after.faults.Empty() {
		step.Faults = [2]journal.Attachment{before.faults, after.faults}
	}
}

// find returns the state at a version, or nil if it isn't known.
func (p *pastStates) find(seq int64) *state {
	if len(p.states) == 0 {
		return nil
	}
	i := seq - p.states[0].version.Seq
	if i < 0 || i >= int64(len(p.states)) {
		return nil
	}
	return p.states[i]
}
