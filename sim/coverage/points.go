package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// index has all points, and finds those that an answer meets: every point of every operation, in each dialect that the operation
// is spoken in, in the order of the contract. These are the answers to requests that are accepted, the refusals, the errors that
// only a fault brings about, and what faults do to a connection. What only the simulator itself brings about, such as an answer
// while its memory is full, is none: see [contract.Operation.Conditions].
type index struct {
	points []Point
	// The places of the points that an answer meets. An error that a fault answers with meets each point that has its status and
	// code: an app can't tell the rules apart that the bank answers alike, so it has met the answer of each.
	places map[Point][]int
}

// catalogue returns the index, which is the same for all simulators.
var catalogue = sync.OnceValue(func() *index {
	x := &index{places: map[Point][]int{}}
	for _, op := range contract.Document().Operations {
		for _, i := range contract.Interfaces() {
			x.points = append(x.points, pointsOf(i.Operation(op.Name), nil)...)
		}
	}
	for i, p := range x.points {
		x.places[p] = append(x.places[p], i)
		if p.Kind == Accepted || p.Kind == Refused {
			p.Kind, p.Rule = Injected, ""
			x.places[p] = append(x.places[p], i)
		}
	}
	return x
})

// allow adds the points, by their places, that can be met in a bank with policies.
func (x *index) allow(possible []bool, policies *sim.Policies) {
	for _, op := range contract.AllOperations() {
		if contract.AnsweredIn(&policies.Document.Behavior, op.Dialect) != op.Dialect {
			continue // its requests are answered in the other dialect
		}
		for _, p := range pointsOf(op, policies.In(op.Dialect)) {
			for _, i := range x.places[p] {
				possible[i] = possible[i] || x.points[i] == p
			}
		}
	}
}

// pointsOf returns the points of an operation that can be met under a policy, or under any if it is nil.
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
		if selected && answers(policy, op.Uses[0]) {
			add(Point{Kind: Accepted, Status: a.Status})
		}
	}
	refused := map[Point]bool{} // the errors that a rule answers with: the points of those rules are for them
	for _, r := range op.Refusals() {
		statuses, always := op.Family.Statuses(r), r.Entry.Switch == nil
		if policy != nil {
			statuses, always = []int{op.Family.Status(r, policy)}, true
			if !r.AppliesUnder(policy) || !answers(policy, r.Entry) {
				continue
			}
		}
		for _, status := range statuses {
			add(Point{Kind: Refused, Status: status, Code: r.Code, Rule: string(r.Rule)})
			refused[Point{Status: status, Code: r.Code}] = always && len(statuses) == 1 || refused[Point{Status: status, Code: r.Code}]
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
	for _, kind := range fault.Kinds { // in the phases that differ for an app
		phases := []fault.Phase{fault.Before, fault.After}
		if !op.Changes {
			phases = []fault.Phase{""}
		} else if kind.Describe().Delivers { // a damaged answer is the operation's own: its change is made
			phases = []fault.Phase{fault.After}
		}
		for _, phase := range phases {
			add(Point{Kind: Connection, Connection: kind.Describe().Name, Phase: string(phase)})
		}
	}
	return all
}

// answers reports whether a bank with the policy gives an answer that an entry of the ledger decides: a strict bank refuses
// what is a choice.
func answers(policy *sim.Policy, decides *contract.Entry) bool {
	return policy == nil || !policy.Strict || decides.BasisUnder(policy) != contract.Choice
}

// Kind is what kind of thing a point is.
type Kind string

// The kinds.
const (
	Accepted   Kind = "accepted"   // an answer to a request that is accepted
	Refused    Kind = "refused"    // a refusal that a rule of the bank brings about; a fault can answer with it, too
	Injected   Kind = "injected"   // an error that only a fault brings about
	Connection Kind = "connection" // an answer that a fault loses or breaks
)

// Point is something that an app can meet when it calls an operation.
type Point struct {
	Operation  string `json:"operation"`
	Dialect    string `json:"dialect"` // document or public
	Kind       Kind   `json:"kind"`
	Status     int    `json:"status,omitzero"`     // of the answer
	Code       string `json:"code,omitzero"`       // in its error body
	Rule       string `json:"rule,omitzero"`       // that refuses
	Connection string `json:"connection,omitzero"` // the kind of a connection fault
	Phase      string `json:"phase,omitzero"`      // of a connection fault: before or after the change of the bank, if there is one
}

// IsMistake reports whether only a client meets the point whose requests aren't as the contract has them.
func (p Point) IsMistake() bool { return p.Kind == Refused && contract.IsMistake(sim.Code(p.Rule)) }

// Count is how often a point was met.
type Count struct {
	ByBank   uint64 `json:"byBank"`
	Injected uint64 `json:"injected"` // by a fault, whose error counts for every point with its status and code
}

func (c Count) met() bool { return c.ByBank > 0 || c.Injected > 0 }

// Met is a point with how often it was met.
type Met struct {
	Point
	Count
	// Possible says whether it can be met under the switches of a scenario that the suite used. What can't counts against
	// nobody.
	Possible bool `json:"possible"`
}

// byText sorts what no description lists.
func byText(a, b Met) int { return strings.Compare(fmt.Sprint(a.Point), fmt.Sprint(b.Point)) }
