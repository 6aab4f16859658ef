package sim

import "iter"

// Change is a row in which two worlds differ. Before and After are rows of the same table, such as *User or
// *Group; one of them is nil where the row is in one world only.
type Change struct {
	Row           string // which row: its table and its key, as a path
	Before, After any
}

// Diff yields the rows in which this world differs from an earlier one, table by table, by key. It takes time in
// proportion to the rows of both.
func (w *World) Diff(before *World) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		_ = diff(yield, before.institutions, w.institutions) &&
			diff(yield, before.clients, w.clients) &&
			diff(yield, before.users, w.users) &&
			diff(yield, before.accounts, w.accounts) &&
			diff(yield, before.grants, w.grants) &&
			diff(yield, before.groups, w.groups) &&
			diff(yield, before.alerts, w.alerts)
	}
}

// diff walks two tables side by side. It returns false if yield did.
func diff[R row](yield func(Change) bool, before, after table[R]) bool {
	less, same := after.rows.Less, after.same
	old, now := before.rows.Iter(), after.rows.Iter()
	defer old.Release()
	defer now.Release()
	inOld, inNow := old.First(), now.First()
	for inOld || inNow {
		more := true
		switch {
		case !inNow || inOld && less(old.Item(), now.Item()):
			more = yield(Change{Row: old.Item().Row(), Before: old.Item()})
			inOld = old.Next()
		case !inOld || less(now.Item(), old.Item()):
			more = yield(Change{Row: now.Item().Row(), After: now.Item()})
			inNow = now.Next()
		default:
			if !same(old.Item(), now.Item()) {
				more = yield(Change{Row: now.Item().Row(), Before: old.Item(), After: now.Item()})
			}
			inOld, inNow = old.Next(), now.Next()
		}
		if !more {
			return false
		}
	}
	return true
}
