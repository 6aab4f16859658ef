package explore

import (
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Failure is one way in which a call can fail.
type Failure struct {
	// Name is the status and the code of an error, such as 500_2001, or what happens to the answer: reset, timeout,
	// truncated, malformed, answer-lost-after-commit. 401_expired is a token that has expired.
	Name  string `json:"name"`
	About string `json:"about"` // in a sentence
	// Committed says that the change of the call is made, and its answer is lost or replaced.
	Committed bool `json:"committed,omitzero"`
	// Then and Phase are those of the fault's rule.
	Then  fault.Then  `json:"then"`
	Phase fault.Phase `json:"phase,omitzero"`
}

// Failures returns the ways in which calls of an operation can fail, in the dialect that the operation is described in: the
// errors that its description lists and that a behaviour makes possible, connection failures, and for an operation that
// changes the bank those before and after its commit. Their names are unique.
func Failures(op *contract.Operation, b *sim.Behavior) []Failure { return nil }
