package journal

import (
	"sync"
	"sync/atomic"
)

// Limits bound a journal.
type Limits struct {
	Entries int // exchanges
	Bytes   int // of all that it holds
}

// DefaultLimits returns the limits of a sandbox that doesn't set its own.
func DefaultLimits() Limits { return Limits{Entries: 10_000, Bytes: 16 << 20} }

// Journal is the record of one sandbox's exchanges. All methods are safe for use by many goroutines.
type Journal struct {
	limits Limits
	budget *Budget
	held   atomic.Int64 // bytes of the entries; changed with mu held

	mu       sync.Mutex
	entries  []*entry // numbered without a gap, the newest last
	last     uint64   // number of the newest exchange ever added
	evicted  uint64   // exchanges removed for want of room, ever
	relevant uint64   // of those, the ones evicted since the last Clear
	cleared  uint64   // exchanges removed by Clear, ever
	ids      requestIDs
	changed  chan struct{} // closed with the next addition, or when the journal closes; nil: nobody waits
	settled  sync.Cond     // signals that a place was filled
	closed   bool
}

// New returns an empty journal. With a nil budget only its own limits hold; a limit of 0 or less is that of
// DefaultLimits. A journal with a budget must be closed in the end.
func New(limits Limits, budget *Budget) *Journal {
	if limits.Entries <= 0 {
		limits.Entries = DefaultLimits().Entries
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultLimits().Bytes
	}
	j := &Journal{limits: limits, budget: budget}
	j.settled.L = &j.mu
	if budget != nil {
		budget.join(j)
	}
	return j
}

// Add records an exchange and returns its id, pushing out the oldest ones where there is no room. On a closed journal it
// does nothing and returns "".
func (j *Journal) Add(raw Raw) (id string) {
	near := j.neighbours()
	e := &entry{}
	e.fill(&raw, &near)
	bytes, fits := j.room(e)

	j.mu.Lock()
	defer j.mu.Unlock()
	j.appendLocked(e)
	j.completeLocked(e, bytes, fits)
	return j.idLocked(e)
}

// Closed reports whether the journal is closed: the ids of its exchanges lead nowhere any more.
func (j *Journal) Closed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}

// evictLocked drops the oldest entries because there is no room for them.
func (j *Journal) evictLocked(count int) {
	j.evicted += uint64(count)
	j.relevant += uint64(count)
	j.dropLocked(count)
}

// dropLocked drops the oldest entries and gives their bytes back.
func (j *Journal) dropLocked(count int) {
	var bytes int64
	for i, e := range j.entries[:count] {
		bytes += e.cost
		if !e.pending {
			j.ids.forget(e)
		}
		j.entries[i] = nil
	}
	if j.entries = j.entries[count:]; len(j.entries) == 0 {
		j.entries, j.ids = nil, nil
	}
	j.held.Add(-bytes)
	if j.budget != nil {
		j.budget.release(bytes)
	}
}

// Shrink evicts the oldest exchanges until no more than so many bytes are held.
func (j *Journal) Shrink(bytes int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.entries) > 0 && j.held.Load() > bytes {
		j.evictLocked(1)
	}
}

// Get returns an exchange by its id; ok is false where the journal doesn't hold it, or no longer.
func (j *Journal) Get(id string) (x Exchange, ok bool) {
	number, ok := ParseID(id)
	if !ok {
		return Exchange{}, false
	}
	e := j.find(number)
	if e == nil {
		return Exchange{}, false
	}
	return e.exchange(), true
}

func (j *Journal) find(number uint64) *entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	if held := j.afterLocked(number - 1); len(held) > 0 && held[0].number == number && !held[0].pending {
		return held[0]
	}
	return nil
}

// afterLocked returns the entries with a larger number. The slice is the journal's own.
func (j *Journal) afterLocked(number uint64) []*entry {
	before := j.last - uint64(len(j.entries)) // the number before the oldest entry
	return j.entries[min(max(number, before)-before, uint64(len(j.entries))):]
}

// Last returns the number of the newest exchange ever added; 0: there was none.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Held returns the numbers of the oldest exchange that the journal holds and of the newest ever added. Without any, the
// oldest is the next one to come.
func (j *Journal) Held() (oldest, newest uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last - uint64(len(j.entries)) + 1, j.last
}

// Evicted returns how many exchanges were removed because there was no room for them.
func (j *Journal) Evicted() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.evicted
}

// Bytes returns how many bytes the journal holds.
func (j *Journal) Bytes() int64 { return j.held.Load() }

// Clear removes all exchanges. The numbering continues, and they don't count as evicted.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cleared += uint64(len(j.entries))
	j.dropLocked(len(j.entries))
	j.relevant = 0
	j.settled.Broadcast()
}

// Close returns the journal's bytes to the budget and ends all waiting. It can be called again.
func (j *Journal) Close() {
	j.mu.Lock()
	j.closed = true
	j.dropLocked(len(j.entries))
	j.wakeLocked()
	j.settled.Broadcast()
	j.mu.Unlock()
	if j.budget != nil {
		j.budget.leave(j)
	}
}

// wakeLocked wakes everyone who waits for a change.
func (j *Journal) wakeLocked() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// snapshot returns the entries held, which are immutable, and how many others were evicted since the last Clear.
func (j *Journal) snapshot() (entries []*entry, relevant uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries = append(entries, j.settledLocked(0)...)
	return entries, j.relevant
}
