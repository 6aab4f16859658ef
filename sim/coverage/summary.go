package coverage

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Summary is the coverage of each operation, over all runs of a file.
type Summary struct {
	Runs       int                `json:"runs"`         // of simulators; runs of a sandbox belong to its simulator
	Operations []OperationSummary `json:"operations"`   // all, in the order of the contract
	Total      Share              `json:"total"`        // of the answers of operations that count, without mistakes
	All        bool               `json:"all,omitzero"` // whether operations that were never called count, too
	Entries    []EntryCount       `json:"entries"`      // of the ledger, in its order
}

// OperationSummary is the coverage of an operation.
type OperationSummary struct {
	Operation   string       `json:"operation"`
	Called      bool         `json:"called"`
	Answers     Share        `json:"answers"`     // accepted, refused and injected, without mistakes
	Mistakes    Share        `json:"mistakes"`    // refusals of wrong requests, see Point.IsMistake
	Connections Share        `json:"connections"` // connection faults
	Points      []PointCount `json:"points"`
	Other       []PointCount `json:"other"`
}

// Share is how many of the possible points are covered.
type Share struct {
	Possible    int `json:"possible"`
	Covered     int `json:"met"`
	OnlyByFault int `json:"onlyByFault"` // covered, and never by the bank itself
	NotCovered  int `json:"neverMet"`
}

func (s Share) plus(t Share) Share {
	return Share{
		s.Possible + t.Possible, s.Covered + t.Covered, s.OnlyByFault + t.OnlyByFault, s.NotCovered + t.NotCovered,
	}
}

// shareOf returns the share of one point.
func shareOf(p PointCount) Share {
	switch {
	case !p.Possible:
		return Share{}
	case !p.isCovered():
		return Share{Possible: 1, NotCovered: 1}
	case p.ByBank == 0:
		return Share{Possible: 1, Covered: 1, OnlyByFault: 1}
	}
	return Share{Possible: 1, Covered: 1}
}

// EntryCount is how many answers cite an entry of the ledger.
type EntryCount struct {
	ID      string `json:"id"`
	Basis   string `json:"basis"`
	Answers uint64 `json:"answers"`
}

// Summarize sums up the runs of a file. The counts of several simulators are added. If several runs are of one
// simulator, such as an early and a late one, or runs of its sandboxes, the largest count holds. With all, operations
// that were never called count, too.
func Summarize(f File, all bool) Summary {
	simulators := map[string]tally{}
	for _, r := range f.Runs {
		id, _, _ := strings.Cut(r.ID, "/") // the id of a sandbox's run begins with its simulator's
		if simulators[id].points == nil {
			simulators[id] = newTally()
		}
		simulators[id].add(slices.Concat(r.Points, r.Other), r.Entries, func(a, b uint64) uint64 { return max(a, b) })
	}
	total := newTally()
	for _, t := range simulators {
		total.add(slices.Collect(maps.Values(t.points)), t.entries, func(a, b uint64) uint64 { return a + b })
	}
	return total.summarize(len(simulators), all)
}

// tally holds counts of points, and of the answers that cite entries of the ledger.
type tally struct {
	points  map[Point]PointCount
	entries map[string]uint64
}

func newTally() tally { return tally{map[Point]PointCount{}, map[string]uint64{}} }

// add adds counts to the tally. merge makes one count of two.
func (t tally) add(points []PointCount, entries map[string]uint64, merge func(a, b uint64) uint64) {
	for _, p := range points {
		known := t.points[p.Point]
		count := Count{merge(known.ByBank, p.ByBank), merge(known.Injected, p.Injected)}
		t.points[p.Point] = PointCount{p.Point, count, known.Possible || p.Possible}
	}
	for id, n := range entries {
		t.entries[id] = merge(t.entries[id], n)
	}
}

// summarize returns the summary of runs of simulators. Points that this version doesn't know are among the other ones.
func (t tally) summarize(runs int, all bool) Summary {
	var points []PointCount
	for _, p := range catalogue().points {
		points = append(points, PointCount{p, t.points[p].Count, t.points[p].Possible})
		delete(t.points, p)
	}
	maps.DeleteFunc(t.points, func(_ Point, p PointCount) bool { return !p.isCovered() })
	other := slices.SortedFunc(maps.Values(t.points), byText)
	narrow(points, other)

	s := Summary{Runs: runs, All: all, Entries: []EntryCount{}}
	for _, e := range contract.Ledger() {
		if n := t.entries[e.ID]; n > 0 {
			s.Entries = append(s.Entries, EntryCount{e.ID, string(e.Basis), n})
		}
	}
	for _, name := range contract.Names() {
		o := summarizeOperation(name, ofOperation(points, name), ofOperation(other, name))
		s.Operations = append(s.Operations, o)
	}
	for _, o := range s.Counted() {
		s.Total = s.Total.plus(o.Answers)
	}
	return s
}

func summarizeOperation(name string, points, other []PointCount) OperationSummary {
	o := OperationSummary{Operation: name, Points: points, Other: other}
	for _, p := range points {
		share := &o.Answers
		switch {
		case p.Kind == Connection:
			share = &o.Connections
		case p.IsMistake():
			share = &o.Mistakes
		}
		*share = share.plus(shareOf(p))
	}
	o.Called = slices.ContainsFunc(slices.Concat(points, other), PointCount.isCovered)
	return o
}

// narrow leaves those points possible that count. A point that the bank itself has met counts whatever the switches
// say. An operation counts in every dialect of its calls. An operation that was never called counts in the first
// dialect that has possible points.
func narrow(points, other []PointCount) {
	type inDialect struct{ operation, dialect string }
	called, counts := map[string]bool{}, map[inDialect]bool{}
	for _, p := range slices.Concat(points, other) {
		if p.isCovered() {
			called[p.Operation], counts[inDialect{p.Operation, p.Dialect}] = true, true
		}
	}
	for i, p := range points {
		in, possible := inDialect{p.Operation, p.Dialect}, p.Possible || p.ByBank > 0
		if possible && !called[p.Operation] {
			called[p.Operation], counts[in] = true, true
		}
		points[i].Possible = possible && counts[in]
	}
}

// Counted returns the operations that count, in the order of the contract.
func (s Summary) Counted() []OperationSummary {
	return slices.DeleteFunc(slices.Clone(s.Operations), func(o OperationSummary) bool { return !o.Called && !s.All })
}

// NotCovered returns the answers that count and are not covered, in the order of the contract.
func (s Summary) NotCovered() []Point {
	var all []Point
	for _, o := range s.Counted() {
		for _, p := range o.Points {
			if p.Possible && !p.isCovered() && p.IsAnswer() {
				all = append(all, p.Point)
			}
		}
	}
	return all
}
