package sim

import (
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/tidwall/btree"
)

// table is a copy-on-write set of rows R in the order of its spec. It has indexes. A key is a row with only the
// members that the order compares. Any number of goroutines may read a table while no goroutine writes to it, also
// while it is forked. A fork is a table of its own.
type table[R any] struct {
	sorted[R]
	indexes [maxIndexes]sorted[R] // in the order of the spec's indexes
	spec    *tableSpec[R]
	opening sorted[R] // the rows when the bank opened; it has no tree before
	bytes   int       // of the rows that opening doesn't have
	removed int       // bytes of all rows that were replaced or deleted; see [World.Replaced]
	shared  bool      // whether another table may have the trees: then they are copied before they are written to
	changed bool      // whether a row differs from the table that this one was forked from
	tracked bool      // whether written notes rows
	written []*R      // the rows that were put or deleted, in this order; see [World.Track]
}

// maxIndexes is how many indexes a table can have.
const maxIndexes = 4

// index is a further order for the rows of a table. The table keeps it up to date.
type index[R any] struct {
	before   func(a, b *R) bool
	includes func(*R) bool // whether the index has a row, or nil if it has all
}

// has reports whether the index includes a row.
func (i *index[R]) has(row *R) bool { return i.includes == nil || i.includes(row) }

// fork returns a table with the same rows in O(1). Two goroutines must not fork a table at the same time. A table must
// not be copied in any other way.
func (t *table[R]) fork() table[R] {
	t.shared = true
	return table[R]{
		sorted: t.sorted, indexes: t.indexes, spec: t.spec, opening: t.opening, bytes: t.bytes, removed: t.removed,
		shared: true,
	}
}

// own gives the table trees that no other table has.
func (t *table[R]) own() {
	if !t.shared {
		return
	}
	t.tree = copied(t.tree)
	for i := range t.spec.indexes {
		t.indexes[i].tree = copied(t.indexes[i].tree)
	}
	t.shared = false
}

// by returns the rows of the table in the order of one of its indexes.
func (t *table[R]) by(order *index[R]) sorted[R] {
	return t.indexes[slices.Index(t.spec.indexes, order)]
}

// put adds a row, or replaces the one with its key.
func (t *table[R]) put(row *R) {
	t.own()
	old, replaced := t.tree.Set(row) // old is nil for an addition
	t.changed = t.changed || !replaced || !t.spec.isSame(old, row)
	t.update(old, row)
}

// delete removes the row with a key, if there is one.
func (t *table[R]) delete(key *R) {
	t.own()
	if old, deleted := t.tree.Delete(key); deleted {
		t.changed = true
		t.update(old, nil)
	}
}

// update keeps the indexes, the bytes and the notes right after a change. A row has taken the place of an old one. The
// old row is nil for an addition, and row is nil for a deletion.
func (t *table[R]) update(old, row *R) {
	nodes := 1 // that go on with other rows
	for i, order := range t.spec.indexes {
		tree := t.indexes[i].tree
		if old != nil && order.has(old) {
			tree.Delete(old)
			nodes++
		}
		if row != nil && order.has(row) {
			tree.Set(row)
		}
	}
	was := t.weight(old)
	t.bytes += t.weight(row) - was
	gone := was - nodes*rowOverhead
	if old != nil && row != nil && t.spec.shares != nil {
		gone -= t.spec.shares(row, old)
	}
	t.removed += nodeShare + max(0, gone)
	if t.tracked {
		if row == nil {
			row = old
		}
		t.written = append(t.written, row)
	}
}

// nodeShare is about what a change of a row adds to the bytes of nodes that are copied, where many rows are changed.
const nodeShare = 32

// weight returns how many bytes a row keeps, or 0 for nil. The rows that were there when the bank opened stay in memory
// in any case, with what others share with them.
func (t *table[R]) weight(row *R) int {
	if row == nil {
		return 0
	}
	bytes := t.spec.weigh(row)
	if t.opening.tree == nil {
		return bytes
	}
	opening, ok := t.opening.get(row)
	switch {
	case !ok:
		return bytes
	case opening == row:
		return 0
	case t.spec.shares != nil:
		bytes -= t.spec.shares(row, opening)
	}
	return bytes
}

// sorted are rows in one order.
type sorted[R any] struct{ tree *btree.BTreeG[*R] }

// newSorted returns no rows, in an order.
func newSorted[R any](before func(a, b *R) bool) sorted[R] {
	// The lower the degree, the less a change copies; the higher, the less memory the rows take.
	return sorted[R]{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true, Degree: 16})}
}

// copying is held while a tree is copied. A copy also writes to the old tree, and worlds share trees.
var copying sync.Mutex

// copied returns a tree with the same rows in O(1): both share their nodes until either is written to.
func copied[R any](tree *btree.BTreeG[R]) *btree.BTreeG[R] {
	copying.Lock()
	defer copying.Unlock()
	return tree.Copy()
}

func (s sorted[R]) len() int                   { return s.tree.Len() }
func (s sorted[R]) get(key *R) (*R, bool)      { return s.tree.Get(key) }
func (s sorted[R]) has(key *R) bool            { _, ok := s.tree.Get(key); return ok }
func (s sorted[R]) at(position int) (*R, bool) { return s.tree.GetAt(position) }

// first returns the first row at or after the pivot.
func (s sorted[R]) first(pivot *R) (row *R, ok bool) {
	s.tree.Ascend(pivot, func(r *R) bool {
		row, ok = r, true
		return false
	})
	return row, ok
}

// between yields the rows from low on that come before high, in order.
func (s sorted[R]) between(low, high *R) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		s.tree.Ascend(low, func(r *R) bool {
			return s.tree.Less(r, high) && yield(r)
		})
	}
}

// all yields every row in order.
func (s sorted[R]) all() iter.Seq[*R] { return s.tree.Scan }

// page returns size of the rows from low on that come before high, and how many such rows there are. It begins at a
// position and goes forwards or backwards. It takes O(log² n) and the size.
func (s sorted[R]) page(low, high *R, backwards bool, position, size int) (page []*R, total int) {
	from, to := s.position(low), s.position(high)
	total = to - from
	if position >= total || size <= 0 {
		return nil, total
	}
	page = make([]*R, 0, min(size, total-position))
	add := func(row *R) bool {
		page = append(page, row)
		return len(page) < cap(page)
	}
	if backwards {
		last, _ := s.at(to - 1 - position)
		s.tree.Descend(last, add)
	} else {
		first, _ := s.at(from + position)
		s.tree.Ascend(first, add)
	}
	return page, total
}

// position returns how many rows come before the pivot.
func (s sorted[R]) position(pivot *R) int {
	return sort.Search(s.tree.Len(), func(i int) bool {
		row, _ := s.tree.GetAt(i)
		return !s.tree.Less(row, pivot)
	})
}
