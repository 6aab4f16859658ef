package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// ErrNoExchange is the error of a fork around an exchange whose worlds the journal doesn't know.
var ErrNoExchange = errors.New("the journal holds no exchange")

// Fork says what a sandbox was forked from. The zero Fork is one of a sandbox that starts from a scenario.
type Fork struct {
	Of string `json:"of"` // the name of the sandbox, which may be deleted

	// Before or After is the exchange around which the sandbox was forked. Both are empty for a fork of the present
	// moment.
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

// forked returns the start of a fork of a view: its world and time, and the faults of the sandbox's start. A fork
// preserves a moment, so it does not follow the registry's scenario.
func (s *Sandbox) forked(v View) startPoint {
	p := v.Generation.start.fork(Fork{Of: s.name}, v.World)
	p.Now, p.Running = v.Now, v.Running
	return p
}

// forkedAround returns the start of a fork just before or after an exchange, with the faults of that moment. It fails
// with ErrNoExchange.
func (s *Sandbox) forkedAround(v View, exchange string, side Side) (p startPoint, err error) {
	x, _ := v.Journal.Get(exchange)
	step, ok := v.Journal.Step(exchange)
	switch {
	case !ok || step.Before == nil:
		return p, fmt.Errorf("%w %s with the bank around it: it may have been evicted, cleared or reset, or come "+
			"before a restart or the last %d changes, or fewer if they are large", ErrNoExchange,
			wording.Quote(exchange), journal.MaxWorlds)
	case side == Before:
		p = v.Generation.start.fork(Fork{Of: s.name, Before: exchange}, step.Before)
		p.faults, _ = step.Faults[0].(*fault.Set)
	default:
		p = v.Generation.start.fork(Fork{Of: s.name, After: exchange}, step.After)
		p.faults, _ = step.Faults[1].(*fault.Set)
	}
	if p.faults == nil { // there were none then
		p.faults = fault.NewSet(nil, p.Seed)
	}
	p.Now, p.Running, p.Since, p.HasFaults = x.At, step.Running, step.Since, true
	return p, nil
}

// fork returns the start of a fork with a world.
func (p startPoint) fork(of Fork, world *sim.World) startPoint {
	p.Follows, p.Reset, p.Origin = false, Reset{}, of
	p.world = inMemory(world.Fork())
	return p
}

// lazyWorld is a read-only world that is read from the store on first use.
type lazyWorld struct {
	id   WorldID // in the store; 0 without one
	meta sim.StoredMeta

	reading sync.Mutex // held while the world is read
	loaded  atomic.Pointer[sim.World]
}

func inMemory(w *sim.World) *lazyWorld {
	lazy := &lazyWorld{meta: w.Meta()}
	lazy.loaded.Store(w)
	return lazy
}

// bytes returns the bytes of the world, or 0 if it isn't read.
func (w *lazyWorld) bytes() int {
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded.Bytes()
	}
	return 0
}

// opening returns the rows that the world began with, or nil if it isn't read.
func (w *lazyWorld) opening() *sim.Opening {
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded.Opening()
	}
	return nil
}

// get returns the world, and reads it from the store if that is necessary.
func (w *lazyWorld) get(ctx context.Context, s *Sandbox, v View) (*sim.World, error) {
	w.reading.Lock()
	defer w.reading.Unlock()
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded, nil
	}
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	rows, err := s.registry.store.World(ctx, s.name, v.state.version, w.id)
	if err = s.registry.health.note(usedByCall, began, err); err != nil {
		return nil, err
	}
	if len(rows) == 0 { // each world has an institution
		return nil, fmt.Errorf("%w: the rows of a world are gone", ErrNotStored)
	}
	world, err := sim.RestoreWorld(w.meta, v.World.Policies(), slices.Values(rows))
	if err != nil {
		return nil, fmt.Errorf("%w: reading a world: %w", ErrNotStored, err)
	}
	w.loaded.Store(world)
	return world, nil
}

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

// add adds states that follow one another. The first one may be there.
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
