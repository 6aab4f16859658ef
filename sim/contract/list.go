package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// list is a list that others extend, such as the rules that refuse all requests of a family.
type list[E any] []E

// and returns the list with more elements at its end. It doesn't change the list.
func (l list[E]) and(more ...E) list[E] { return append(slices.Clip(l), more...) }

// except returns a list of rules without some of them.
func except(rules []sim.Code, some ...sim.Code) list[sim.Code] {
	return slices.DeleteFunc(slices.Clone(rules), func(rule sim.Code) bool { return slices.Contains(some, rule) })
}
