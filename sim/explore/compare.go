package explore

import (
	"fmt"
	"maps"
	"slices"
)

// comparison is what the end of a run is, beside that of the undisturbed one.
type comparison struct {
	verdict     Verdict
	differences []string // each in a line
	left        []string // the same, in few words
}

// Bounds of what a report says about the end of a run.
const (
	maxDifferences = 20
	maxLeft        = 3
)

// compare judges the end of a run.
func compare(undisturbed, of end) comparison {
	moving := maps.Clone(undisturbed.moving)
	maps.Copy(moving, of.moving)
	want, got := undisturbed.lines(moving), of.lines(moving)
	missing, more := subtract(want, got), subtract(got, want)
	c := comparison{differences: []string{}}
	c.describe(missing, more)
	again := func(l line) bool {
		return slices.ContainsFunc(want, func(w line) bool { return w.text == l.text })
	}
	switch {
	case len(missing) == 0 && len(more) == 0:
		c.verdict = Completed
	case len(got) == 0:
		c.verdict = NothingHappened
	case len(missing) == 0 && all(more, again):
		c.verdict = DoneTwice
	default:
		c.verdict = HalfDone
	}
	return c
}

func all(lines []line, holds func(line) bool) bool {
	return !slices.ContainsFunc(lines, func(l line) bool { return !holds(l) })
}

// subtract returns the lines of a list that another one doesn't have, or not as often.
func subtract(from, lines []line) []line {
	counts := map[string]int{}
	for _, l := range lines {
		counts[l.text]++
	}
	var rest []line
	for _, l := range from {
		if counts[l.text]--; counts[l.text] < 0 {
			rest = append(rest, l)
		}
	}
	return rest
}

// describe says what is missing in the end of a run, what is different, and what is there besides.
func (c *comparison) describe(missing, more []line) {
	for _, m := range missing {
		at := slices.IndexFunc(more, func(l line) bool { return !l.isNew && !m.isNew && l.place == m.place })
		if at < 0 {
			c.note("missing: "+m.text, m.what()+" is missing")
			continue
		}
		c.differ(m.row, more[at].row)
		more = slices.Delete(slices.Clone(more), at, at+1)
	}
	for _, l := range more {
		c.note("besides: "+l.text, l.what()+" is there besides")
	}
	if rest := len(c.differences) - maxDifferences; rest > 0 {
		c.differences = append(c.differences[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", rest))
	}
	if rest := len(c.left) - maxLeft; rest > 0 {
		c.left = append(c.left[:maxLeft:maxLeft], fmt.Sprintf("and %d more", rest))
	}
}

// note notes a difference, and the same in few words.
func (c *comparison) note(difference, left string) {
	c.differences, c.left = append(c.differences, short(difference)), append(c.left, short(left))
}

// differ notes in which members a row differs from what it is in the undisturbed run.
func (c *comparison) differ(want, got row) {
	switch {
	case want.after == nil:
		c.note("besides: "+want.place+" is still there", want.place+" is still there")
		return
	case got.after == nil:
		c.note("besides: "+want.place+" is gone", want.place+" is gone")
		return
	}
	for _, name := range apart(want.after, got.after) {
		c.note(fmt.Sprintf("different: %s has %s %s instead of %s", want.place, name, short(valueAt(got.after, name)), short(valueAt(want.after, name))),
			want.place+" has another "+name)
	}
}
