package sim

// importedInRow is how many participants, or errors of jobs, count as a row (choice): they take less memory than other rows.
const importedInRow = 20

// rows returns how many rows the world has of the kinds that callers add.
func (w *World) rows() int {
	return w.grants.len() + w.tokens.len() + w.groups.len() + w.jobs.byID.len() + w.alerts.len() + w.imported/importedInRow
}

// Open opens the bank to callers: rows that are added from now on count for the limit.
func (w *World) Open() { w.given = w.rows() }

// Added returns how many rows callers have added.
func (w *World) Added() int { return w.rows() - w.given }

// LimitRows limits the rows that callers can have added, whatever the behaviour allows; 0: it decides alone.
func (w *World) LimitRows(ceiling int) { w.ceiling = ceiling }

// checkRows refuses with WorldFull if callers have added more rows than they may.
func (w *World) checkRows(p *Policy) error {
	switch added, limit := w.Added(), p.Limits.Rows; {
	case added > limit:
		return Refuse(WorldFull,
			"callers may add %d rows to this bank, and it has them: reset it, or raise limits.rows in its scenario", limit)
	case w.ceiling > 0 && added > w.ceiling:
		return Refuse(WorldFull,
			"the simulator has no memory left for what callers add to its banks: reset or delete sandboxes, or give it more memory")
	}
	return nil
}
