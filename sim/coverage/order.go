package coverage

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// What points are sorted by. What another version knows, and this one doesn't, comes last.
var (
	operationOrder = order(contract.Names())
	dialectOrder   = order(contract.Dialects)
	kindOrder      = order([]Kind{Accepted, Refused, Injected, Connection})
)

func order[T comparable](all []T) map[T]int {
	index := make(map[T]int, len(all))
	for i, value := range all {
		index[value] = i
	}
	return index
}

// byOrder compares what is known by its place, and puts it before what is unknown.
func byOrder[T cmp.Ordered](index map[T]int, a, b T) int {
	i, knownA := index[a]
	j, knownB := index[b]
	switch {
	case knownA && knownB:
		return cmp.Compare(i, j)
	case knownA:
		return -1
	case knownB:
		return 1
	}
	return cmp.Compare(a, b)
}

// compare sorts points by operation, dialect, kind and status. Points that differ are never equal, so every order of the
// same points becomes the same.
func compare(a, b Point) int {
	return cmp.Or(
		compareOperations(a.Operation, b.Operation),
		byOrder(dialectOrder, sim.Dialect(a.Dialect), sim.Dialect(b.Dialect)),
		byOrder(kindOrder, a.Kind, b.Kind),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Connection, b.Connection),
		-cmp.Compare(a.Phase, b.Phase), // before, after
	)
}

func compareOperations(a, b string) int { return byOrder(operationOrder, a, b) }

func sortPoints(points []Met) {
	slices.SortFunc(points, func(a, b Met) int { return compare(a.Point, b.Point) })
}
