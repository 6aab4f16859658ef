package sandbox

import (
	"errors"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// ErrNoExchange is the error of a question about an exchange that isn't known.
var ErrNoExchange = errors.New("the journal holds no exchange")

// Fork says what a sandbox was forked from. The zero value: it starts from a scenario.
type Fork struct {
	Of string // the name of the sandbox, which may have been deleted since

	// Before or After is the exchange around which it was forked. Both empty: it was forked as it was then.
	Before, After string
}

// ForkOf returns what the sandbox was forked from. A fork that is given another scenario starts from that, and is none any more.
func (s *Sandbox) ForkOf() Fork { return s.state.Load().generation.start.Origin }

// Side is a moment around an exchange.
type Side bool

// The moments around an exchange.
const (
	Before Side = false // just before it
	After  Side = true  // just after it
)

// forked returns the start of a fork of the sandbox: the world and the time as they are now, and the scenario's faults with
// their counts at zero. A fork preserves a moment, so it does not follow the registry's scenario.
func (s *Sandbox) forked() start {
	now, real := s.present()
	at := now.generation.start.forkedAs(Fork{Of: s.name}, now.world)
	at.Now, at.Running = now.clock.Now(real), now.clock.Running()
	return at
}

// forkedAt returns the start of a fork of the sandbox as it was around an exchange. It fails with ErrDeleted or ErrNoExchange.
func (s *Sandbox) forkedAt(exchange string, side Side) (at start, err error) {
	now := s.state.Load()
	step, when, ok := now.generation.journal.Step(exchange)
	switch {
	case now.deleted:
		return start{}, ErrDeleted
	case !ok || step.Before == nil:
		return start{}, fmt.Errorf("%w %s: it may have been evicted, cleared or reset, or come before a restart", ErrNoExchange,
			phrase.Quote(exchange))
	case side == Before:
		at = now.generation.start.forkedAs(Fork{Of: s.name, Before: exchange}, step.Before)
		at.faults, _ = step.Faults[0].(*fault.Past)
	default:
		at = now.generation.start.forkedAs(Fork{Of: s.name, After: exchange}, step.After)
		at.faults, _ = step.Faults[1].(*fault.Past)
	}
	if at.faults == nil { // there were none
		at.faults = fault.NewSet(nil, 0).Past()
	}
	at.Now, at.Running, at.Since = when, step.Running, step.Since
	return at, nil
}

func (at start) forkedAs(of Fork, world *sim.World) start {
	at.Follows, at.Reset, at.Origin, at.world = false, Reset{}, of, world.Fork()
	return at
}
