// Package coverage counts which of the answers that the contract describes an app has met, by the bank itself or
// because a fault answered. It counts while the bank answers and reads no journal, so evicted exchanges count as well.
// Start at [Counter].
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

// Counter counts the answers of one sandbox, or of a simulator with all its sandboxes since its start. Several
// goroutines may use it.
type Counter struct {
	id      string
	started time.Time
	total   *Counter // of the simulator, or nil if this is it

	mu       sync.Mutex
	counts   map[Point]Count
	entries  map[string]uint64
	last     *sim.Policies   // of the newest request to the sandbox
	policies []*sim.Policies // of all requests, each once

	possible possiblePoints
}

// NewCounter returns a counter for a simulator.
func NewCounter() *Counter { return newCounter(rand.Text(), time.Now(), nil) }

// Sandbox returns the counter of a new sandbox of the simulator.
func (c *Counter) Sandbox(name string, created time.Time) *Counter {
	return newCounter(c.id+"/"+name+"/"+created.UTC().Format(time.RFC3339Nano), created, c)
}

func newCounter(id string, started time.Time, total *Counter) *Counter {
	return &Counter{
		id: id, started: started.UTC(), total: total, counts: map[Point]Count{}, entries: map[string]uint64{},
	}
}

// Count counts an answer to a request in the sandbox and in its simulator. The point is Injected or Connection if a
// fault answered. The entries are the ids of the ledger's entries that the answer cites. Call Count before the answer
// is sent: a client that has an answer finds it counted.
func (c *Counter) Count(p Point, entries []string, policies *sim.Policies) {
	if p.Kind == Injected && len(catalogue().covered[p]) == 0 {
		p.Code = "" // callers choose codes, and there is no end of them
	}
	c.mu.Lock()
	changed := c.last != policies
	c.last = policies
	c.addLocked(p, entries, policies, changed)
	c.mu.Unlock()
	c.total.mu.Lock()
	defer c.total.mu.Unlock()
	c.total.addLocked(p, entries, policies, changed)
}

func (c *Counter) addLocked(p Point, entries []string, policies *sim.Policies, changed bool) {
	isKnown := func(known *sim.Policies) bool { return reflect.DeepEqual(known, policies) }
	if changed && !slices.ContainsFunc(c.policies, isKnown) {
		c.policies = append(c.policies, policies)
	}
	one := Count{ByBank: 1}
	if p.Kind == Injected || p.Kind == Connection {
		one = Count{Injected: 1}
	}
	c.counts[p] = c.counts[p].plus(one)
	for _, id := range entries {
		c.entries[id]++
	}
}

// Run returns the counts so far.
func (c *Counter) Run(version string) Run {
	c.mu.Lock() // answers wait for it, so the points are compared with the catalogue afterwards
	policies := slices.Clone(c.policies)
	counts, entries := maps.Clone(c.counts), maps.Clone(c.entries)
	c.mu.Unlock()
	r := Run{ID: c.id, Version: version, Started: c.started, Points: c.possible.list(policies),
		Other: []PointCount{}, Entries: entries}
	for p, n := range counts {
		covered := catalogue().covered[p]
		for _, i := range covered {
			r.Points[i].Count = r.Points[i].plus(n)
		}
		if len(covered) == 0 {
			r.Other = append(r.Other, PointCount{Point: p, Count: n})
		}
	}
	slices.SortFunc(r.Other, byText)
	narrow(r.Points, r.Other)
	return r
}
