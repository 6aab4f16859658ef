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

// versions are two worlds that a diff compares, each at its own time.
type versions struct {
	before, after *World
	then, now     time.Time
}

// Diff yields the rows in which this world, at a time, differs from an earlier one, at its own time: table by table, by
// key. It takes time in proportion to the rows of the tables that were written to, in both.
func (w *World) Diff(now time.Time, before *World, then time.Time) iter.Seq[Change] {
	between := versions{before, w, then, now}
	return func(yield func(Change) bool) {
		for _, t := range tables {
			if !t.yieldDiff(between, yield) {
				return
			}
		}
	}
}

func (s *tableSpec[R]) yieldDiff(between versions, yield func(Change) bool) bool {
	switch {
	case s.isInternal:
		return true
	case s.diff != nil:
		return s.diff(s, between, yield)
	}
	return s.isShared(between.before, between.after) || s.diffRows(between, s.same, yield)
}

// diffRows yields the rows in which two worlds differ, as a comparison of rows says. It returns false if yield did.
func (s *tableSpec[R]) diffRows(between versions, same func(a, b *R) bool, yield func(Change) bool) bool {
	old, now := s.in(between.before).tree, s.in(between.after).tree
	return walk(old, now, func(old, now *R, inOld, inNow bool) bool {
		switch {
		case !inNow:
			return yield(Change{Row: rowName(old), Before: old})
		case !inOld:
			return yield(Change{Row: rowName(now), After: now})
		case !same(old, now):
			return yield(Change{Row: rowName(now), Before: old, After: now})
		}
		return true
	})
}

// rowName returns the name of a row that a diff shows.
func rowName(r any) string { return r.(row).Row() }

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
