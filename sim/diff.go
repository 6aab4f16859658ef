package sim

// Change is a row in which two worlds differ. Before and After are rows of the same table, such as *User or
// *Group; one of them is nil where the row is in one world only.
type Change struct {
	Row           string // which row: its table and its key, as a path
	Before, After any
}

// Diff returns the rows in which this world differs from an earlier one, table by table, by key. It takes time in
// proportion to the rows of both.
func (w *World) Diff(before *World) []Change {
	var changes []Change
	changes = diff(changes, before.institutions, w.institutions, sameRow)
	changes = diff(changes, before.clients, w.clients, sameRow)
	changes = diff(changes, before.users, w.users, sameRow)
	changes = diff(changes, before.accounts, w.accounts, sameRow)
	changes = diff(changes, before.grants, w.grants, sameRow)
	changes = diff(changes, before.groups, w.groups, (*Group).same)
	return diff(changes, before.alerts, w.alerts, sameRow)
}

// diff walks two tables side by side.
func diff[R row](changes []Change, before, after table[R], same func(a, b R) bool) []Change {
	less := after.rows.Less
	old, now := before.rows.Iter(), after.rows.Iter()
	defer old.Release()
	defer now.Release()
	inOld, inNow := old.First(), now.First()
	for inOld || inNow {
		switch {
		case !inNow || inOld && less(old.Item(), now.Item()):
			changes = append(changes, Change{Row: old.Item().Row(), Before: old.Item()})
			inOld = old.Next()
		case !inOld || less(now.Item(), old.Item()):
			changes = append(changes, Change{Row: now.Item().Row(), After: now.Item()})
			inNow = now.Next()
		default:
			if !same(old.Item(), now.Item()) {
				changes = append(changes, Change{Row: now.Item().Row(), Before: old.Item(), After: now.Item()})
			}
			inOld, inNow = old.Next(), now.Next()
		}
	}
	return changes
}
