package journal

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultEntries is how many exchanges a journal without a limit of its own holds (choice).
const DefaultEntries = 10_000

// averageBytes is how many bytes the exchanges of a full journal have on average at most (choice): 2,000 of them take
// 16 MiB.
const averageBytes = 8 << 10

// MaxWorlds is around how many changes a journal knows the worlds (choice).
const MaxWorlds = 1000

// Journal is the record of one sandbox's exchanges. All methods are safe for use by many goroutines.
//
// The journal of a sandbox that several processes share has gaps: another process has made the exchanges that are
// missing, and Fill has yet to bring them. Queries look only at the exchanges that the journal holds. The limit counts
// missing exchanges, too, so that after Fill the journal holds the same exchanges as if they had come in order.
//
// A journal knows the worlds around the newest changes only, because worlds are large.
type Journal struct {
	limit  int // how many numbers lie at most between the oldest exchange and the newest, both included
	budget *Budget

	mu      sync.Mutex
	entries []*Entry             // by number, the newest last
	bytes   atomic.Int64         // the bytes of the entries; changed with mu held
	changes int                  // how many entries know two worlds
	ids     map[requestID]uint64 // the last exchange of each request id
	mark    string               // the text of the next exchange's lint: see Mark
	changed chan struct{}        // closed with the next addition and at the end; nil without a waiter
	closed  atomic.Bool          // changed with mu held

	// These are numbers of exchanges, but cleared is a count. Always cleared ≤ clearedTo ≤ floor ≤ last, checked ≤ last
	// and worldless ≤ last. The numbers of the entries are above floor, and last at most.
	clearedTo uint64 // Clear has removed the exchanges up to this number, as far as they were not evicted before.
	floor     uint64 // The exchanges up to this number are gone: they were cleared or evicted.
	last      uint64 // The newest exchange ever has this number.
	checked   uint64 // When Fill brought the exchanges of the store, it brought them up to this number.
	worldless uint64 // The entries up to this number know no world.
	cleared   uint64 // Clear has removed so many exchanges. The other ones up to floor were evicted.

	class int // the class in the budget; changed with mu and budget.moving held, read with one of them
	place int // the place in the class; with budget.moving held
}

// New returns an empty journal that holds so many exchanges, or fewer if they are large. If entries is 0 or less, it
// holds DefaultEntries. The caller closes it in the end.
func New(entries int, budget *Budget) *Journal {
	if entries <= 0 {
		entries = DefaultEntries
	}
	return &Journal{limit: entries, budget: budget, ids: map[requestID]uint64{}}
}

// Add records an exchange under the next number and returns its id. It pushes out the oldest ones where there is no
// room. On a closed journal it does nothing and returns "".
func (j *Journal) Add(raw Raw) (id string) { return j.Append(0, j.Entry(raw)) }

// Entry returns an exchange for Append.
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

// Append adds an exchange under a number that a store has assigned, or under the next one if the number is 0. It
// returns the id of the exchange. Numbers before it may be missing until Fill brings them. If the journal knows
// exchanges with that number or a higher one, it forgets them: the store has lost them in a crash. On a closed journal
// Append does nothing and returns "".
func (j *Journal) Append(number uint64, e *Entry) (id string) {
	e.cost = e.bytes()
	if !j.append(number, e) {
		return ""
	}
	j.budget.take(e.cost)
	return formatID(e.number)
}

func (j *Journal) append(number uint64, e *Entry) (added bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed.Load():
		return false
	case number == 0:
		number = j.last + 1
	case number <= j.last:
		j.truncateLocked(number - 1)
	}
	e.number = number
	e.by = j.identifyLocked(e)
	j.entries = append(j.entries, e)
	j.holdLocked(e)
	j.last = number
	j.grownLocked()
	return true
}

// grownLocked ends an addition: it keeps the limits, rises to the class of the budget, and wakes all waiters.
func (j *Journal) grownLocked() {
	if limit := uint64(j.limit); j.last > limit && j.last-limit > j.floor {
		j.evictLocked(j.last - limit)
	}
	for len(j.entries) > 1 && j.bytes.Load() > int64(j.limit)*averageBytes {
		j.evictLocked(j.entries[0].number)
	}
	j.forgetWorldsLocked()
	if class := classOf(j.bytes.Load()); class > j.class {
		j.budget.moveLocked(j, class)
	}
	j.wakeLocked()
}

// forgetWorldsLocked forgets the oldest worlds until the journal knows those around MaxWorlds changes.
func (j *Journal) forgetWorldsLocked() {
	for i := len(j.entries) - len(j.afterLocked(j.worldless)); j.changes > MaxWorlds; i++ {
		old := j.entries[i]
		j.worldless = old.number
		if old.Step.Before == nil {
			continue
		}
		e := *old // a query may be reading the entry
		e.Step.Before, e.Step.After, e.Step.Faults = nil, nil, [2]Attachment{}
		e.cost = e.bytes()
		j.releaseLocked(old)
		j.holdLocked(&e)
		j.budget.used.Add(e.cost)
		j.entries[i] = &e
	}
}

// Mark gives the next exchange the lint Reloaded, with a text about the event before it.
func (j *Journal) Mark(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mark = text
}

// evictLocked drops the entries up to a number because there is no room for them.
func (j *Journal) evictLocked(to uint64) {
	j.budget.evicted.Add(uint64(j.dropLocked(to)))
}

// dropLocked drops the entries up to a number and returns how many there were. Exchanges that are missing up to there
// will not be added any more. The number is at most last.
func (j *Journal) dropLocked(to uint64) (count int) {
	for _, e := range j.entries {
		if e.number > to {
			break
		}
		j.releaseLocked(e)
		for header, value := range e.IDs {
			if id := (requestID{header, value}); value != "" && j.ids[id] == e.number {
				delete(j.ids, id)
			}
		}
		j.entries[count] = nil
		count++
	}
	if j.entries = j.entries[count:]; len(j.entries) == 0 {
		j.entries = nil
	}
	j.floor = max(j.floor, to)
	return count
}

// holdLocked counts an entry that the journal holds from now on.
func (j *Journal) holdLocked(e *Entry) {
	j.bytes.Add(e.cost)
	if e.hasWorlds() {
		j.changes++
	}
}

// releaseLocked gives back the bytes of an entry that the journal no longer holds.
func (j *Journal) releaseLocked(e *Entry) {
	if e.hasWorlds() {
		j.changes--
	}
	j.bytes.Add(-e.cost)
	j.budget.used.Add(-e.cost)
}

// giveWay evicts the oldest exchanges until so many bytes are free, or half of all that the journal holds. A journal
// that has become too small for its class evicts nothing, and only goes to its right class.
func (j *Journal) giveWay(wanted int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if held := j.bytes.Load(); classOf(held) == j.class {
		left := held - min(wanted, (held+1)/2)
		for len(j.entries) > 0 && j.bytes.Load() > left {
			j.evictLocked(j.entries[0].number)
		}
	}
	j.budget.moveLocked(j, classOf(j.bytes.Load()))
}

// Bytes returns how many bytes the journal holds.
func (j *Journal) Bytes() int64 { return j.bytes.Load() }

// Get returns an exchange by its id. ok is false where the journal doesn't hold it.
func (j *Journal) Get(id string) (x Exchange, ok bool) {
	e := j.find(id)
	if e == nil {
		return Exchange{}, false
	}
	return e.exchange(), true
}

// Step returns how an exchange changed its sandbox, and the virtual time of the exchange. Its worlds are nil unless the
// journal knows them. ok is false where the journal doesn't hold the exchange.
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
	entries, _ := j.snapshot(0)
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
	if number >= j.last {
		return nil
	}
	first, _ := slices.BinarySearchFunc(j.entries, number+1, compareNumber)
	return j.entries[first:]
}

func compareNumber(e *Entry, number uint64) int { return cmp.Compare(e.number, number) }

// Last returns the number of the newest exchange ever, or 0 before the first one.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Closed reports whether the journal is closed: the ids of its exchanges lead nowhere any more.
func (j *Journal) Closed() bool { return j.closed.Load() }

// Clear removes all exchanges. The numbering continues, and they don't count as evicted.
func (j *Journal) Clear() { j.ClearTo(j.Last()) }

// ClearTo removes the exchanges up to a number, as Clear does. Those that are missing up to there count as cleared,
// too.
func (j *Journal) ClearTo(number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clearLocked(number)
}

func (j *Journal) clearLocked(number uint64) {
	j.last = max(j.last, number)
	if number > j.floor {
		j.cleared += number - j.floor
		j.dropLocked(number)
	}
	j.clearedTo = max(j.clearedTo, number)
}

// Cleared returns how many exchanges Clear has removed, and the highest number among them.
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

// wakeLocked wakes all waiters.
func (j *Journal) wakeLocked() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// Wait waits until there are exchanges after a number. It returns io.EOF once the journal is closed, and the context's
// error when the context ends.
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

// next returns a channel that is closed with the next change. If there are exchanges after the number already or the
// journal is closed, the channel is nil.
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

// snapshot returns the entries after a number that the journal holds, and how many others after it were evicted since
// the last Clear. The entries are immutable.
func (j *Journal) snapshot(after uint64) (entries []*Entry, evicted uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	from := max(after, j.clearedTo)
	return append(entries, j.afterLocked(after)...), max(j.floor, from) - from
}

// identifyLocked remembers the ids of an entry, and returns the earlier exchanges that had them, too.
func (j *Journal) identifyLocked(e *Entry) (by [2]uint64) {
	for header, value := range e.IDs {
		if id := (requestID{header, value}); value != "" {
			by[header] = j.ids[id]
			j.ids[id] = e.number
		}
	}
	return by
}
