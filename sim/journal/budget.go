package journal

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// DefaultBudget is how many bytes all journals hold together at most.
const DefaultBudget = 256 << 20

// candidates is how many journals of the highest class are compared where one of them gives way (choice).
const candidates = 8

// Budget bounds the bytes of all journals together. Where it is used up, one of the largest journals gives way, so that
// a sandbox with little traffic keeps its record beside one with much. It is safe for use by many goroutines.
//
// Journals are in classes by the power of two of their bytes. A journal rises to a higher class as soon as it has grown
// into it. It goes back to a lower one only when the budget asks it to give way: as long as there is room, most
// exchanges change no class.
type Budget struct {
	max     int64
	used    atomic.Int64
	evicted atomic.Uint64

	taking  sync.Mutex     // locked before the journals' own
	moving  sync.Mutex     // locked after a journal's own
	classes [64][]*Journal // with moving locked; the first one stays empty
}

// NewBudget returns a budget of so many bytes. If maxBytes is 0 or less, it is DefaultBudget.
func NewBudget(maxBytes int64) *Budget {
	if maxBytes <= 0 {
		maxBytes = DefaultBudget
	}
	return &Budget{max: maxBytes}
}

// Evicted returns how many exchanges all journals together have removed because there was no room for them.
func (b *Budget) Evicted() uint64 { return b.evicted.Load() }

// take takes bytes for an addition to a journal. If they exceed the budget, large journals shrink by the excess and by
// a 64th of the budget, so that not every addition needs that. No journal loses more than half of its bytes at once.
func (b *Budget) take(bytes int64) {
	if b.used.Add(bytes) <= b.max {
		return
	}
	b.taking.Lock()
	defer b.taking.Unlock()
	for excess := b.used.Load() - b.max; excess > 0; excess = b.used.Load() - b.max {
		large := b.large()
		if large == nil { // the journals that took the excess are closed now
			return
		}
		large.giveWay(excess + b.max/64)
	}
}

// large returns a journal of the highest class that has one, or nil. If it hasn't become too small for that class, it
// is at least half as large as the largest journal. If the class has few journals, it is the largest one.
func (b *Budget) large() (large *Journal) {
	b.moving.Lock()
	defer b.moving.Unlock()
	for _, class := range slices.Backward(b.classes[:]) {
		for _, j := range class[max(0, len(class)-candidates):] {
			if large == nil || j.bytes.Load() > large.bytes.Load() {
				large = j
			}
		}
		if large != nil {
			return large
		}
	}
	return nil
}

// classOf returns the class of a journal that holds so many bytes.
func classOf(bytes int64) int { return bits.Len64(uint64(bytes)) }

// moveLocked moves a journal to a class. A journal of class 0 is in no list. The caller has locked the journal.
func (b *Budget) moveLocked(j *Journal, class int) {
	b.moving.Lock()
	defer b.moving.Unlock()
	if old := b.classes[j.class]; j.class > 0 {
		end := len(old) - 1
		old[j.place] = old[end]
		old[j.place].place = j.place
		old[end] = nil
		b.classes[j.class] = old[:end]
	}
	if j.class = class; class > 0 {
		j.place = len(b.classes[class])
		b.classes[class] = append(b.classes[class], j)
	}
}
