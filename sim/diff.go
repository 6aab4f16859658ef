package sim

import (
	"iter"
	"time"

	"github.com/tidwall/btree"
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
		_ = diff(yield, &before.institutions, &w.institutions) &&
			diff(yield, &before.clients, &w.clients) &&
			diff(yield, &before.users, &w.users) &&
			diff(yield, &before.accounts, &w.accounts) &&
			diff(yield, &before.grants, &w.grants) &&
			diffBy(yield, &before.groups, &w.groups, (*Group).same) && // participants are rows of their own
			diffBy(func(c Change) bool {
				old, _ := c.Before.(*Group)
				now, _ := c.After.(*Group)
				return w.diffParticipants(yield, old, now)
			}, &before.groups, &w.groups, func(a, b *Group) bool { return a.participants == b.participants }) &&
			diffJobs(yield, &before.jobs, then, &w.jobs, now) &&
			diff(yield, &before.alerts, &w.alerts)
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
	}, &before.byID, &after.byID, func(a, b *Job) bool {
		old, seen := a.At(then), b.At(now)
		return sameRow(&old, &seen)
	})
}

// diff yields the rows in which two tables differ, which may be none if nothing was written to either. It returns false if
// yield did.
func diff[R row](yield func(Change) bool, before, after *table[R]) bool {
	return before.rows == after.rows || diffBy(yield, before, after, after.same)
}

// diffBy is diff with a comparison of its own.
func diffBy[R row](yield func(Change) bool, before, after *table[R], same func(a, b R) bool) bool {
	return walk(before.rows, after.rows, func(old, now R, inOld, inNow bool) bool {
		switch {
		case !inNow:
			return yield(Change{Row: old.Row(), Before: old})
		case !inOld:
			return yield(Change{Row: now.Row(), After: now})
		case !same(old, now):
			return yield(Change{Row: now.Row(), Before: old, After: now})
		}
		return true
	})
}

// diffParticipants yields the participants that one of two worlds has in a group, which is nil where a world doesn't have
// it. It returns false if yield did.
func (w *World) diffParticipants(yield func(Change) bool, before, after *Group) bool {
	group, old, now := after, noParticipants, noParticipants
	if after != nil {
		now = after.participants
	}
	if before != nil {
		group, old = before, before.participants
	}
	row := func(id string) *Participant {
		_, known := w.User(group.InstitutionID, id)
		return &Participant{group.InstitutionID, group.GroupID, id, known}
	}
	return walk(old, now, func(gone, come string, inOld, inNow bool) bool {
		switch {
		case !inNow:
			p := row(gone)
			return yield(Change{Row: p.Row(), Before: p})
		case !inOld:
			p := row(come)
			return yield(Change{Row: p.Row(), After: p})
		}
		return true
	})
}

// walk visits the rows of two trees side by side, by key: those of each key once, with the trees that have it. It returns
// false if visit did.
func walk[R any](before, after *btree.BTreeG[R], visit func(old, now R, inOld, inNow bool) bool) bool {
	old, now := before.Iter(), after.Iter()
	defer old.Release()
	defer now.Release()
	moreOld, moreNow := old.First(), now.First()
	for moreOld || moreNow {
		inOld := moreOld && (!moreNow || !after.Less(now.Item(), old.Item()))
		inNow := moreNow && (!moreOld || !after.Less(old.Item(), now.Item()))
		if !visit(old.Item(), now.Item(), inOld, inNow) {
			return false
		}
		if inOld {
			moreOld = old.Next()
		}
		if inNow {
			moreNow = now.Next()
		}
	}
	return true
}
