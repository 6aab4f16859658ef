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
	limit  int // of the numbers from the oldest exchange to the newest
	budget *Budget

	mu        sync.Mutex
	entries   []*Entry             // by number, the newest last
	held      atomic.Int64         // their bytes; changed with mu held
	changes   int                  // the entries that know two worlds
	worldless uint64               // the number up to which no entry knows a world; at most last
	floor     uint64               // the number up to which exchanges were evicted or cleared; at most last
	checked   uint64               // the number up to which all exchanges were those of the store; at most last
	last      uint64               // the number of the newest exchange ever
	cleared   uint64               // how many exchanges Clear has ever removed; all others up to floor were evicted
	clearedTo uint64               // the number up to which Clear has removed them; at most floor
	ids       map[requestID]uint64 // the last exchange of each request id
	mark      string               // see Mark
	changed   chan struct{}        // closed with the next addition and at the end; nil without a waiter
	closed    atomic.Bool          // changed with mu held
	class     int                  // of the budget; changed with mu held and the budget's moving, read with one of them
	place     int                  // in the class; with the budget's moving held
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
func (j *Journal) Add(raw Raw) (id string) { return j.Append(j.Entry(raw)) }

// Entry returns an exchange for Append or AppendAs.
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
func (j *Journal) Append(e *Entry) (id string) { return j.AppendAs(0, e) }

// AppendAs adds an exchange under a number that a store has assigned, and returns its id. Numbers before it may be
// missing until Fill brings them. If the journal knows exchanges with that number or a higher one, it forgets them: the
// store has lost them in a crash. The number 0 stands for the next one. On a closed journal AppendAs does nothing and
// returns "".
func (j *Journal) AppendAs(number uint64, e *Entry) (id string) {
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
	for len(j.entries) > 1 && j.held.Load() > int64(j.limit)*averageBytes {
		j.evictLocked(j.entries[0].number)
	}
	j.forgetWorldsLocked()
	if class := classOf(j.held.Load()); class > j.class {
		j.budget.moveLocked(j, class)
	}
	j.wakeLocked()
}

// truncateLocked forgets all exchanges after a number, as if there had never been any.
func (j *Journal) truncateLocked(last uint64) {
	kept := len(j.entries) - len(j.afterLocked(last))
	for _, e := range slices.Backward(j.entries[kept:]) {
		j.releaseLocked(e)
		for header, value := range e.IDs {
			j.rememberLocked(requestID{header, value}, e.by[header])
		}
	}
	clear(j.entries[kept:])
	j.entries = j.entries[:kept]
	if j.clearedTo > last {
		j.cleared -= min(j.cleared, j.clearedTo-last)
		j.clearedTo = last
	}
	j.last, j.floor, j.checked = last, min(j.floor, last), min(j.checked, last)
	j.worldless = min(j.worldless, last)
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
	j.held.Add(e.cost)
	if e.hasWorlds() {
		j.changes++
	}
}

// releaseLocked gives back the bytes of an entry that the journal no longer holds.
func (j *Journal) releaseLocked(e *Entry) {
	if e.hasWorlds() {
		j.changes--
	}
	j.held.Add(-e.cost)
	j.budget.used.Add(-e.cost)
}

// giveWay evicts the oldest exchanges until so many bytes are free, or half of all that the journal holds. A journal
// that has become too small for its class evicts nothing, and only goes to its right class.
func (j *Journal) giveWay(bytes int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if held := j.held.Load(); classOf(held) == j.class {
		left := held - min(bytes, (held+1)/2)
		for len(j.entries) > 0 && j.held.Load() > left {
			j.evictLocked(j.entries[0].number)
		}
	}
	j.budget.moveLocked(j, classOf(j.held.Load()))
}

// Bytes returns how many bytes the journal holds.
func (j *Journal) Bytes() int64 { return j.held.Load() }

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

// FollowAfter returns the number after which Follow needs the exchanges of the store. That is one less than the number
// up to which the journal had them the last time.
func (j *Journal) FollowAfter() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.checked > j.floor {
		return j.checked - 1
	}
	return j.floor
}

// Follow makes the journal hold the exchanges that the store has after a number, as Fill does. What the journal holds
// there and the store doesn't have was lost in a crash, and the journal forgets it. A crash loses the newest exchanges.
// So if the store has lost even the first of them, it may have lost more: Follow reports false, and FollowAfter returns
// a lower number from then on.
func (j *Journal) Follow(after uint64, entries []*Entry, upTo uint64) (ok bool) {
	if !j.forgetLost(after, entries, upTo) {
		return false
	}
	j.Fill(entries, upTo)
	return true
}

func (j *Journal) forgetLost(after uint64, entries []*Entry, upTo uint64) (ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(entries) == 0 && upTo > after { // the store has deleted them
		return true
	}
	for _, e := range j.afterLocked(after) {
		at, found := slices.BinarySearchFunc(entries, e.number, compareNumber)
		isOld := at == 0 && !found && len(entries) > 0 // the store has deleted it
		if isOld || found && entries[at].RealAt.Equal(e.RealAt) {
			continue
		}
		if e.number == j.checked {
			j.checked = 0
			return false
		}
		j.truncateLocked(e.number - 1)
		break
	}
	return true
}

// StartAt prepares a journal for what a store has kept, before Fill brings it. The store has lost or removed the
// exchanges up to the number before: Clear has removed some of them, up to clearedTo, and the others count as evicted.
// The numbering goes on after last. If the journal holds exchanges already, it keeps those from before to last.
func (j *Journal) StartAt(before, last, cleared, clearedTo uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return
	}
	before = max(before, clearedTo)
	last = max(before, last)
	j.truncateLocked(min(j.last, last))
	j.last = last
	j.dropLocked(before)
	j.floor, j.cleared, j.clearedTo = before, cleared, clearedTo
	j.grownLocked()
}

// Fill adds exchanges of other processes, in the order of their numbers, up to a number. An exchange that the journal
// holds already stays the same: it knows the worlds around it. But if the new one with its number came at another
// time, then the store has lost the one that the journal holds, and the new one takes its place. On a closed journal
// Fill does nothing.
func (j *Journal) Fill(entries []*Entry, upTo uint64) { j.budget.take(j.fill(entries, upTo)) }

// fill is Fill, and returns the bytes that the journal holds more.
func (j *Journal) fill(entries []*Entry, upTo uint64) (bytes int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return 0
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool {
		at, held := slices.BinarySearchFunc(j.entries, e.number, compareNumber)
		return e.number <= j.floor || held && j.entries[at].RealAt.Equal(e.RealAt)
	})
	if len(entries) > 0 {
		for _, e := range entries {
			e.cost = e.bytes()
			bytes += e.cost
			j.holdLocked(e)
		}
		j.worldless = min(j.worldless, entries[0].number-1)
		j.mergeLocked(entries)
	}
	j.last = max(j.last, upTo)
	j.checked = upTo
	j.grownLocked()
	return bytes
}

// mergeLocked puts new entries between the others. Those with the same numbers give way.
func (j *Journal) mergeLocked(entries []*Entry) {
	later := j.afterLocked(entries[0].number - 1)
	first := len(j.entries) - len(later)
	before := map[requestID]uint64{} // the last exchange before them all that had an id of the later ones
	merged := make([]*Entry, 0, len(later)+len(entries))
	for _, e := range later {
		for header, value := range e.IDs {
			id := requestID{header, value}
			if _, known := before[id]; !known && value != "" {
				before[id] = e.by[header]
			}
		}
		for len(entries) > 0 && entries[0].number < e.number {
			merged, entries = append(merged, entries[0]), entries[1:]
		}
		if len(entries) > 0 && entries[0].number == e.number {
			j.releaseLocked(e)
			continue
		}
		merged = append(merged, e)
	}
	merged = append(merged, entries...)
	for id, number := range before {
		j.ids[id] = number
	}
	for i, e := range merged {
		if by := j.identifyLocked(e); by != e.by {
			changed := *e // a query may be reading the entry
			changed.by = by
			merged[i] = &changed
		}
	}
	for id := range before {
		j.rememberLocked(id, j.ids[id])
	}
	j.entries = append(j.entries[:first], merged...)
	j.last = max(j.last, merged[len(merged)-1].number)
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

// rememberLocked notes the number of the last exchange with an id, or forgets the id if that exchange is no longer
// held.
func (j *Journal) rememberLocked(id requestID, number uint64) {
	if id.value != "" && number > j.floor {
		j.ids[id] = number
	} else {
		delete(j.ids, id)
	}
}
