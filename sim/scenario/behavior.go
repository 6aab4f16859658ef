package scenario

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// behaviorOf returns the default behaviour with the switches that a checked behavior block sets.
func behaviorOf(block *yaml.Node) sim.Behavior {
	b := sim.DefaultBehavior()
	for _, s := range contract.Switches() {
		if n := setting(block, s); n != nil {
			if value, err := valueOfKind(n, s.Kind); err == nil {
				s.Set(&b, value)
			}
		}
	}
	return b
}

// setting returns the value that a behavior block gives a switch, or nil.
func setting(block *yaml.Node, s *contract.Switch) *yaml.Node {
	for _, key := range strings.Split(s.Key, ".") {
		block = valueOf(block, key)
	}
	return block
}

// valueOfKind decodes the value of a switch.
func valueOfKind(n *yaml.Node, kind contract.Kind) (any, error) {
	switch kind {
	case contract.Status, contract.Number:
		return decoded[int](n)
	case contract.Flag:
		return decoded[bool](n)
	case contract.Lifetime:
		return duration(n.Value).parse()
	case contract.Members, contract.List:
		return decoded[[]string](n)
	case contract.Texts:
		return decoded[map[string]string](n)
	}
	return decoded[string](n)
}

func decoded[T any](n *yaml.Node) (any, error) {
	var value T
	err := n.Decode(&value)
	return value, err
}

// orDefault returns the value of a member of a document, or the default if it is left out.
func orDefault[T any](member *T, otherwise T) T {
	if member == nil {
		return otherwise
	}
	return *member
}
