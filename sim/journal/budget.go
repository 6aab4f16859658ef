package journal

import (
	"sync"
	"sync/atomic"
)

// DefaultBudget is how many bytes all journals hold together at most.
const DefaultBudget = 256 << 20

// Budget bounds the bytes of all journals together. Where it is used up, the largest journals give way, so that a
// sandbox with little traffic keeps its record beside one with much. It is safe for use by many goroutines.
type Budget struct {
	max     int64
	used    atomic.Int64
	evicted atomic.Uint64

	mu       sync.Mutex // locked before the journals' own
	journals map[*Journal]bool
}

// NewBudget returns a budget of so many bytes. If maxBytes is 0 or less, it is DefaultBudget.
func NewBudget(maxBytes int64) *Budget {
	if maxBytes <= 0 {
		maxBytes = DefaultBudget
	}
	return &Budget{max: maxBytes, journals: map[*Journal]bool{}}
}

// Evicted returns how many exchanges all journals together have removed because there was no room for them.
func (b *Budget) Evicted() uint64 { return b.evicted.Load() }

// enforce takes what exceeds the budget, and a 64th of it, from the largest journals: at most half of each at a time.
// The caller holds no journal.
func (b *Budget) enforce() {
	if b.used.Load() <= b.max {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for excess := b.used.Load() - b.max; excess > 0; excess = b.used.Load() - b.max {
		var largest *Journal
		for j := range b.journals {
			if largest == nil || j.bytes.Load() > largest.bytes.Load() {
				largest = j
			}
		}
		if largest == nil || largest.bytes.Load() == 0 { // the journals that took the excess are closed now
			return
		}
		largest.giveWay(excess + b.max/64)
	}
}

func (b *Budget) open(j *Journal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.journals[j] = true
}

func (b *Budget) close(j *Journal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.journals, j)
}
