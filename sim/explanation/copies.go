package explanation

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Copies are what one can go on with from an exchange.
type Copies struct {
	Curl  string      `json:"curl" about:"A command for sh that sends the request again. Secrets are shell variables that must be set."`
	Fault *fault.Rule `json:"fault" about:"For POST …/faults: the next request to the operation fails; null: it is no operation's."`
	Notes []string    `json:"notes" about:"What the command lacks."`
}

func newCopies(x journal.Exchange, bank Bank) Copies {
	r := newRequest(x)
	rule := sim.Code(x.Decision.Rule)
	if x.Decision.Outcome == journal.Refused && slices.Contains(circumstances, rule) || rule == contract.Strictness && bank.Strict {
		r.note("The command doesn't bring about what decided: %s is about the simulator as it was then, and not about the request.", rule)
	}
	return Copies{Curl: r.curl(), Fault: failure(x), Notes: r.notes}
}

// circumstances are the rules that refuse a request for how the simulator was started, or what happened to it meanwhile.
var circumstances = []sim.Code{contract.SandboxMissing, contract.SandboxContradiction, contract.GenerationEnded, contract.Overloaded,
	contract.InternalFault}

// failure returns a rule that makes the next request to the operation fail, with an error that its description lists: an
// unexpected fault of the service if it has one.
func failure(x journal.Exchange) *fault.Rule {
	op, ok := contract.Find(x.Operation)
	if !ok {
		return nil
	}
	rule := &fault.Rule{Operation: fault.On(op.Name), When: fault.When{First: 1}}
	for _, injection := range op.Injections() {
		if rule.Then.Status = injection.Status; injection.Status >= 500 {
			break
		}
	}
	return rule
}
