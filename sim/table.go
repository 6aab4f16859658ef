package sim

import (
	"iter"
	"sort"
	"sync"

	"github.com/tidwall/btree"
)

// table is a copy-on-write set of rows kept in the order of a less function. Keys are rows too: one that has
// just the members which less compares. Reading is safe from many goroutines while nobody writes to the same table, even while
// it is forked; forks are tables of their own.
type table[R any] struct {
	rows    *btree.BTreeG[R]
	same    func(a, b R) bool // whether two rows are equal; nil: the table is an index of rows that are in another one
	shared  bool              // whether another table may have the rows, too: then they are copied before they are written to
	changed bool              // whether a row differs from the table that this one was forked from
	tracked bool              // whether written notes rows
	written []R               // the rows that were put or deleted, in this order; see World.Track
}

// newTable returns a table of rows.
func newTable[R any](less, same func(a, b R) bool) table[R] {
	// The lower the degree, the less a change copies; the higher, the less memory a table takes.
	return table[R]{rows: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: 16}), same: same}
}

// fork returns a table with the same rows in O(1). A table must not be forked twice at once, nor copied in any other way.
func (t *table[R]) fork() table[R] {
	t.shared = true
	return table[R]{rows: t.rows, same: t.same, shared: true}
}

// own gives the table rows that no other table has.
func (t *table[R]) own() {
	if !t.shared {
		return
	}
	t.rows, t.shared = copied(t.rows), false
}

// copying is held while rows are copied that worlds share: it writes to both.
var copying sync.Mutex

// copied returns a tree with the same rows in O(1): it has the nodes of the other one until either is written to.
func copied[R any](rows *btree.BTreeG[R]) *btree.BTreeG[R] {
	copying.Lock()
	defer copying.Unlock()
	return rows.Copy()
}

func (t *table[R]) len() int                  { return t.rows.Len() }
func (t *table[R]) get(key R) (R, bool)       { return t.rows.Get(key) }
func (t *table[R]) has(key R) bool            { _, ok := t.rows.Get(key); return ok }
func (t *table[R]) at(position int) (R, bool) { return t.rows.GetAt(position) }

// put adds a row, or replaces the one with its key.
func (t *table[R]) put(row R) {
	t.own()
	old, replaced := t.rows.Set(row)
	t.changed = t.changed || t.same != nil && (!replaced || !t.same(old, row))
	if t.tracked {
		t.written = append(t.written, row)
	}
}

// delete removes the row with a key, if there is one.
func (t *table[R]) delete(key R) {
	t.own()
	_, deleted := t.rows.Delete(key)
	t.changed = t.changed || deleted
	if t.tracked && deleted {
		t.written = append(t.written, key)
	}
}

// first returns the first row at or after the pivot.
func (t *table[R]) first(pivot R) (row R, ok bool) {
	t.rows.Ascend(pivot, func(r R) bool {
		row, ok = r, true
		return false
	})
	return row, ok
}

// between yields the rows from low on that come before high, in order.
func (t *table[R]) between(low, high R) iter.Seq[R] {
	return func(yield func(R) bool) {
		t.rows.Ascend(low, func(r R) bool {
			return t.rows.Less(r, high) && yield(r)
		})
	}
}

// all yields every row in order.
func (t *table[R]) all() iter.Seq[R] { return t.rows.Scan }

// page returns size rows of those from low on that come before high, from a position on, in order or backwards, and how many
// there are. It takes O(log² n) and the size.
func (t *table[R]) page(low, high R, backwards bool, position, size int) (page []R, total int) {
	from, to := t.position(low), t.position(high)
	total = to - from
	if position >= total || size <= 0 {
		return nil, total
	}
	page = make([]R, 0, min(size, total-position))
	for i := position; i < position+cap(page); i++ {
		at := from + i
		if backwards {
			at = to - 1 - i
		}
		row, _ := t.at(at)
		page = append(page, row)
	}
	return page, total
}

// position returns how many rows come before the pivot.
func (t *table[R]) position(pivot R) int {
	return sort.Search(t.rows.Len(), func(i int) bool {
		row, _ := t.rows.GetAt(i)
		return !t.rows.Less(row, pivot)
	})
}

// equal reports whether both tables hold the same rows in the same order.
func (t *table[R]) equal(other *table[R], same func(a, b R) bool) bool {
	return t.rows == other.rows || walk(t.rows, other.rows, func(mine, their R, isMine, isTheir bool) bool {
		return isMine && isTheir && same(mine, their)
	})
}
