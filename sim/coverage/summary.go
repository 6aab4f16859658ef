package coverage

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Summary is what a file says of each operation, all runs together.
type Summary struct {
	Runs       int                `json:"runs"`       // of simulators; what is known of a sandbox alone belongs to that of its simulator
	Operations []OperationSummary `json:"operations"` // all, in the order of the contract
	Total      Share              `json:"total"`      // of the answers of operations that count, without mistakes
	// All says that operations which were never called count in the total as well.
	All     bool         `json:"all,omitzero"`
	Entries []EntryCount `json:"entries"` // those of the ledger that answers rested on, in its order
}

// OperationSummary is the coverage of an operation.
type OperationSummary struct {
	Operation   string `json:"operation"`
	Called      bool   `json:"called"`
	Answers     Share  `json:"answers"`     // accepted, refused, injected: those that a correct client can meet
	Mistakes    Share  `json:"mistakes"`    // the refusals that only a client meets whose requests aren't as the contract has them
	Connections Share  `json:"connections"` // connection faults
	Points      []Met  `json:"points"`
	Other       []Met  `json:"other"`
}

// Share is how many of the possible points were met.
type Share struct {
	Possible    int `json:"possible"`
	Met         int `json:"met"`         // by the bank or by a fault
	OnlyByFault int `json:"onlyByFault"` // of Met
	NeverMet    int `json:"neverMet"`    // Possible - Met
}

// EntryCount is how many answers rested on an entry of the ledger.
type EntryCount struct {
	ID      string `json:"id"`
	Basis   string `json:"basis"`
	Answers uint64 `json:"answers"`
}

// Summarize sums a file up; all counts the answers of operations that were never called, too. Of a simulator that has several runs,
// such as an early and a late one, or those of sandboxes, each count is the largest: no answer counts twice. The counts of several
// simulators are added. Answers that this version doesn't list are among the other ones.
func Summarize(f File, all bool) Summary {
	simulators := map[string]counts{}
	for _, r := range f.Runs {
		id, _, _ := strings.Cut(r.ID, "/") // that of a sandbox goes on behind the slash
		if simulators[id].points == nil {
			simulators[id] = counts{map[Point]Met{}, map[string]uint64{}}
		}
		simulators[id].add(slices.Concat(r.Points, r.Other), r.Entries, func(a, b uint64) uint64 { return max(a, b) })
	}
	total := counts{map[Point]Met{}, map[string]uint64{}}
	for _, c := range simulators {
		total.add(slices.Collect(maps.Values(c.points)), c.entries, func(a, b uint64) uint64 { return a + b })
	}
	var points []Met
	for _, p := range catalogue().points {
		points = append(points, Met{p, total.points[p].Count, total.points[p].Possible})
		delete(total.points, p)
	}
	maps.DeleteFunc(total.points, func(_ Point, m Met) bool { return !m.met() })
	other := slices.SortedFunc(maps.Values(total.points), byText)
	narrow(points, other)

	s := Summary{Runs: len(simulators), All: all, Entries: []EntryCount{}}
	for _, e := range contract.Ledger() {
		if n := total.entries[e.ID]; n > 0 {
			s.Entries = append(s.Entries, EntryCount{e.ID, string(e.Basis), n})
		}
	}
	for _, name := range contract.Names() {
		o := OperationSummary{Operation: name, Points: ofOperation(points, name), Other: ofOperation(other, name)}
		o.sum()
		s.Operations = append(s.Operations, o)
		if o.Called || all {
			s.Total.Possible += o.Answers.Possible
			s.Total.Met += o.Answers.Met
			s.Total.OnlyByFault += o.Answers.OnlyByFault
			s.Total.NeverMet += o.Answers.NeverMet
		}
	}
	return s
}

// narrow leaves possible what counts: what the bank answered by itself was possible, whatever the switches say, and an operation counts in
// the dialects in which it was called. One that was called in none counts in the first in which anything is possible.
func narrow(points, other []Met) {
	type spoken struct{ operation, dialect string }
	called, counts := map[string]bool{}, map[spoken]bool{}
	for _, m := range slices.Concat(points, other) {
		if m.met() {
			called[m.Operation], counts[spoken{m.Operation, m.Dialect}] = true, true
		}
	}
	for i, m := range points {
		in, possible := spoken{m.Operation, m.Dialect}, m.Possible || m.ByBank > 0
		if possible && !called[m.Operation] {
			called[m.Operation], counts[in] = true, true
		}
		points[i].Possible = possible && counts[in]
	}
}

// counts are how often points were met, and how many answers rested on entries of the ledger.
type counts struct {
	points  map[Point]Met
	entries map[string]uint64
}

// add makes one count of two.
func (c counts) add(points []Met, entries map[string]uint64, one func(a, b uint64) uint64) {
	for _, m := range points {
		n := c.points[m.Point]
		c.points[m.Point] = Met{m.Point, Count{one(n.ByBank, m.ByBank), one(n.Injected, m.Injected)}, n.Possible || m.Possible}
	}
	for id, n := range entries {
		c.entries[id] = one(c.entries[id], n)
	}
}

func ofOperation(points []Met, name string) []Met {
	return slices.DeleteFunc(slices.Clone(points), func(m Met) bool { return m.Operation != name })
}

// NeverMet returns the answers that count and were never met, in the order of the contract.
func (s Summary) NeverMet() []Point {
	var never []Point
	for _, o := range s.Operations {
		for _, m := range o.Points {
			if (o.Called || s.All) && m.Kind != Connection && m.Possible && !m.met() && !m.IsMistake() {
				never = append(never, m.Point)
			}
		}
	}
	return never
}

// sum computes what follows from the points of the operation.
func (o *OperationSummary) sum() {
	for _, m := range o.Points {
		share := &o.Answers
		switch {
		case m.Kind == Connection:
			share = &o.Connections
		case m.IsMistake():
			share = &o.Mistakes
		}
		if !m.Possible {
			continue
		}
		share.Possible++
		if !m.met() {
			share.NeverMet++
			continue
		}
		share.Met++
		if m.ByBank == 0 {
			share.OnlyByFault++
		}
	}
	o.Called = slices.ContainsFunc(slices.Concat(o.Points, o.Other), Met.met)
}
