package journal

func (b *Budget) Used() int64 { return b.used.Load() }

// Relevant returns how many exchanges were evicted since the last Clear.
func (j *Journal) Relevant() uint64 {
	_, relevant := j.snapshot(0)
	return relevant
}

// Reused returns the exchanges held, and for each of them the earlier ones held that had the same ids.
func (j *Journal) Reused() map[uint64][2]uint64 {
	entries, _ := j.snapshot(0)
	reused := map[uint64][2]uint64{}
	for _, e := range entries {
		by := e.by
		for i := range by {
			if by[i] < entries[0].number {
				by[i] = 0
			}
		}
		reused[e.number] = by
	}
	return reused
}

// InOrder reports whether the journal's numbers are in the order that it promises.
func (j *Journal) InOrder() bool {
	for _, e := range j.entries {
		if e.number <= j.floor || e.number > j.last {
			return false
		}
	}
	return j.cleared <= j.clearedTo && j.clearedTo <= j.floor && max(j.floor, j.checked, j.worldless) <= j.last
}

// IDs returns how many request ids the journal remembers.
func (j *Journal) IDs() int { return len(j.ids) }
