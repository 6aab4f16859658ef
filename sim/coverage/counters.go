package coverage

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Counters count the answers of a simulator since its start: those of each sandbox, and of all together, of sandboxes that
// were deleted as well. Their methods may be called by many goroutines.
type Counters struct {
	id      string
	started time.Time
	index   *index
	slots   []slotKinds // of the index's slots

	mu       sync.Mutex
	kinds    []*kind // by their numbers
	besides  map[Point]*slotKinds
	alone    map[relied]*kind
	possible set         // of all requests
	judged   []judgement // the last ones, the newest last
}

// relied is an entry of the ledger that answers of an operation rested on.
type relied struct{ operation, entry string }

// slotKinds are the kinds of a slot.
type slotKinds struct {
	slot    *slot
	kinds   kinds
	without *kind // for entries that found no place; guarded by the mu of Counters
}

// judgement is what is possible under a behaviour, which it doesn't keep in memory.
type judgement struct {
	behavior weak.Pointer[sim.Behavior]
	strict   bool
	possible set
}

// maxJudged is how many behaviours are remembered with what is possible under them (choice): sandboxes of few scenarios share
// that.
const maxJudged = 16

// NewCounters returns counters that have counted nothing.
func NewCounters() *Counters {
	c := &Counters{id: rand.Text(), started: time.Now().UTC(), index: catalogue(), besides: map[Point]*slotKinds{}, alone: map[relied]*kind{}}
	c.slots = make([]slotKinds, len(c.index.slots))
	for i := range c.slots {
		c.slots[i].slot = &c.index.slots[i]
	}
	return c
}

// Counter returns the counter of a new sandbox.
func (c *Counters) Counter() *Counter { return &Counter{of: c} }

// judge returns what is possible under the behaviour of a request, and adds it to what is in all.
func (c *Counters) judge(b *sim.Behavior, strict bool) set {
	own := weak.Make(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.judged {
		if known.behavior == own && known.strict == strict {
			return known.possible
		}
	}
	fresh := judgement{own, strict, c.index.possibleUnder(b, strict)}
	for _, known := range c.judged {
		if slices.Equal(known.possible, fresh.possible) {
			fresh.possible = known.possible // one of its kind
		}
	}
	c.possible = c.possible.union(fresh.possible)
	if len(c.judged) == maxJudged {
		c.judged = slices.Delete(c.judged, 0, 1)
	}
	c.judged = append(c.judged, fresh)
	return fresh.possible
}
