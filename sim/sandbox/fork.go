package sandbox

import (
	"errors"
	"fmt"

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

// startNow returns the start of a fork of a view: its world and time, and the faults of the sandbox's start. A fork
// preserves a moment, so it does not follow the registry's scenario.
func (s *Sandbox) startNow(v View) startPoint {
	p := v.Generation.start.withWorld(Fork{Of: s.name}, v.World)
	p.Now, p.Running = v.Now, v.Running
	return p
}

// startAround returns the start of a fork just before or after an exchange, with the faults of that moment. It fails
// with ErrNoExchange.
func (s *Sandbox) startAround(v View, exchange string, side Side) (p startPoint, err error) {
	x, _ := v.Journal.Get(exchange)
	step, ok := v.Journal.Step(exchange)
	switch {
	case !ok || step.Before == nil:
		return p, fmt.Errorf("%w %s with the bank around it: it may have been evicted, cleared or reset, or come "+
			"before a restart or the last %d changes, or fewer if they are large", ErrNoExchange,
			wording.Quote(exchange), journal.MaxWorlds)
	case side == Before:
		p = v.Generation.start.withWorld(Fork{Of: s.name, Before: exchange}, step.Before)
		p.faults, _ = step.Faults[0].(*fault.Set)
	default:
		p = v.Generation.start.withWorld(Fork{Of: s.name, After: exchange}, step.After)
		p.faults, _ = step.Faults[1].(*fault.Set)
	}
	if p.faults == nil { // there were none then
		p.faults = fault.NewSet(nil, p.Seed)
	}
	p.Now, p.Running, p.Since, p.HasFaults = x.At, step.Running, step.Since, true
	return p, nil
}

// withWorld returns the start of a fork that begins with a world.
func (p startPoint) withWorld(of Fork, world *sim.World) startPoint {
	p.Follows, p.Reset, p.Origin = false, Reset{}, of
	p.world = inMemory(world.Fork())
	return p
}
