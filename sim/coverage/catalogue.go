package coverage

import (
	"cmp"
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// pointIndex has every point of every operation in each of its dialects, in the order of the contract. An answer that
// only the simulator itself gives, such as one while its memory is full, is no point.
type pointIndex struct {
	points []Point
	// covered maps a point to the indexes of the points that are covered by it. An injected error covers all points
	// with its status and code, because they look alike to an app.
	covered map[Point][]int
}

// catalogue returns the index. It is the same for all simulators.
var catalogue = sync.OnceValue(func() *pointIndex {
	x := &pointIndex{covered: map[Point][]int{}}
	for _, op := range contract.Document().Operations {
		for _, i := range contract.Interfaces() {
			x.points = append(x.points, pointsOf(i.Operation(op.Name), nil)...)
		}
	}
	for i, p := range x.points {
		x.covered[p] = append(x.covered[p], i)
		if p.Kind == Accepted || p.Kind == Refused {
			p.Kind, p.Rule = Injected, ""
			x.covered[p] = append(x.covered[p], i)
		}
	}
	return x
})

// possiblePoints are the points that can be met in a bank with one of some policies. It remembers them: they take long
// to find, and a list of policies only grows. The zero value has none.
type possiblePoints struct {
	mu       sync.Mutex
	policies int // the number of policies whose points are in the map
	points   map[Point]bool
}

// list returns all points with counts of zero. A point is possible if it can be met in a bank with one of the policies.
// Each call has the policies of the calls before, and may have more.
func (x *possiblePoints) list(policies []*sim.Policies) []PointCount {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.policies < len(policies) {
		x.add(policies[x.policies:])
	}
	index := catalogue()
	all := make([]PointCount, len(index.points))
	for i, p := range index.points {
		all[i] = PointCount{Point: p, Possible: x.points[p]}
	}
	return all
}

func (x *possiblePoints) add(policies []*sim.Policies) {
	if x.points == nil {
		x.points = map[Point]bool{}
	}
	for _, p := range policies {
		for _, op := range contract.AllOperations() {
			if contract.AnsweredIn(&p.Document.Behavior, op.Dialect) == op.Dialect { // else the other dialect answers
				for _, point := range pointsOf(op, p.In(op.Dialect)) {
					x.points[point] = true
				}
			}
		}
	}
	x.policies += len(policies)
}

// pointsOf returns the points of an operation under a policy, or under any policy if it is nil.
func pointsOf(op *contract.Operation, policy *sim.Policy) []Point {
	var all []Point
	add := func(p Point) {
		p.Operation, p.Dialect = op.Name, string(op.Dialect)
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, a := range op.Answers {
		selected := policy == nil || a.Switched == nil || a.Switched.Switch.Value(&policy.Behavior) == a.Value
		if selected && !isStrictAgainst(policy, op.Uses[0]) {
			add(Point{Kind: Accepted, Status: a.Status})
		}
	}
	refused := map[Point]bool{} // the errors that a rule answers, whatever the switches say
	for _, r := range op.Refusals() {
		statuses, always := op.Family.Statuses(r), r.Entry.Switch == nil
		if policy != nil {
			statuses, always = []int{op.Family.Status(r, policy)}, true
			if !r.AppliesUnder(policy) || isStrictAgainst(policy, r.Entry) {
				continue
			}
		}
		for _, status := range statuses {
			add(Point{Kind: Refused, Status: status, Code: r.Code, Rule: string(r.Rule)})
			if always && len(statuses) == 1 {
				refused[Point{Status: status, Code: r.Code}] = true
			}
		}
	}
	for _, i := range op.Injections() {
		if !refused[Point{Status: i.Status, Code: i.Code}] {
			add(Point{Kind: Injected, Status: i.Status, Code: i.Code})
		}
	}
	slices.SortFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Rule, b.Rule))
	})
	for _, kind := range fault.Kinds {
		phases := []fault.Phase{fault.Before, fault.After}
		if !op.Changes { // the phases look alike to an app
			phases = []fault.Phase{""}
		} else if kind.Describe().Delivers { // the operation's own answer is damaged, so its change is made
			phases = []fault.Phase{fault.After}
		}
		for _, phase := range phases {
			add(Point{Kind: Connection, Connection: kind.Describe().Name, Phase: string(phase)})
		}
	}
	return all
}

// isStrictAgainst reports whether a bank with the policy refuses requests because an entry of the ledger is a choice.
func isStrictAgainst(policy *sim.Policy, e *contract.Entry) bool {
	return policy != nil && policy.Strict && e.BasisUnder(policy) == contract.Choice
}
