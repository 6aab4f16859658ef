package contract

import "github.com/digitalbanking-sim/banksim/sim"

// NewPolicies returns the policies of a bank whose scenario sets the switches as b. Where the public API description says
// what a switch is about, the public policy follows the description.
func NewPolicies(b sim.Behavior) *sim.Policies {
	return &sim.Policies{
		Document: &sim.Policy{Dialect: sim.DialectDocument, Behavior: b},
		Public:   &sim.Policy{Dialect: sim.DialectPublic, Behavior: *SpokenIn(&b, sim.DialectPublic)},
	}
}
