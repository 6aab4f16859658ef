package coverage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Run returns what was met since the start, in all sandboxes together: of an operation or, if its name is empty, of all.
func (c *Counters) Run(version, operation string) Run {
	c.mu.Lock()
	kinds, possible := c.kinds[:len(c.kinds):len(c.kinds)], c.possible
	c.mu.Unlock()
	sum := newSum(c.index, operation)
	for _, k := range kinds {
		sum.add(k, k.total.Load())
	}
	return sum.run(Run{ID: c.id, Version: version, Started: c.started}, possible)
}

// Run returns what was met in the sandbox of a name since it was created, before and after its resets: of an operation or, if
// its name is empty, of all.
func (c *Counter) Run(version, name string, created time.Time, operation string) Run {
	c.mu.Lock()
	counts, possible := slices.Clone(c.counts), c.possible
	c.mu.Unlock()
	c.of.mu.Lock()
	kinds := c.of.kinds[:len(c.of.kinds):len(c.of.kinds)]
	c.of.mu.Unlock()
	sum := newSum(c.of.index, operation)
	for _, n := range counts {
		sum.add(kinds[n.kind], n.times)
	}
	created = created.UTC()
	return sum.run(Run{ID: c.of.id + "/" + name + "/" + created.Format(time.RFC3339Nano), Version: version, Started: created}, possible)
}

// sum sums up what was met.
type sum struct {
	index   *index
	only    string // the operation; empty: all
	points  []Count
	besides map[Point]Count
	entries map[string]uint64
}

func newSum(x *index, only string) *sum {
	return &sum{x, only, make([]Count, len(x.points)), map[Point]Count{}, map[string]uint64{}}
}

func (s *sum) add(k *kind, times uint64) {
	if times == 0 || s.only != "" && s.only != k.operation {
		return
	}
	for _, id := range k.entries {
		s.entries[id] += times
	}
	if k.slot == nil {
		return
	}
	for _, i := range k.slot.points {
		s.points[i] = s.points[i].plus(times, k.slot.injected)
	}
	if len(k.slot.points) == 0 {
		s.besides[*k.slot.besides] = s.besides[*k.slot.besides].plus(times, k.slot.injected)
	}
}

func (c Count) plus(times uint64, injected bool) Count {
	if injected {
		c.Injected += times
	} else {
		c.Naturally += times
	}
	return c
}

// run fills in the points of a run. What a request met naturally was possible, whatever the switches say.
func (s *sum) run(r Run, possible set) Run {
	r.Points, r.Besides, r.Entries = make([]Met, len(s.points)), []Met{}, s.entries
	for i, p := range s.points {
		r.Points[i] = Met{s.index.points[i], p, possible.has(i) || p.Naturally > 0}
	}
	for op, own := range s.index.operations {
		if !s.counts(op, own, possible) {
			for i := own.first; i < own.end; i++ {
				r.Points[i].Possible = false
			}
		}
	}
	r.Points = slices.DeleteFunc(r.Points, func(m Met) bool { return s.only != "" && s.only != m.Operation })
	for p, times := range s.besides {
		r.Besides = append(r.Besides, Met{Point: p, Count: times})
	}
	slices.SortFunc(r.Besides, func(a, b Met) int { return s.compare(a.Point, b.Point) })
	return r
}

// counts reports whether the points of an operation in a dialect count: the operation was called in it. One that was called in
// no dialect counts in that of the document, if the switches let it be answered in that.
func (s *sum) counts(op *contract.Operation, own *operationIndex, possible set) bool {
	if s.called(op, own) {
		return true
	}
	for _, d := range contract.Dialects {
		if other := op.In(d); other != nil && other != op && s.called(other, s.index.operations[other]) {
			return false
		}
	}
	document := op.In(sim.DialectDocument)
	return op == document || !s.index.operations[document].any(possible)
}

// called reports whether an operation was called in its dialect.
func (s *sum) called(op *contract.Operation, own *operationIndex) bool {
	for i := own.first; i < own.end; i++ {
		if s.points[i] != (Count{}) {
			return true
		}
	}
	for p := range s.besides {
		if p.Operation == op.Name && p.Dialect == string(op.Dialect) {
			return true
		}
	}
	return false
}

// any reports whether any point of the operation is in a set.
func (own *operationIndex) any(of set) bool {
	for i := own.first; i < own.end; i++ {
		if of.has(i) {
			return true
		}
	}
	return false
}

// compare orders what no description lists: by operation, dialect, status and so on.
func (s *sum) compare(a, b Point) int {
	return cmp.Or(
		slices.Index(contract.Names(), a.Operation)-slices.Index(contract.Names(), b.Operation),
		strings.Compare(a.Dialect, b.Dialect),
		a.Status-b.Status,
		strings.Compare(a.Code, b.Code),
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Connection, b.Connection),
		strings.Compare(a.Phase, b.Phase),
		strings.Compare(string(a.Kind), string(b.Kind)),
	)
}
