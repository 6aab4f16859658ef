package contract

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
)

// NewPolicies returns the policies of a bank with a behaviour. In the public one, switches that the behaviour doesn't
// set explicitly have the public default.
func NewPolicies(b sim.Behavior) *sim.Policies {
	public := b
	for _, e := range declared {
		if e.hasPublicDefault() && !e.Switch.isExplicit(&b) {
			e.Switch.mustSet(&public, e.Public.Default)
		}
	}
	return &sim.Policies{
		Document: &sim.Policy{Dialect: sim.DialectDocument, Behavior: b},
		Public:   &sim.Policy{Dialect: sim.DialectPublic, Behavior: public},
	}
}

// mustSet sets the switch to a value written as text. It panics if the switch can't have the value.
func (s *Switch) mustSet(b *sim.Behavior, value string) {
	err := s.set(b, func(into any) error {
		_, err := fmt.Sscan(value, into)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("contract: behavior.%s can't be %s: %v", s.Key, value, err))
	}
}
