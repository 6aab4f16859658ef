package journal

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// DefaultBudget is how much all journals hold together, in bytes.
const DefaultBudget = 512 << 20

// Budget bounds the bytes of all journals together. Where it is used up, the largest journals shrink to a common level,
// so that a sandbox with little traffic keeps its record beside one with much. It is safe for use by many goroutines.
type Budget struct {
	max  int64
	used atomic.Int64 // by the entries of the journals and by those that are being added

	mu       sync.Mutex // locked before that of a journal
	journals map[*Journal]struct{}
}

// NewBudget returns a budget of so many bytes; 0 or less: DefaultBudget.
func NewBudget(maxBytes int) *Budget {
	if maxBytes <= 0 {
		maxBytes = DefaultBudget
	}
	return &Budget{max: int64(maxBytes), journals: map[*Journal]struct{}{}}
}

// Used returns how many bytes the journals hold.
func (b *Budget) Used() int64 { return b.used.Load() }

func (b *Budget) join(j *Journal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.journals[j] = struct{}{}
}

func (b *Budget) leave(j *Journal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.journals, j)
}

// reserve takes bytes for an entry. It returns false where the entry is larger than the whole budget. The caller holds no
// journal's lock.
func (b *Budget) reserve(bytes int64) bool {
	if bytes > b.max {
		return false
	}
	for !b.take(bytes) {
		b.reclaim(bytes)
		// The bytes that are still missing belong to entries that are being added: they can be reclaimed soon.
		runtime.Gosched()
	}
	return true
}

func (b *Budget) take(bytes int64) bool {
	for {
		used := b.used.Load()
		if used+bytes > b.max {
			return false
		}
		if b.used.CompareAndSwap(used, used+bytes) {
			return true
		}
	}
}

func (b *Budget) release(bytes int64) { b.used.Add(-bytes) }

// reclaim makes room for so many bytes, and for some more, so that not every entry needs it.
func (b *Budget) reclaim(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	excess := b.used.Load() + bytes - b.max
	if excess <= 0 {
		return
	}
	excess += b.max / 64
	sizes := make([]int64, 0, len(b.journals))
	for j := range b.journals {
		sizes = append(sizes, j.held.Load())
	}
	level := fairLevel(sizes, excess)
	for j := range b.journals {
		if j.held.Load() > level {
			j.shrink(level)
		}
	}
}

// fairLevel returns the size to which the largest must shrink for the sum to fall by excess.
func fairLevel(sizes []int64, excess int64) int64 {
	slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	var sum int64 // of the largest
	for i, size := range sizes {
		sum += size
		next := int64(0)
		if i+1 < len(sizes) {
			next = sizes[i+1]
		}
		if count := int64(i + 1); sum-count*next >= excess {
			return (sum - excess) / count
		}
	}
	return 0
}
