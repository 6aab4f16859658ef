package conformance

import (
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Behavior returns the switches of the scenario of a name or a file; empty: the defaults.
func Behavior(nameOrFile string) (*sim.Behavior, error) {
	if nameOrFile == "" {
		b := sim.DefaultBehavior()
		return &b, nil
	}
	sc, err := scenario.Load(nameOrFile)
	if err != nil {
		return nil, err
	}
	return sc.World.Behavior(), nil
}
