package sim

// partsInRow is how many parts of rows, such as participants, count as one row (choice). They take less memory than
// rows.
const partsInRow = 20

// rows returns how many rows the world has in the tables that callers add to.
func (w *World) rows() int {
	var all, parts int
	for _, t := range tables {
		rows, partsOfRows := t.count(w)
		all += rows
		parts += partsOfRows
	}
	return all + parts/partsInRow
}

// Open opens the bank to callers. The rows that are added from now on count for the limit.
func (w *World) Open() { w.openingRows = w.rows() }

// Added returns how many rows callers have added. Small parts of rows, such as participants, count as a row together.
func (w *World) Added() int { return w.rows() - w.openingRows }

// LimitRows limits the rows that callers can have added, in addition to the limit of the scenario. Without a limit, or
// with 0, the scenario's limit is the only one.
func (w *World) LimitRows(limit int) { w.memoryLimit = limit }

// checkRows refuses with WorldFull if callers have added more rows than they may.
func (w *World) checkRows(p *Policy) error {
	switch added, limit := w.Added(), p.Limits.Rows; {
	case added > limit:
		return Refuse(WorldFull,
			"callers may add %d rows to this bank, and it has them: reset it, or raise limits.rows in its scenario",
			limit)
	case w.memoryLimit > 0 && added > w.memoryLimit:
		return Refuse(WorldFull, "the simulator has no memory left for what callers add to its banks: "+
			"reset or delete sandboxes, or give it more memory")
	}
	return nil
}
