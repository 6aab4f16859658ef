package coverage

import (
	"maps"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Summary is what a file says of each operation, all runs together.
type Summary struct {
	Runs       int                `json:"runs"`       // of simulators; what is known of a sandbox alone belongs to that of its simulator
	Operations []OperationSummary `json:"operations"` // all, in the order of the contract
	Total      Share              `json:"total"`      // of the answers of operations that count
	// All says that operations which were never called count in the total as well.
	All     bool         `json:"all,omitzero"`
	Entries []EntryCount `json:"entries"` // those of the ledger that answers rested on, in its order
}

// OperationSummary is the coverage of an operation.
type OperationSummary struct {
	Operation   string `json:"operation"`
	Called      bool   `json:"called"`
	Answers     Share  `json:"answers"`     // accepted, refused, injected
	Connections Share  `json:"connections"` // connection faults
	Points      []Met  `json:"points"`
	Besides     []Met  `json:"besides"`
}

// Share is how many of the possible points were met.
type Share struct {
	Possible       int `json:"possible"`
	Met            int `json:"met"`            // naturally or by a fault
	OnlyByFault    int `json:"onlyByFault"`    // of Met
	NeverMet       int `json:"neverMet"`       // Possible - Met
	PercentRounded int `json:"percentRounded"` // rounded down; 100 if nothing is possible
}

// EntryCount is how many answers rested on an entry of the ledger.
type EntryCount struct {
	ID      string `json:"id"`
	Basis   string `json:"basis"` // empty: this version doesn't have the entry
	Answers uint64 `json:"answers"`
}

// Summarize sums a file up. The counts of the runs of several simulators are added. Of a simulator that the file has as a whole,
// its sandboxes are a part. A point that was met naturally was possible; otherwise what is possible for an operation is what was
// in the runs in which it was called, if there is one.
func Summarize(f File) Summary {
	runs := bySimulator(Merge(f))
	all := together("", runs)
	s := Summary{Runs: len(runs), Entries: countsOf(all.Entries)}
	points, besides := byOperation(complete(all.Points)), byOperation(all.Besides)
	for _, name := range operationsOf(points, besides) {
		o := OperationSummary{Operation: name, Points: append([]Met{}, points[name]...), Besides: append([]Met{}, besides[name]...)}
		o.complete()
		s.Operations = append(s.Operations, o)
	}
	s.sum()
	return s
}

// bySimulator returns a run for each simulator.
func bySimulator(f File) []Run {
	var whole []Run
	parts := map[string][]Run{}
	for _, r := range f.Runs {
		if id := r.simulator(); id == r.ID {
			whole = append(whole, r)
		} else {
			parts[id] = append(parts[id], r)
		}
	}
	for id, runs := range parts {
		whole = append(whole, together(id, runs)) // the largest counts win: no answer counts twice
	}
	return Merge(File{Runs: whole}).Runs
}

// complete adds the points of the contract that a file leaves out, because they were neither met nor possible.
func complete(points []Met) []Met {
	all := map[Point]Met{}
	for _, p := range catalogue().points {
		all[p] = Met{Point: p}
	}
	for _, p := range points {
		all[p.Point] = p
	}
	return sorted(all)
}

func byOperation(points []Met) map[string][]Met {
	grouped := map[string][]Met{}
	for _, p := range points {
		grouped[p.Operation] = append(grouped[p.Operation], p)
	}
	return grouped
}

// operationsOf returns the names of all operations of the contract, and then those that only a file has.
func operationsOf(grouped ...map[string][]Met) []string {
	names := contract.Names()
	for _, points := range grouped {
		names = slices.AppendSeq(names, maps.Keys(points))
	}
	slices.SortFunc(names, compareOperations)
	return slices.Compact(names)
}

// countsOf returns counts of entries in the order of the ledger, and then those that it doesn't have.
func countsOf(entries map[string]uint64) []EntryCount {
	counts, known := []EntryCount{}, map[string]bool{}
	for _, e := range contract.Ledger() {
		known[e.ID] = true
		if n := entries[e.ID]; n > 0 {
			counts = append(counts, EntryCount{e.ID, string(e.Basis), n})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		if n := entries[id]; n > 0 && !known[id] {
			counts = append(counts, EntryCount{ID: id, Answers: n})
		}
	}
	return counts
}

// CountAll returns the summary with the answers of all operations in its total, those that were never called as well.
func (s Summary) CountAll() Summary {
	s.All = true
	s.sum()
	return s
}

// NeverMet returns the answers that count and were never met, in the order of the contract.
func (s Summary) NeverMet() []Point {
	var never []Point
	for _, o := range s.Operations {
		for _, p := range o.Points {
			if (o.Called || s.All) && p.Kind != Connection && p.Possible && !p.met() {
				never = append(never, p.Point)
			}
		}
	}
	return never
}

// sum computes the total.
func (s *Summary) sum() {
	s.Total = Share{}
	for _, o := range s.Operations {
		if o.Called || s.All {
			s.Total.Possible += o.Answers.Possible
			s.Total.Met += o.Answers.Met
			s.Total.OnlyByFault += o.Answers.OnlyByFault
		}
	}
	s.Total.complete()
}

// complete computes what follows from the points of an operation.
func (o *OperationSummary) complete() {
	for i, p := range o.Points {
		o.Points[i].Possible = p.Possible || p.Naturally > 0
		share := &o.Answers
		if p.Kind == Connection {
			share = &o.Connections
		}
		share.count(o.Points[i])
		o.Called = o.Called || p.met()
	}
	o.Called = o.Called || slices.ContainsFunc(o.Besides, func(m Met) bool { return m.met() })
	o.Answers.complete()
	o.Connections.complete()
}

func (s *Share) count(p Met) {
	switch {
	case !p.Possible:
		return
	case p.met() && p.Naturally == 0:
		s.OnlyByFault++
	}
	s.Possible++
	if p.met() {
		s.Met++
	}
}

func (s *Share) complete() {
	s.NeverMet = s.Possible - s.Met
	s.PercentRounded = 100
	if s.Possible > 0 {
		s.PercentRounded = s.Met * 100 / s.Possible
	}
}
