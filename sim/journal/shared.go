package journal

import (
	"cmp"
	"slices"
)

// This file brings the exchanges of a shared sandbox from its store to the ring. Other processes add to them, too.
// The store gives all exchanges their numbers, without a gap, and deletes old ones.

// StartAt prepares an empty journal for a bank whose exchanges a store has kept. Those up to the number before are
// gone: ClearTo has removed some of them, up to clearedTo, and the others count as evicted.
func (j *Journal) StartAt(before, cleared, clearedTo uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.floor, j.cleared, j.clearedTo = max(before, clearedTo), cleared, clearedTo
	j.showLocked()
}

// Append adds an exchange of this process under the number that the store has given it, and returns its id. If earlier
// ones are missing, Fill will bring them, and this one with them. If the journal has an exchange with that number
// already, it forgets that one and all later ones: the store has lost them in a crash. On a closed journal Append does
// nothing and returns "".
func (j *Journal) Append(number uint64, r Record) (id string) {
	h := newSlot(r, number)
	defer j.budget.enforce()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return ""
	}
	if number <= j.lastLocked() {
		j.truncateLocked(number - 1)
	}
	if number == j.lastLocked()+1 {
		j.ring = append(j.ring, h)
		j.showLocked()
	}
	return r.ID
}

// FillAfter returns a number: Fill wants the exchanges of the store after it. It is one less than Fill reached the last
// time, so that Fill sees whether the store still has that one.
func (j *Journal) FillAfter() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return max(j.checked, j.floor+1) - 1
}

// Fill adds the exchanges that the store has after a number, up to another one. An exchange that is there stays. If the
// journal holds an exchange there that the store doesn't have, a crash has lost it, and the journal forgets it and all
// later ones. A crash loses the newest exchanges. So if it has lost even the first one after the number, it may have
// lost more: then Fill reports false, and FillAfter returns a lower number. On a closed journal Fill does nothing.
func (j *Journal) Fill(after uint64, stored []Record, upTo uint64) (ok bool) {
	defer j.budget.enforce()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return true
	}
	if lost := j.firstLostLocked(after, stored, upTo); lost > 0 {
		isFirst := lost == after+1 && after > j.floor
		if j.truncateLocked(lost - 1); isFirst {
			j.checked = 0
			return false
		}
	}
	for _, r := range stored {
		if r.number > j.lastLocked() {
			j.pushLocked(r)
		}
	}
	if upTo > j.lastLocked() { // the store has deleted all of them
		j.evictLocked(upTo)
	}
	j.showLocked()
	j.checked = upTo
	return true
}

// pushLocked adds an exchange of the store behind the others. Those that are missing before it count as evicted: the
// store has deleted them.
func (j *Journal) pushLocked(r Record) {
	if r.number > j.lastLocked()+1 {
		j.evictLocked(r.number - 1)
	}
	j.ring = append(j.ring, newSlot(r, r.number))
}

// firstLostLocked returns the number of the first exchange after a number that the journal holds and the store has
// lost, or 0.
func (j *Journal) firstLostLocked(after uint64, stored []Record, upTo uint64) (number uint64) {
	for _, h := range j.afterLocked(after) {
		at, isThere := slices.BinarySearchFunc(stored, h.number, func(r Record, number uint64) int {
			return cmp.Compare(r.number, number)
		})
		switch {
		case isThere && stored[at].RealAt.Equal(h.RealAt):
		case !isThere && at == 0 && h.number <= upTo: // the store has deleted it as an old one
		default:
			return h.number
		}
	}
	return 0
}

// truncateLocked forgets all exchanges after a number, as if there had never been any.
func (j *Journal) truncateLocked(last uint64) {
	kept := max(last, j.floor) - j.floor
	for _, h := range j.ring[kept:] {
		j.countLocked(-h.bytes, -h.worlds)
		if h.bringsWorld {
			j.worlds--
		}
	}
	clear(j.ring[kept:])
	j.ring, j.newest = j.ring[:kept], nil
	if j.clearedTo > last {
		j.cleared -= min(j.cleared, j.clearedTo-last)
		j.clearedTo = last
	}
	j.floor, j.shown = min(j.floor, last), min(j.shown, last)
	j.worldless, j.checked = min(j.worldless, last), min(j.checked, last)
	clear(j.ids)
	for _, h := range j.ring {
		for i, value := range h.ids {
			if value != "" {
				j.ids[requestID{i, value}] = h.number
			}
		}
	}
}
