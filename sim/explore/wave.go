package explore

import "slices"

// wave are the runs that are to be made next. It holds no more than about twice as many as can be made, however many are planned, and in
// whichever order: those that come first in the report.
type wave struct {
	runs    []Run
	planned int  // how many were added
	cut     bool // whether there were more than can be made, without those that can't differ
}

// add adds a run, given how many can be made and the states of those that were made.
func (w *wave) add(r Run, room int, made map[[16]byte]bool) {
	w.runs = append(w.runs, r)
	w.planned++
	if len(w.runs) > 2*max(room, 100) {
		w.compact(room, made)
	}
}

// compact drops the runs that can't differ from one that is made or comes before them, and those that there is no room for.
func (w *wave) compact(room int, made map[[16]byte]bool) {
	slices.SortStableFunc(w.runs, func(a, b Run) int { return slices.Compare(a.place, b.place) })
	seen := map[[16]byte]bool{}
	w.runs = slices.DeleteFunc(w.runs, func(r Run) bool {
		double := made[r.state] || seen[r.state]
		seen[r.state] = true
		return double
	})
	if len(w.runs) > max(room, 0) {
		clear(w.runs[max(room, 0):])
		w.runs, w.cut = w.runs[:max(room, 0)], true
	}
}
