package sim

import (
	"iter"
	"time"

	"github.com/tidwall/btree"
)

// Change is a row that differs between two worlds. Before and After are rows of the same table, such as *User or
// *Group. One of them is nil if only one world has the row.
type Change struct {
	Row           string // the name of the row: its table and its key, as a path
	Before, After any
}

// versions are two worlds that a diff compares, each at its own time.
type versions struct {
	before, after *World
	then, now     time.Time
}

// Diff yields the rows that differ between an earlier world at the time then, and this world at the time now. They come
// table by table, and in the order of their keys. The effort grows with the size of the tables that were written to.
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
	return s.isShared(between.before, between.after) || s.diffRows(between, s.isSame, yield)
}

// diffRows yields the rows that only one of two worlds has, and the rows that aren't the same. It returns false if
// yield did.
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

// walk visits the rows of two trees by key. It visits a key once, with the rows of the trees that have it. It returns
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
