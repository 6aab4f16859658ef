package bankapi

import (
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// meet counts what the client of a request to an operation meets. That comes before the answer is sent, so whoever has an
// answer finds it counted.
func (x *exchange) meet(sent reply) {
	c := &x.call
	if c.route == nil || c.World == nil { // the request is no operation's, or its sandbox was deleted
		return
	}
	met := coverage.Answer{Operation: c.Operation, Status: sent.status, Entries: sent.decision.Entries}
	switch f := sent.injected; {
	case f != nil && f.AnsweredBy != "":
		met.Injected, met.Code, met.Connection, met.Phase = true, sent.code, f.Connection, f.Phase
	case sent.status == 0: // the client disconnected while a fault delayed its request
		return
	case sent.decision.Outcome == journal.Refused:
		met.Rule = sent.decision.Rule
	}
	x.sandbox.Coverage().Count(&met, c.World.Behavior(), c.strict)
}
