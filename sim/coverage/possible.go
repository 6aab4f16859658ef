package coverage

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// set is a set of points: a bit for each, by its place in the catalogue.
type set []uint64

func (s set) has(point int) bool { return len(s) > 0 && s[point/64]&(1<<(point%64)) != 0 }
func (s set) add(point int)      { s[point/64] |= 1 << (point % 64) }

// union returns a set with the points of both. It is one of the two if that has all.
func (s set) union(other set) set {
	if len(s) == 0 || slices.Equal(s, other) {
		return other
	}
	both := slices.Clone(s)
	for i := range other {
		both[i] |= other[i]
	}
	if slices.Equal(both, s) {
		return s
	}
	return both
}

// possibleUnder returns the points that can be met under a behaviour, in a strict sandbox or one that isn't.
func (x *index) possibleUnder(b *sim.Behavior, strict bool) set {
	possible := make(set, (len(x.points)+63)/64)
	behaviors := map[sim.Dialect]*sim.Behavior{}
	for _, d := range contract.Dialects {
		behaviors[d] = contract.SpokenIn(b, d)
	}
	for op, own := range x.operations {
		if d := contract.AnsweredIn(b, op.Dialect); d != op.Dialect && op.In(d) != nil {
			continue // its requests are answered in the other dialect
		}
		x.addPossible(possible, op, own, behaviors[op.Dialect], strict)
	}
	return possible
}

// addPossible adds the points of an operation that can be met under a behaviour.
func (x *index) addPossible(possible set, op *contract.Operation, own *operationIndex, b *sim.Behavior, strict bool) {
	answerable := func(decides *contract.Entry) bool { return !strict || decides.BasisUnder(b) != contract.Choice }
	accepted := map[int]bool{}
	if answerable(op.Uses[0]) {
		for _, a := range op.Answers {
			if a.Switched == nil || a.Switched.Switch.Value(b) == a.Value {
				accepted[a.Status] = true
			}
		}
	}
	refused := map[ruled]bool{}
	alike := map[coded]bool{} // the errors that a rule brings about
	for _, r := range op.Refusals() {
		if r.AppliesUnder(b) && answerable(r.Entry) {
			status := op.Family.Status(r, b)
			refused[ruled{status, string(r.Rule)}] = true
			alike[coded{status, r.Code}] = true
		}
	}
	for i := own.first; i < own.end; i++ {
		switch p := x.points[i]; {
		case p.Kind == Accepted && !accepted[p.Status],
			p.Kind == Refused && !refused[ruled{p.Status, p.Rule}],
			p.Kind == Injected && alike[coded{p.Status, p.Code}]: // the points of those rules are for it
		default:
			possible.add(i)
		}
	}
}
