package sim

// rows returns how many rows the world has in the tables that callers add to.
func (w *World) rows() (all int) {
	for _, t := range tables {
		all += t.added(w)
	}
	return all
}

// Opening identifies the rows that a bank began with: its worlds share one. Bytes is their weight.
type Opening struct{ Bytes int }

// Open opens the bank to callers. The rows that are added from now on count for the limit.
func (w *World) Open() {
	w.openingRows = w.rows()
	w.settle()
}

// settle makes the present rows the opening ones. [World.Bytes] leaves them out from now on.
func (w *World) settle() {
	w.opening = &Opening{w.Bytes()}
	for _, t := range tables {
		t.open(w)
	}
}

// Opening identifies the rows that the world began with. It is nil before the bank opens.
func (w *World) Opening() *Opening { return w.opening }

// Bytes weighs the rows that were added or changed since the opening.
func (w *World) Bytes() (all int) {
	for _, t := range tables {
		all += t.bytes(w)
	}
	return all
}

// Replaced weighs all rows that are in an earlier world, but no longer in this one. It never falls from one world to
// the next. So the worlds from one to another one keep the difference of the two alone.
func (w *World) Replaced() int {
	all := w.replaced
	for _, t := range tables {
		all += t.removed(w)
	}
	return all
}

// Replace makes the world the one that follows another one, though it wasn't forked from that.
func (w *World) Replace(earlier *World) {
	w.replaced += earlier.Replaced() + earlier.Bytes() - w.Replaced()
	if earlier.opening != nil && earlier.opening != w.opening {
		w.replaced += earlier.opening.Bytes
	}
}

// Added returns how many rows callers have added.
func (w *World) Added() int { return w.rows() - w.openingRows }

// LimitBytes limits the bytes of the world for [World.CheckLimits]. 0 is no limit.
func (w *World) LimitBytes(limit int) { w.mostBytes = limit }

// CheckLimits refuses with WorldFull if the world has more rows than the scenario lets callers add, or more bytes than
// there is room for. A world that has grown in neither since before is not refused.
func (w *World) CheckLimits(before *World) error {
	added, most := w.Added(), w.Behavior().Limits.Rows
	switch bytes := w.Bytes(); {
	case added > most && added > before.Added():
		return Refuse(WorldFull,
			"callers may add %d rows to this bank, and it has them: reset it, or raise limits.rows in its scenario",
			most)
	case w.mostBytes > 0 && bytes > w.mostBytes && bytes > before.Bytes():
		return Refuse(WorldFull, "the simulator has no memory left for what this bank would keep, %d bytes of %d: "+
			"reset or delete sandboxes, or give the simulator more memory", bytes, w.mostBytes)
	}
	return nil
}
