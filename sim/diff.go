package sim

import (
	"iter"
	"time"
)

// Change is a row in which two worlds differ. Before and After are rows of the same table, such as *User or
// *Group; one of them is nil where the row is in one world only.
type Change struct {
	Row           string // which row: its table and its key, as a path
	Before, After any
}

// Diff yields the rows in which this world, at a time, differs from an earlier one, at its own time: table by table, by key.
// It takes time in proportion to the rows of the tables that were written to, in both.
func (w *World) Diff(now time.Time, before *World, then time.Time) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		_ = diff(yield, before.institutions.tree, w.institutions.tree) &&
			diff(yield, before.clients.tree, w.clients.tree) &&
			diff(yield, before.users.tree, w.users.tree) &&
			diff(yield, before.accounts.tree, w.accounts.tree) &&
			diff(yield, before.grants.tree, w.grants.tree) &&
			diffBy(yield, before.groups.tree, w.groups.tree, (*Group).same) && // participants are rows of their own
			diffBy(func(c Change) bool {
				old, _ := c.Before.(*Group)
				now, _ := c.After.(*Group)
				return w.diffParticipants(yield, old, now)
			}, before.groups.tree, w.groups.tree, func(a, b *Group) bool { return a.participants.same(b.participants) }) &&
			diffJobs(yield, &before.jobs, then, &w.jobs, now) &&
			diff(yield, before.alerts.tree, w.alerts.tree)
	}
}

// diffJobs yields the jobs that differ, as they are at the times of their worlds.
func diffJobs(yield func(Change) bool, before *jobTables, then time.Time, after *jobTables, now time.Time) bool {
	return diffBy(func(c Change) bool {
		if j, ok := c.Before.(*Job); ok {
			seen := j.At(then)
			c.Before = &seen
		}
		if j, ok := c.After.(*Job); ok {
			seen := j.At(now)
			c.After = &seen
		}
		return yield(c)
	}, before.byID.tree, after.byID.tree, func(a, b *Job) bool {
		old, seen := a.At(then), b.At(now)
		return sameRow(&old, &seen)
	})
}

// diff walks two tables side by side, unless nothing was written to either. It returns false if yield did.
func diff[R row](yield func(Change) bool, before, after *tree[R]) bool {
	return before == after || diffBy(yield, before, after, after.same)
}

// diffBy is diff with a comparison of its own.
func diffBy[R row](yield func(Change) bool, before, after *tree[R], same func(a, b R) bool) bool {
	less := after.rows.Less
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
