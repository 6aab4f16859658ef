package journal

import (
	"context"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultEntries is how many exchanges a journal holds that has no limit of its own (choice).
const DefaultEntries = 10_000

// Journal is the record of one sandbox's exchanges. All methods are safe for use by many goroutines.
type Journal struct {
	limit  int // of entries
	budget *Budget

	mu        sync.Mutex
	entries   []*Entry             // numbered without a gap, the newest last
	held      atomic.Int64         // their bytes; changed with mu held
	last      uint64               // number of the newest exchange ever added
	cleared   uint64               // exchanges removed by Clear, ever; others that are not held were evicted
	clearedTo uint64               // number of the newest one then
	ids       map[requestID]uint64 // the last exchange of each request id
	mark      string               // see Mark
	changed   chan struct{}        // closed with the next addition, or when the journal closes; nil: nobody waits
	closed    atomic.Bool          // changed with mu held
	class     int                  // of the budget; changed with mu held and the budget's moving, read with one of them
	place     int                  // in the class; with the budget's moving held
}

// New returns an empty journal that holds so many exchanges; 0 or less: DefaultEntries. It must be closed in the end.
func New(entries int, budget *Budget) *Journal {
	if entries <= 0 {
		entries = DefaultEntries
	}
	return &Journal{limit: entries, budget: budget, ids: map[requestID]uint64{}}
}

// Add records an exchange and returns its id, pushing out the oldest ones where there is no room. On a closed journal it
// does nothing and returns "".
func (j *Journal) Add(raw Raw) (id string) { return j.Append(j.Entry(raw)) }

// Entry returns an exchange that is to be appended next.
func (j *Journal) Entry(raw Raw) *Entry {
	e := newEntry(raw)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.mark != "" {
		e.Lints = append(e.Lints, Lint{Reloaded, j.mark})
		j.mark = ""
	}
	return e
}

// Append is Add for an exchange that is an entry already.
func (j *Journal) Append(e *Entry) (id string) {
	e.cost = e.bytes()
	if !j.append(e) {
		return ""
	}
	j.budget.take(e.cost)
	return formatID(e.number)
}

func (j *Journal) append(e *Entry) (added bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return false
	}
	j.last++
	e.number = j.last
	j.identifyLocked(e)
	j.entries = append(j.entries, e)
	j.held.Add(e.cost)
	if len(j.entries) > j.limit {
		j.evictLocked()
	}
	if class := classOf(j.held.Load()); class > j.class {
		j.budget.moveLocked(j, class)
	}
	j.wakeLocked()
	return true
}

// Mark gives the next exchange the lint Reloaded, which says what happened before it.
func (j *Journal) Mark(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mark = text
}

// evictLocked drops the oldest entry because there is no room for it.
func (j *Journal) evictLocked() {
	j.budget.evicted.Add(1)
	j.dropLocked(1)
}

// dropLocked drops the oldest entries and gives their bytes back.
func (j *Journal) dropLocked(count int) {
	for i, e := range j.entries[:count] {
		j.held.Add(-e.cost)
		j.budget.used.Add(-e.cost)
		for header, value := range e.IDs {
			if id := (requestID{header, value}); value != "" && j.ids[id] == e.number {
				delete(j.ids, id)
			}
		}
		j.entries[i] = nil
	}
	if j.entries = j.entries[count:]; len(j.entries) == 0 {
		j.entries = nil
	}
}

// giveWay evicts the oldest exchanges until so many bytes are free, or half of all that the journal holds. A journal that has
// become too small for its class evicts nothing, and only goes to its right class.
func (j *Journal) giveWay(bytes int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if held := j.held.Load(); classOf(held) == j.class {
		left := held - min(bytes, (held+1)/2)
		for len(j.entries) > 0 && j.held.Load() > left {
			j.evictLocked()
		}
	}
	j.budget.moveLocked(j, classOf(j.held.Load()))
}

// Bytes returns how many bytes the journal holds.
func (j *Journal) Bytes() int64 { return j.held.Load() }

// Get returns an exchange by its id; ok is false where the journal doesn't hold it, or no longer.
func (j *Journal) Get(id string) (x Exchange, ok bool) {
	e := j.find(id)
	if e == nil {
		return Exchange{}, false
	}
	return e.exchange(), true
}

// Step returns what an exchange did to its sandbox, and the virtual time at which it was made; ok is false where the journal
// doesn't hold the exchange, or no longer.
func (j *Journal) Step(id string) (step Step, at time.Time, ok bool) {
	e := j.find(id)
	if e == nil {
		return Step{}, time.Time{}, false
	}
	return e.Step, e.At, true
}

// Before yields the exchanges before one, the newest first, redacted. They are read-only.
func (j *Journal) Before(id string) iter.Seq2[string, *Raw] {
	number, _ := ParseID(id)
	entries, _ := j.snapshot()
	return func(yield func(string, *Raw) bool) {
		for _, e := range slices.Backward(entries) {
			if e.number < number && !yield(formatID(e.number), &e.Raw) {
				return
			}
		}
	}
}

func (j *Journal) find(id string) *Entry {
	number, ok := ParseID(id)
	j.mu.Lock()
	defer j.mu.Unlock()
	if held := j.afterLocked(number - 1); ok && len(held) > 0 && held[0].number == number {
		return held[0]
	}
	return nil
}

// afterLocked returns the entries with a larger number. The slice is the journal's own.
func (j *Journal) afterLocked(number uint64) []*Entry {
	before := j.beforeLocked()
	return j.entries[min(max(number, before)-before, uint64(len(j.entries))):]
}

// beforeLocked returns the number before the oldest entry.
func (j *Journal) beforeLocked() uint64 { return j.last - uint64(len(j.entries)) }

// Last returns the number of the newest exchange ever added; 0: there was none.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Refill makes the journal hold what a store has kept of it: exchanges without a gap in their numbers, of which the last is given. Some
// others were cleared, of those up to a number; the rest count as evicted. Exchanges that it holds already keep their worlds.
func (j *Journal) Refill(entries []*Entry, last, cleared, clearedTo uint64) {
	held, _ := j.snapshot()
	first := last - uint64(len(entries)) // the number before the first
	j.mu.Lock()
	j.dropLocked(len(j.entries))
	j.last, j.cleared, j.clearedTo = first, cleared, clearedTo
	j.mu.Unlock()
	for i, e := range entries {
		for len(held) > 0 && held[0].number <= first+uint64(i) {
			held = held[1:]
		}
		if len(held) > 0 && held[0].RealAt.Equal(e.RealAt) {
			e.Step = held[0].Step
		}
		j.Append(e)
	}
}

// Closed reports whether the journal is closed: the ids of its exchanges lead nowhere any more.
func (j *Journal) Closed() bool { return j.closed.Load() }

// Clear removes all exchanges. The numbering continues, and they don't count as evicted.
func (j *Journal) Clear() { j.ClearTo(j.Last()) }

// ClearTo removes the exchanges up to a number, as Clear does.
func (j *Journal) ClearTo(number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clearLocked(number)
}

func (j *Journal) clearLocked(number uint64) {
	count := len(j.entries) - len(j.afterLocked(number))
	j.dropLocked(count)
	j.cleared += uint64(count)
	j.clearedTo = number
}

// Cleared returns how many exchanges Clear has removed, and the number up to which.
func (j *Journal) Cleared() (count, to uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cleared, j.clearedTo
}

// Limit returns how many exchanges the journal holds at most.
func (j *Journal) Limit() int { return j.limit }

// Close returns the journal's bytes to the budget and ends all waiting. It can be called again.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed.Store(true)
	j.clearLocked(j.last)
	j.budget.moveLocked(j, 0)
	j.wakeLocked()
}

// wakeLocked wakes everyone who waits for a change.
func (j *Journal) wakeLocked() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// Wait waits until there are exchanges after a number. It returns io.EOF once the journal is closed, and the context's error
// when the context ends.
func (j *Journal) Wait(ctx context.Context, after uint64) error {
	for {
		changed, err := j.next(after)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next returns a channel that is closed with the next change; nil: there are exchanges after the number already, or the journal
// is closed.
func (j *Journal) next(after uint64) (changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed.Load():
		return nil, io.EOF
	case len(j.afterLocked(after)) > 0:
		return nil, nil
	case j.changed == nil:
		j.changed = make(chan struct{})
	}
	return j.changed, nil
}

// snapshot returns the entries held, which are immutable, and how many others were evicted since the last Clear.
func (j *Journal) snapshot() (entries []*Entry, relevant uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.beforeLocked()
	return append(entries, j.entries...), before - min(before, j.clearedTo)
}

// identifyLocked remembers the ids of a new entry, and notes in it which exchange had them before.
func (j *Journal) identifyLocked(e *Entry) {
	for header, value := range e.IDs {
		if id := (requestID{header, value}); value != "" {
			e.by[header] = j.ids[id]
			j.ids[id] = e.number
		}
	}
}
