package sim

// writes notes what was written to a world since it was forked.
type writes struct {
	changed  bool // whether a row differs
	replaced int  // about how many bytes only the world has that it was forked from: rows and nodes that were replaced
}

// About how much memory the parts of a world take, in bytes.
const (
	// worldBytes is what a fork takes that nothing is written to.
	worldBytes = 1 << 10
	// treeBytes is what a table takes beside its nodes, once it is written to.
	treeBytes = 160
	// replacedBytes is a row that was replaced or removed. Most of its texts are also in the row that replaces it.
	replacedBytes = 256
	// nodeDegree is how many children a node of a table has at least, and half of how many it has at most. The less, the less
	// a change copies: those from the root to a leaf. The more, the less memory a table takes.
	nodeDegree = 16
	// nodeItems is how many rows a node of a table has at most.
	nodeItems = 2*nodeDegree - 1
	// leafBytes is a full node without children, and branchBytes one with children.
	leafBytes   = 48 + 8*(nodeItems+1)
	branchBytes = leafBytes + 24 + 8*(nodeItems+1)
)

// note notes a write: how many bytes of nodes it copies, whether it has replaced or removed a row, and whether that made a
// difference to the rows of the world.
func (w *writes) note(nodes int, replaced, changed bool) {
	w.replaced += nodes
	if replaced && changed {
		w.replaced += replacedBytes
	}
	w.changed = w.changed || changed
}

// path returns about how many bytes of nodes a first write copies: those from the root to a leaf.
func (t *tree[R]) path() int {
	if n := t.rows.Len(); n <= nodeItems {
		return 48 + 8*(n+1)
	}
	return leafBytes + (t.rows.Height()-1)*branchBytes
}

// Changed reports whether a row differs from the world that this one was forked from. What the world draws from its random
// source and which request ids it remembers are no rows.
func (w *World) Changed() bool { return w.writes.changed }

// Replaced returns about how many bytes of memory the world that this one was forked from takes alone: what of it this one
// doesn't share.
func (w *World) Replaced() int64 { return int64(worldBytes + w.writes.replaced) }

// Bytes returns about how many bytes of memory the world takes, with all that it shares with others.
func (w *World) Bytes() int64 {
	c := w.Counts()
	rows := c.Institutions + c.Clients + c.Users + c.Accounts + c.Tokens + c.Groups + c.Jobs + c.AlertPreferences
	return worldBytes + int64(rows)*rowBytes + int64(w.added.bytes)
}
