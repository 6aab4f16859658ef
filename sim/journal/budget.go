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

// Budget bounds the bytes of all journals together, and of what is kept [Besides]. Where it is used up, the largest journals
// shrink to a common level, so that a sandbox with little traffic keeps its record beside one with much. It is safe for use by
// many goroutines.
type Budget struct {
	pool
	besides Besides
}

// NewBudget returns a budget of so many bytes; 0 or less: DefaultBudget.
func NewBudget(maxBytes int) *Budget {
	if maxBytes <= 0 {
		maxBytes = DefaultBudget
	}
	spare := int64(maxBytes / 64)
	b := &Budget{pool: newPool(int64(maxBytes), spare)}
	b.besides = Besides{pool: newPool(int64(maxBytes/besidesPart), spare), whole: b}
	b.yields = &b.besides.pool
	return b
}

// pool bounds the bytes that its holders have together.
type pool struct {
	max    int64
	spare  int64        // is made free besides what is needed, so that not every addition needs it
	used   atomic.Int64 // by all holders and by what is being added to them
	yields *pool        // part of this one: its holders shrink where those of this one can't make the room; nil: there is none

	mu      sync.Mutex // locked before those of the holders
	holders map[Holder]struct{}
}

// Holder holds bytes of a budget.
type Holder interface {
	Bytes() int64       // how many it holds
	Shrink(bytes int64) // drops the oldest that it holds until it holds no more than so many bytes
}

func newPool(most, spare int64) pool {
	return pool{max: most, spare: spare, holders: map[Holder]struct{}{}}
}

// Used returns how many bytes are held.
func (b *pool) Used() int64 { return b.used.Load() }

func (b *pool) join(h Holder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holders[h] = struct{}{}
}

func (b *pool) leave(h Holder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.holders, h)
}

// reserve takes bytes for what is added to a holder. It returns false where that is larger than the whole pool. The caller
// holds no holder's lock.
func (b *pool) reserve(bytes int64) bool {
	if bytes > b.max {
		return false
	}
	for !b.take(bytes) {
		b.reclaim(bytes)
		// The bytes that are still missing belong to what is being added: they can be reclaimed soon.
		runtime.Gosched()
	}
	return true
}

func (b *pool) take(bytes int64) bool {
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

func (b *pool) release(bytes int64) { b.used.Add(-bytes) }

// reclaim makes room for so many bytes, and for some more.
func (b *pool) reclaim(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	excess := b.used.Load() + bytes - b.max
	if excess <= 0 {
		return
	}
	missing := b.shrinkBy(excess + b.spare)
	if b.yields != nil && missing > b.spare {
		b.yields.mu.Lock()
		defer b.yields.mu.Unlock()
		b.yields.shrinkBy(missing)
	}
}

// shrinkBy makes the largest holders shrink by so many bytes together. It returns how many they don't have. The caller holds
// the lock of the pool.
func (b *pool) shrinkBy(bytes int64) (missing int64) {
	sizes := make([]int64, 0, len(b.holders))
	missing = bytes
	for h := range b.holders {
		sizes = append(sizes, h.Bytes())
		missing -= h.Bytes()
	}
	level := fairLevel(sizes, bytes)
	for h := range b.holders {
		if h.Bytes() > level {
			h.Shrink(level)
		}
	}
	return max(missing, 0)
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
