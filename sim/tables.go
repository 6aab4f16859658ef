package sim

import "reflect"

// tables are all tables of a world. Stores and diffs have them in this order. A new table is an entry here, a spec in
// the file of its entity, and a field of tableSet.
var tables = []anyTable{
	institutionTable, clientTable, userTable, accountTable, grantTable, tokenTable, groupTable, jobTable, alertTable,
	requestIDTable,
}

// tableSpec describes a table with rows R. It implements [anyTable].
type tableSpec[R any] struct {
	name    string
	in      func(*World) *table[R] // the table of a world
	key     func(*R) rowKey
	before  func(a, b *R) bool // the order of the rows, by the members of the key
	same    func(a, b *R) bool // whether two rows are equal; nil compares values, 20 times as slowly
	indexes []*index[R]        // at most maxIndexes

	// stored converts rows to their stored form, or is nil if the rows themselves are stored.
	stored *storedForm[R]

	// diff yields the changes that a diff shows. Without it, a diff shows the rows that differ.
	diff func(s *tableSpec[R], between versions, yield func(Change) bool) bool
	// isInternal says that a diff never shows the rows, and that a change of them doesn't make a world a changed one.
	isInternal bool

	// addable says that callers can add rows. The limit of added rows counts these rows.
	addable bool

	weigh func(*R) int // see [weigher]
	// shares returns how many bytes of a row an earlier version of it shares, or is nil if rows share nothing.
	shares func(row, earlier *R) int
}

// anyTable is what worlds do with each of their tables.
type anyTable interface {
	tableName() string
	// create makes the table of a new world.
	create(w *World)
	// fork gives a world the rows of another one.
	fork(from, to *World)
	// isChanged reports whether a row differs from the world that this one was forked from.
	isChanged(w *World) bool
	// isShared reports whether two worlds share the table: nothing was written to it since one was forked from the
	// other.
	isShared(a, b *World) bool
	// equal reports whether two worlds have the same rows.
	equal(a, b *World) bool
	// added returns how many rows there are if callers can add rows.
	added(w *World) int
	// open makes the present rows the opening ones.
	open(w *World)
	// bytes weighs the rows that were added or changed since open.
	bytes(w *World) int
	// removed weighs the rows that were ever replaced or deleted.
	removed(w *World) int
	// yieldDiff yields the changes that a diff shows of the table. It returns false if yield did.
	yieldDiff(between versions, yield func(Change) bool) bool

	// apply puts or removes a row.
	apply(w *World, row StoredRow) error
	// yieldRows yields all rows. It returns false if yield did.
	yieldRows(w *World, yield func(StoredRow) bool) bool
	// track makes the table note the rows that are written.
	track(w *World)
	// appendWritten appends the rows that were written to, each once and with its present state.
	appendWritten(w *World, to []StoredRow) []StoredRow
}

func (s *tableSpec[R]) tableName() string { return s.name }

func (s *tableSpec[R]) create(w *World) {
	t := s.in(w)
	t.spec, t.sorted = s, newSorted(s.before)
	for i, order := range s.indexes {
		t.indexes[i] = newSorted(order.before)
	}
}

func (s *tableSpec[R]) fork(from, to *World) { *s.in(to) = s.in(from).fork() }

func (s *tableSpec[R]) isChanged(w *World) bool { return !s.isInternal && s.in(w).changed }

func (s *tableSpec[R]) isShared(a, b *World) bool { return s.in(a).tree == s.in(b).tree }

func (s *tableSpec[R]) equal(a, b *World) bool {
	return s.isShared(a, b) || walk(s.in(a).tree, s.in(b).tree, func(one, other *R, inOne, inOther bool) bool {
		return inOne && inOther && s.isSame(one, other)
	})
}

func (s *tableSpec[R]) added(w *World) int {
	if !s.addable {
		return 0
	}
	return s.in(w).len()
}

func (s *tableSpec[R]) open(w *World) {
	t := s.in(w)
	t.opening, t.bytes, t.shared = t.sorted, 0, true
}

func (s *tableSpec[R]) bytes(w *World) int { return s.in(w).bytes }

func (s *tableSpec[R]) removed(w *World) int { return s.in(w).removed }

// isSame reports whether two rows are equal.
func (s *tableSpec[R]) isSame(a, b *R) bool {
	if s.same == nil {
		return sameRow(a, b)
	}
	return a == b || s.same(a, b)
}

// sameRow compares rows by their values.
func sameRow[R any](a, b *R) bool { return a == b || reflect.DeepEqual(a, b) }
