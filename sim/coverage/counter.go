package coverage

import (
	"crypto/rand"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Counter counts the answers of a simulator since its start, of sandboxes that were deleted as well, or those of one sandbox.
// Its methods may be called by many goroutines.
type Counter struct {
	id      string
	started time.Time
	total   *Counter // of the simulator, if this is a sandbox's

	mu       sync.Mutex
	points   map[int]Count // by their places in the catalogue
	other    map[Point]Count
	entries  map[string]uint64
	last     *sim.Policies   // of the newest request to the sandbox
	seen     []*sim.Policies // of all requests, each once
	possible []bool          // the points, by their places, that can be met under those of seen that were judged
	judged   int
}

// NewCounter returns a counter for a simulator.
func NewCounter() *Counter { return &Counter{id: rand.Text(), started: time.Now().UTC()} }

// Sandbox returns the counter of a new sandbox of the simulator.
func (c *Counter) Sandbox(name string, created time.Time) *Counter {
	created = created.UTC()
	return &Counter{id: c.id + "/" + name + "/" + created.Format(time.RFC3339Nano), started: created, total: c}
}

// Count counts an answer to a request to a bank with policies, and the entries of the ledger that its decision cites. What
// a fault brings about is [Injected] or [Connection]. Count is called before the answer is sent, so whoever has an answer
// finds it counted.
func (c *Counter) Count(p Point, entries []string, now *sim.Policies) {
	c.mu.Lock()
	changed := c.last != now
	c.last = now
	c.addLocked(p, entries, now, changed)
	c.mu.Unlock()
	c.total.mu.Lock()
	defer c.total.mu.Unlock()
	c.total.addLocked(p, entries, now, changed)
}

func (c *Counter) addLocked(p Point, entries []string, s *sim.Policies, changed bool) {
	if changed && !slices.ContainsFunc(c.seen, func(known *sim.Policies) bool { return reflect.DeepEqual(known, s) }) {
		c.seen = append(c.seen, s)
	}
	if c.points == nil {
		c.points, c.other, c.entries = map[int]Count{}, map[Point]Count{}, map[string]uint64{}
	}
	places := catalogue().places[p]
	for _, i := range places {
		c.points[i] = c.points[i].plus(p.Kind)
	}
	if len(places) == 0 {
		if p.Kind == Injected {
			p.Code = "" // which callers choose; there are only so many statuses
		}
		c.other[p] = c.other[p].plus(p.Kind)
	}
	for _, id := range entries {
		c.entries[id]++
	}
}

func (c Count) plus(k Kind) Count {
	if k == Injected || k == Connection {
		c.Injected++
	} else {
		c.ByBank++
	}
	return c
}

// Run returns what was met.
func (c *Counter) Run(version string) Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := catalogue()
	if c.possible == nil {
		c.possible = make([]bool, len(all.points))
	}
	for ; c.judged < len(c.seen); c.judged++ {
		all.allow(c.possible, c.seen[c.judged])
	}
	r := Run{ID: c.id, Version: version, Started: c.started, Points: []Met{}, Other: []Met{}, Entries: map[string]uint64{}}
	for i, p := range all.points {
		r.Points = append(r.Points, Met{p, c.points[i], c.possible[i]})
	}
	for p, n := range c.other {
		r.Other = append(r.Other, Met{Point: p, Count: n})
	}
	slices.SortFunc(r.Other, byText)
	narrow(r.Points, r.Other)
	maps.Copy(r.Entries, c.entries)
	return r
}
