package bankapi

import (
	"github.com/digitalbanking-sim/banksim/sim"
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
	op := c.Operation
	met := coverage.Point{Operation: op.Name, Dialect: string(op.Dialect), Kind: coverage.Accepted, Status: sent.status}
	switch f := sent.injected; {
	case f != nil && f.AnsweredBy != "" && f.Connection != "":
		met.Kind, met.Status, met.Connection = coverage.Connection, 0, f.Connection
		if op.Changes { // for others the phases are the same
			met.Phase = f.Phase
		}
	case f != nil && f.AnsweredBy != "":
		met.Kind, met.Code = coverage.Injected, sent.code
	case sent.status == 0: // the client disconnected while a fault delayed its request
		return
	case sent.decision.Outcome == journal.Refused:
		met.Kind, met.Rule = coverage.Refused, sent.decision.Rule
		met.Code = op.Family.Refusal(sim.Code(met.Rule)).Code
	}
	x.sandbox.Coverage().Count(met, sent.decision.Entries, c.World.Behavior(), c.strict)
}
