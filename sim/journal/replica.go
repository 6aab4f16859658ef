package journal

import "slices"

// This file makes a journal follow the store of a shared sandbox, where other processes add exchanges, too.

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

// FollowAfter returns the number to follow the store from: Follow takes the store's exchanges after it. It is one less
// than the number that the journal had reached the last time.
func (j *Journal) FollowAfter() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.checked > j.floor {
		return j.checked - 1
	}
	return j.floor
}

// Follow adds the exchanges that the store has after a number, as Fill does. If the journal holds an exchange there
// that the store doesn't have, a crash has lost it, and the journal forgets it. A crash loses the newest exchanges. So
// if it has lost even the first one after the number, it may have lost more: then Follow reports false, and FollowAfter
// returns a lower number from then on.
func (j *Journal) Follow(after uint64, entries []*Entry, upTo uint64) (ok bool) {
	if !j.forgetLost(after, entries, upTo) {
		return false
	}
	j.Fill(entries, upTo)
	return true
}

// forgetLost forgets the exchanges after a number that the store has lost in a crash. It reports false as Follow does.
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

// rememberLocked notes the number of the last exchange with an id, or forgets the id if that exchange is no longer
// held.
func (j *Journal) rememberLocked(id requestID, number uint64) {
	if id.value != "" && number > j.floor {
		j.ids[id] = number
	} else {
		delete(j.ids, id)
	}
}
