package coverage

import (
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Points returns every point of every operation, in each dialect that the operation is spoken in, in the order of the
// contract: the answers to requests that are accepted, the refusals, the errors that only a fault brings about, and what
// faults do to a connection. What only the simulator itself brings about, such as an answer while its memory is full, is none:
// see [contract.Operation.Conditions].
func Points() []Point { return slices.Clone(catalogue().points) }

// index has all points, and what an answer leads to: see slot.
type index struct {
	points     []Point
	slots      []slot // those of answers without a fault first, at the places of their points
	operations map[*contract.Operation]*operationIndex
}

// operationIndex finds the slots of an operation in a dialect.
type operationIndex struct {
	first, end  int // its points
	natural     map[ruled]int
	injected    map[coded]int
	connections map[broken]int
	codes       func() map[coded]bool // the errors of the operation's family
}

// ruled is an answer of the bank's own; an empty rule: the request is accepted.
type ruled struct {
	status int
	rule   string
}

// coded is an answer of a fault; an empty code: it is no error.
type coded struct {
	status int
	code   string
}

// broken is an answer that a fault loses or breaks.
type broken struct{ connection, phase string }

// slot is one way in which points are met.
//
// An error that a fault answers with meets each point that has its status and code: an app can't tell the rules apart that the
// bank answers alike, so it has met the answer of each. What the bank answers by itself meets the point of its rule alone.
type slot struct {
	points   []int  // none: it meets besides, which no description lists
	besides  *Point // nil: it meets points
	injected bool
}

// About how many points an operation has in a dialect, and an index slots for each point: room for them is made at once, because
// an index is built at each start.
const (
	pointsOfOperation = 36
	slotsOfPoint      = 1.5
)

// catalogue returns the index, which is the same for all simulators.
var catalogue = sync.OnceValue(newIndex)

func newIndex() *index {
	x := &index{
		points:     make([]Point, 0, pointsOfOperation*len(contract.AllSpoken())),
		operations: make(map[*contract.Operation]*operationIndex, len(contract.AllSpoken())),
	}
	for _, op := range contract.Operations {
		for _, d := range contract.Dialects {
			if spoken := op.In(d); spoken != nil {
				own := &operationIndex{first: len(x.points)}
				x.points = appendPoints(x.points, spoken)
				own.end = len(x.points)
				x.operations[spoken] = own
			}
		}
	}
	x.slots = make([]slot, 0, int(slotsOfPoint*float64(len(x.points))))
	places := make([]int, len(x.points))
	for i, p := range x.points {
		places[i] = i
		x.slots = append(x.slots, slot{points: places[i : i+1 : i+1], injected: p.Kind == Connection})
	}
	codes := map[*contract.Family]func() map[coded]bool{}
	for op, own := range x.operations {
		if codes[op.Family] == nil {
			codes[op.Family] = sync.OnceValue(func() map[coded]bool { return codesOf(op.Family) })
		}
		own.codes = codes[op.Family]
		x.find(op, own)
	}
	return x
}

// appendPoints appends the points of an operation in its dialect.
func appendPoints(all []Point, op *contract.Operation) []Point {
	first := len(all)
	add := func(p Point) {
		p.Operation, p.Dialect = op.Name, string(op.Dialect)
		if !slices.Contains(all[first:], p) {
			all = append(all, p)
		}
	}
	for _, a := range op.Answers {
		add(Point{Kind: Accepted, Status: a.Status})
	}
	refusals := op.Refusals()
	for _, r := range refusals {
		for _, status := range op.Family.Statuses(r) {
			add(Point{Kind: Refused, Status: status, Code: r.Code, Rule: string(r.Rule)})
		}
	}
	for _, i := range op.Injections() {
		if !alwaysRefusedWith(op, refusals, i.Refusal) {
			add(Point{Kind: Injected, Status: i.Status, Code: i.Code})
		}
	}
	for _, kind := range fault.Kinds {
		for _, phase := range phases(op, kind) {
			add(Point{Kind: Connection, Connection: string(kind), Phase: string(phase)})
		}
	}
	return all
}

// alwaysRefusedWith reports whether one of the operation's refusals has a status and a code under every behaviour: then the error
// has a point.
func alwaysRefusedWith(op *contract.Operation, refusals []contract.Refusal, with contract.Refusal) bool {
	return slices.ContainsFunc(refusals, func(r contract.Refusal) bool {
		return r.Code == with.Code && r.Status == with.Status && r.Entry.Switch == nil && len(op.Family.Statuses(r)) == 1
	})
}

// phases returns the phases of a connection fault that differ for an app. A damaged answer is the operation's own: its change
// is made.
func phases(op *contract.Operation, kind fault.Kind) []fault.Phase {
	switch {
	case !op.Changes:
		return []fault.Phase{""}
	case kind.Delivers():
		return []fault.Phase{fault.After}
	}
	return []fault.Phase{fault.Before, fault.After}
}

// find fills in what leads to the slots of an operation, and adds those of faults.
func (x *index) find(op *contract.Operation, own *operationIndex) {
	own.natural, own.injected, own.connections = map[ruled]int{}, map[coded]int{}, map[broken]int{}
	for i := own.first; i < own.end; i++ {
		p := x.points[i]
		if p.Kind == Connection {
			own.connections[broken{p.Connection, p.Phase}] = i
			continue
		}
		if p.Kind != Injected {
			own.natural[ruled{p.Status, p.Rule}] = i
		}
		answer := coded{p.Status, p.Code}
		at, known := own.injected[answer]
		if !known {
			at = len(x.slots)
			own.injected[answer] = at
			x.slots = append(x.slots, slot{injected: true})
		}
		x.slots[at].points = append(x.slots[at].points, i)
	}
	conditions := op.Conditions()
	for i := own.first; i < own.end; i++ { // what the simulator brings about by itself may be answered as an error that is listed
		if p := x.points[i]; p.Kind == Injected {
			for _, r := range conditions {
				if answer := (ruled{r.Status, string(r.Rule)}); r.Status == p.Status && r.Code == p.Code {
					own.natural[answer] = i
				}
			}
		}
	}
}

// codesOf returns the errors of a family.
func codesOf(f *contract.Family) map[coded]bool {
	codes := map[coded]bool{}
	for _, i := range f.Injections() {
		for _, status := range f.Statuses(i.Refusal) {
			codes[coded{status, i.Code}] = true
		}
	}
	return codes
}

// find returns the slot of an answer; ok is false if it meets no point.
func (own *operationIndex) find(a *Answer) (slot int, ok bool) {
	switch {
	case a.Connection != "":
		phase := a.Phase
		if !a.Operation.Changes {
			phase = ""
		}
		slot, ok = own.connections[broken{a.Connection, phase}]
	case a.Injected:
		slot, ok = own.injected[coded{a.Status, a.Code}]
	default:
		slot, ok = own.natural[ruled{a.Status, a.Rule}]
	}
	return slot, ok
}

// besides returns what stands for an answer that meets no point. Of what callers choose, only the status stays, and a code
// that the family has: so there are at most as many as operations times statuses, and the errors of families.
func (own *operationIndex) besides(a *Answer) Point {
	p := Point{Operation: a.Operation.Name, Dialect: string(a.Operation.Dialect), Status: a.Status}
	switch {
	case a.Connection != "":
		p.Kind, p.Status, p.Connection, p.Phase = Connection, 0, a.Connection, a.Phase
	case a.Injected:
		p.Kind = Injected
		if own.codes()[coded{a.Status, a.Code}] {
			p.Code = a.Code
		}
	case a.Rule != "":
		p.Kind, p.Rule, p.Code = Refused, a.Rule, a.Operation.Family.Refusal(sim.Code(a.Rule)).Code
	default:
		p.Kind = Accepted
	}
	return p
}
