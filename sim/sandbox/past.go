package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// ErrNoExchange is the error of a question about an exchange that isn't known.
var ErrNoExchange = errors.New("the journal holds no exchange")

// Fork says what a sandbox was forked from. The zero Fork is one of a sandbox that starts from a scenario.
type Fork struct {
	Of string `json:"of"` // the name of the sandbox, which may be deleted

	// Before or After is the exchange around which the sandbox was forked. Both are empty if it was forked as it was then.
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
}

// Side is a moment around an exchange.
type Side bool

// The moments around an exchange.
const (
	Before Side = false
	After  Side = true
)

// forked returns the start of a fork of the sandbox as it is in a view: with its world and time, and with the faults of its
// start. A fork preserves a moment, so it does not follow the registry's scenario.
func (s *Sandbox) forked(v View) start {
	at := v.Generation.start.forkedAs(Fork{Of: s.name}, v.World)
	at.Now, at.Running = v.Now, v.Running
	return at
}

// forkedAround returns the start of a fork of the sandbox as it was around an exchange, with the faults of that moment. It
// fails with ErrNoExchange.
func (s *Sandbox) forkedAround(v View, exchange string, side Side) (at start, err error) {
	step, when, ok := v.Journal.Step(exchange)
	switch {
	case !ok || step.Before == nil:
		return start{}, fmt.Errorf("%w %s: it may have been evicted, cleared or reset, or come before a restart",
			ErrNoExchange, phrase.Quote(exchange))
	case side == Before:
		at = v.Generation.start.forkedAs(Fork{Of: s.name, Before: exchange}, step.Before)
		at.faults, _ = step.Faults[0].(*fault.Set)
	default:
		at = v.Generation.start.forkedAs(Fork{Of: s.name, After: exchange}, step.After)
		at.faults, _ = step.Faults[1].(*fault.Set)
	}
	if at.faults == nil { // there were none then
		at.faults = fault.NewSet(nil, at.Seed)
	}
	at.Now, at.Running, at.Since, at.HasFaults = when, step.Running, step.Since, true
	return at, nil
}

func (at start) forkedAs(of Fork, world *sim.World) start {
	at.Follows, at.Reset, at.Origin = false, Reset{}, of
	at.world = inMemory(world.Fork())
	at.Added = world.Added()
	return at
}

// storedWorld is a world that nobody writes to: in memory, or in the store until somebody asks for it.
type storedWorld struct {
	id   WorldID // in the store; 0 without one
	meta sim.StoredMeta

	mu    sync.Mutex
	world *sim.World
}

func inMemory(w *sim.World) *storedWorld { return &storedWorld{world: w, meta: w.Meta()} }

// get returns the world, and reads it from the store if that is necessary.
func (w *storedWorld) get(ctx context.Context, s *Sandbox, v View) (*sim.World, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.world != nil {
		return w.world, nil
	}
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	rows, err := s.in.store.World(ctx, s.name, v.state.version, w.id)
	if err = s.in.health.noteUse(began, err); err != nil {
		return nil, err
	}
	if len(rows) == 0 { // each world has an institution
		return nil, fmt.Errorf("%w: the rows of a world are gone", ErrNotStored)
	}
	w.world, err = restoreWorld(w.meta, v.World.Behavior(), rows)
	if err != nil {
		return nil, fmt.Errorf("%w: reading a world: %w", ErrNotStored, err)
	}
	return w.world, nil
}

// pastLimit is how many versions of a shared bank a process remembers, to know the worlds around exchanges of others
// (choice).
const pastLimit = 256

// pastStates are the newest states of a bank that several processes use.
type pastStates struct {
	mu     sync.Mutex
	states []*state // by version, without a gap
}

// add adds states that follow each other. The first may be known.
func (p *pastStates) add(states ...*state) {
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
			p.states = p.states[n-pastLimit+1:]
		}
		p.states = append(p.states, st)
	}
}

// setWorlds gives an exchange of another process the worlds around it, if they are known.
func (p *pastStates) setWorlds(e *journal.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	after, before := p.at(e.Version), p.at(e.Version)
	if e.IsChange {
		before = p.at(e.Version - 1)
	}
	if before == nil || after == nil {
		return
	}
	e.Step.Before, e.Step.After = before.world, after.world
	if !before.faults.Empty() || !after.faults.Empty() {
		e.Step.Faults = [2]journal.Kept{before.faults, after.faults}
	}
}

func (p *pastStates) at(seq int64) *state {
	if len(p.states) == 0 {
		return nil
	}
	i := seq - p.states[0].version.Seq
	if i < 0 || i >= int64(len(p.states)) {
		return nil
	}
	return p.states[i]
}
