package journal

import (
	"sync"
	"sync/atomic"
)

// DefaultBudget is how much all journals hold together at most, in bytes.
const DefaultBudget = 256 << 20

// Budget bounds the bytes of all journals together. Where it is used up, the largest journal gives way, so that a sandbox with
// little traffic keeps its record beside one with much. It is safe for use by many goroutines.
type Budget struct {
	max     int64
	used    atomic.Int64
	evicted atomic.Uint64

	taking   sync.Mutex // locked before those of the journals
	journals sync.Map   // each open *Journal is a key
}

// NewBudget returns a budget of so many bytes; 0 or less: DefaultBudget.
func NewBudget(maxBytes int64) *Budget {
	if maxBytes <= 0 {
		maxBytes = DefaultBudget
	}
	return &Budget{max: maxBytes}
}

// Evicted returns how many exchanges all journals together have removed because there was no room for them.
func (b *Budget) Evicted() uint64 { return b.evicted.Load() }

// take takes bytes for what was added to a journal, and has the largest journals shrink by what exceeds the budget, and by
// a 64th of it besides, so that not every addition needs that. None loses more than half of its bytes at once.
func (b *Budget) take(bytes int64) {
	if b.used.Add(bytes) <= b.max {
		return
	}
	b.taking.Lock()
	defer b.taking.Unlock()
	for excess := b.used.Load() - b.max; excess > 0; excess = b.used.Load() - b.max {
		var largest *Journal
		var size int64
		for key := range b.journals.Range {
			if j := key.(*Journal); j.Bytes() > size {
				largest, size = j, j.Bytes()
			}
		}
		if largest == nil { // what exceeds the budget was taken for journals that are closed now
			return
		}
		largest.shrink(size - min(excess+b.max/64, (size+1)/2))
	}
}
