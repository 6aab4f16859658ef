package coverage

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Merge returns the coverage of all runs of files, each of them once. Of a run that several files have, each count is the
// largest: the counts of a run only grow, so a later file has what an earlier one had. Merge is associative, commutative and
// idempotent. It keeps points that this version doesn't know.
func Merge(files ...File) File {
	runs := map[string]*merging{}
	for _, f := range files {
		for _, r := range f.Runs {
			m, ok := runs[r.ID]
			if !ok {
				m = newMerging(r, larger)
				runs[r.ID] = m
			}
			m.add(r)
		}
	}
	merged := File{Format: Format, Runs: make([]Run, 0, len(runs))}
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		merged.Runs = append(merged.Runs, runs[id].run())
	}
	return merged
}

// merging is a run while what files say of it is merged, or a sum while runs are added.
type merging struct {
	id, version     string
	started         time.Time
	count           func(a, b uint64) uint64 // returns one count of two
	called          map[string]bool          // operations that some file has a call of
	points, besides map[Point]Met
	entries         map[string]uint64
}

func newMerging(r Run, count func(a, b uint64) uint64) *merging {
	return &merging{
		id: r.ID, version: r.Version, started: r.Started.UTC(), count: count,
		called: map[string]bool{}, points: make(map[Point]Met, len(r.Points)), besides: map[Point]Met{}, entries: map[string]uint64{},
	}
}

// add adds what a file says of the run.
func (m *merging) add(r Run) {
	m.version = max(m.version, r.Version)
	if r.Started.Before(m.started) {
		m.started = r.Started.UTC()
	}
	called := r.called()
	// What is possible of an operation that isn't called yet gives way to what is once it is called, which depends on the dialect of
	// the call.
	for name := range called {
		if !m.called[name] {
			m.called[name] = true
			forgetPossible(m.points, name)
			forgetPossible(m.besides, name)
		}
	}
	for _, p := range r.Points {
		m.raise(m.points, p, p.Possible && called[p.Operation] == m.called[p.Operation])
	}
	for _, p := range r.Besides {
		m.raise(m.besides, p, p.Possible && called[p.Operation] == m.called[p.Operation])
	}
	for id, n := range r.Entries {
		m.entries[id] = m.count(m.entries[id], n)
	}
}

func forgetPossible(points map[Point]Met, operation string) {
	for p, met := range points {
		if p.Operation == operation {
			met.Possible = false
			points[p] = met
		}
	}
}

// raise raises the counts of a point.
func (m *merging) raise(points map[Point]Met, p Met, possible bool) {
	met := points[p.Point]
	met.Point = p.Point
	met.Naturally = m.count(met.Naturally, p.Naturally)
	met.Injected = m.count(met.Injected, p.Injected)
	met.Possible = met.Possible || possible
	points[p.Point] = met
}

// run returns the run as all files together have it.
func (m *merging) run() Run {
	return Run{ID: m.id, Version: m.version, Started: m.started, Points: sorted(m.points), Entries: m.entries, Besides: sorted(m.besides)}
}

// larger returns the larger of two counts.
func larger(a, b uint64) uint64 { return max(a, b) }

// plus returns the sum of two counts, or the largest one there is: files may say anything.
func plus(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}

// together returns a run that has what several runs have, each of which has no point twice.
func together(id string, runs []Run) Run {
	m := newMerging(Run{ID: id}, plus)
	for _, r := range runs {
		m.add(r)
	}
	return m.run()
}

func sorted(points map[Point]Met) []Met {
	all := slices.AppendSeq(make([]Met, 0, len(points)), maps.Values(points))
	sortPoints(all)
	return all
}

// called returns the operations that have a call that was answered.
func (r Run) called() map[string]bool {
	called := map[string]bool{}
	for _, points := range [][]Met{r.Points, r.Besides} {
		for _, p := range points {
			if p.met() {
				called[p.Operation] = true
			}
		}
	}
	return called
}

func (c Count) met() bool { return c.Naturally > 0 || c.Injected > 0 }

// simulator returns the id of the run of the simulator that a run is a part of: the coverage of a sandbox is a run of its own,
// whose id has the simulator's before the slash.
func (r Run) simulator() string {
	id, _, _ := strings.Cut(r.ID, "/")
	return id
}
