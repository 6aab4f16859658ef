package journal

func (b *Budget) Used() int64 { return b.used.Load() }

// Relevant returns how many exchanges were evicted since the last ClearTo.
func (j *Journal) Relevant() uint64 {
	_, relevant := j.snapshot(0)
	return relevant
}

// InOrder reports whether the journal's numbers are in the order that it promises.
func (j *Journal) InOrder() bool {
	for i, h := range j.ring {
		if h.Exchange != nil && h.number != j.floor+uint64(i)+1 {
			return false
		}
	}
	return j.cleared <= j.clearedTo && j.clearedTo <= j.floor && max(j.floor, j.worldless, j.checked) <= j.shown
}

// IDs returns how many request ids the journal remembers.
func (j *Journal) IDs() int { return len(j.ids) }
