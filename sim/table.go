package sim

import (
	"iter"
	"sort"
	"sync"

	"github.com/tidwall/btree"
)

// table is a copy-on-write set of rows kept in the order of a less function. Keys are rows too: one that has
// just the members which less compares. Reading, by the methods of its tree, is safe from many goroutines while nobody writes
// to the same table, even while it is forked; forks are tables of their own.
type table[R any] struct {
	*tree[R]
	shared bool    // whether another table may have the tree, too: then it is copied before it is written to
	log    *writes // notes what is written; nil: nothing is noted
}

// tree has the rows of tables that were forked from one another and not written to since.
type tree[R any] struct {
	rows *btree.BTreeG[R]
	same func(a, b R) bool // whether two rows are equal; nil: the table is an index of rows that are in another one

	copying sync.Mutex // copying marks the nodes of both trees as shared, which writes to the one that is copied
}

// newTable returns the table of a kind of rows.
func newTable[R any](log *writes, less, same func(a, b R) bool) table[R] {
	t := newIndex(log, less)
	t.same = same
	return t
}

// newIndex returns a table of rows that are in another one, in an order of its own.
func newIndex[R any](log *writes, less func(a, b R) bool) table[R] {
	rows := btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: nodeDegree})
	return table[R]{tree: &tree[R]{rows: rows}, log: log}
}

// fork returns a table with the same rows in O(1). What is written to it is noted in a log. A table must not be forked twice
// at once, nor copied in any other way.
func (t *table[R]) fork(log *writes) table[R] {
	t.shared = true
	return table[R]{tree: t.tree, shared: true, log: log}
}

// own gives the table a tree that no other table has, in O(1): it has the nodes of the old one until they are written to.
func (t *table[R]) own() {
	if !t.shared {
		return
	}
	t.tree, t.shared = t.tree.copy(), false
	if t.log != nil {
		t.log.replaced += treeBytes
	}
}

func (t *tree[R]) copy() *tree[R] {
	t.copying.Lock()
	defer t.copying.Unlock()
	return &tree[R]{rows: t.rows.Copy(), same: t.same}
}

func (t *tree[R]) len() int                  { return t.rows.Len() }
func (t *tree[R]) get(key R) (R, bool)       { return t.rows.Get(key) }
func (t *tree[R]) has(key R) bool            { _, ok := t.rows.Get(key); return ok }
func (t *tree[R]) at(position int) (R, bool) { return t.rows.GetAt(position) }

// put adds a row, or replaces the one with its key.
func (t *table[R]) put(row R) {
	t.own()
	old, replaced := t.rows.Set(row)
	if t.log != nil {
		t.log.note(t.path(), replaced, t.same != nil && (!replaced || !t.same(old, row)))
	}
}

// add adds a row, unless there is one with its key already. It reports whether it did. Where that is the rule, it takes half as
// long as has and put.
func (t *table[R]) add(row R) bool {
	t.own()
	if old, there := t.rows.Set(row); there {
		t.rows.Set(old)
		return false
	}
	if t.log != nil {
		t.log.note(t.path(), false, t.same != nil)
	}
	return true
}

// delete removes the row with a key, if there is one.
func (t *table[R]) delete(key R) {
	t.own()
	_, deleted := t.rows.Delete(key)
	if deleted && t.log != nil {
		t.log.note(t.path(), true, t.same != nil)
	}
}

// first returns the first row at or after the pivot.
func (t *tree[R]) first(pivot R) (row R, ok bool) {
	t.rows.Ascend(pivot, func(r R) bool {
		row, ok = r, true
		return false
	})
	return row, ok
}

// between yields the rows from low on that come before high, in order.
func (t *tree[R]) between(low, high R) iter.Seq[R] {
	return func(yield func(R) bool) {
		t.rows.Ascend(low, func(r R) bool {
			return t.rows.Less(r, high) && yield(r)
		})
	}
}

// all yields every row in order.
func (t *tree[R]) all() iter.Seq[R] {
	return func(yield func(R) bool) { t.rows.Scan(yield) }
}

// span returns the positions [from, to) of the rows between low and high, in O(log² n).
func (t *tree[R]) span(low, high R) (from, to int) {
	return t.position(low), t.position(high)
}

// position returns how many rows come before the pivot. A pivot before or after all rows, the usual case where
// one institution holds most of them, costs one comparison.
func (t *tree[R]) position(pivot R) int {
	if last, ok := t.rows.Max(); !ok || t.rows.Less(last, pivot) {
		return t.rows.Len()
	}
	if first, _ := t.rows.Min(); !t.rows.Less(first, pivot) {
		return 0
	}
	return sort.Search(t.rows.Len(), func(i int) bool {
		row, _ := t.rows.GetAt(i)
		return !t.rows.Less(row, pivot)
	})
}

// equal reports whether both tables hold the same rows in the same order.
func (t *tree[R]) equal(other *tree[R]) bool { return t.equalBy(other, t.same) }

func (t *tree[R]) equalBy(other *tree[R], same func(a, b R) bool) bool {
	if t == other {
		return true
	}
	if t.len() != other.len() {
		return false
	}
	theirs := other.rows.Iter()
	defer theirs.Release()
	for mine := range t.all() {
		if !theirs.Next() || !same(mine, theirs.Item()) {
			return false
		}
	}
	return true
}
