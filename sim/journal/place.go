package journal

// Place is the number of an exchange whose answer isn't known yet. Its holder must call Fill once, and soon: until then,
// readers of the journal wait, because they see the exchanges in the order of their numbers.
type Place struct {
	journal *Journal
	entry   *entry
}

// Reserve takes the next number for an exchange. What reserves in the order in which it changes a world is journaled in
// that order, however long it takes until the exchange is known.
func (j *Journal) Reserve() Place {
	e := &entry{pending: true}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.appendLocked(e)
	return Place{j, e}
}

// Reserved reports whether the place is one: the zero Place is none.
func (p Place) Reserved() bool { return p.entry != nil }

// Fill records the exchange and returns its id, pushing out the oldest exchanges where there is no room. On a closed
// journal it does nothing and returns "".
func (p Place) Fill(raw Raw) (id string) {
	j, e := p.journal, p.entry
	near := j.neighbours()
	var known entry
	known.fill(&raw, &near)
	bytes, fits := j.room(&known)

	j.mu.Lock()
	defer j.mu.Unlock()
	known.number = e.number
	*e = known
	j.completeLocked(e, bytes, fits)
	j.settled.Broadcast()
	return j.idLocked(e)
}

// room reserves room for an entry in the budget, and reports how many bytes it takes and whether they fit.
func (j *Journal) room(e *entry) (bytes int64, fits bool) {
	bytes = e.bytes()
	return bytes, bytes <= int64(j.limits.Bytes) && (j.budget == nil || j.budget.reserve(bytes))
}

// appendLocked gives an entry the next number.
func (j *Journal) appendLocked(e *entry) {
	j.last++
	e.number = j.last
	if !j.closed {
		j.entries = append(j.entries, e)
	}
}

// completeLocked keeps an entry that is known now and for whose bytes there is room, if the journal still holds it.
func (j *Journal) completeLocked(e *entry, bytes int64, fits bool) {
	from := j.afterLocked(e.number - 1)
	held := len(from) > 0 && from[0] == e // else the journal was closed or cleared, or has evicted the place
	switch {
	case !fits && held: // neither the exchange nor any older one can be kept
		j.evictLocked(len(j.entries) - len(from) + 1)
	case fits && !held && j.budget != nil:
		j.budget.release(bytes)
	case fits && held:
		e.cost = bytes
		if j.ids == nil {
			j.ids = requestIDs{}
		}
		j.ids.add(e)
		j.held.Add(bytes)
		for len(j.entries) > j.limits.Entries || j.held.Load() > int64(j.limits.Bytes) {
			j.evictLocked(1)
		}
	}
	j.wakeLocked()
}

// idLocked returns the id of an entry, empty if the journal is closed.
func (j *Journal) idLocked(e *entry) string {
	if j.closed {
		return ""
	}
	return formatID(e.number)
}

// settledLocked returns the entries with a larger number, none of which is pending. It waits for those that are pending
// when it is called, and leaves out later ones, so that it doesn't wait for ever while there are always some.
func (j *Journal) settledLocked(number uint64) []*entry {
	last := j.last
	for {
		held := j.afterLocked(number)
		held = held[:len(held)-int(min(j.last-last, uint64(len(held))))]
		if firstPending(held) == len(held) {
			return held
		}
		j.settled.Wait()
	}
}

// firstPending returns the index of the first entry that is pending, or how many entries there are.
func firstPending(entries []*entry) int {
	for i, e := range entries {
		if e.pending {
			return i
		}
	}
	return len(entries)
}
