package explore

import (
	"fmt"
	"maps"
	"slices"
)

// comparison is what the end of a run is, beside that of the undisturbed one.
type comparison struct {
	verdict     Verdict
	differences []string
}

// Bounds of what a report says about the end of a run.
const maxDifferences = 20

// compare judges the end of a run.
func compare(undisturbed, of end) comparison {
	moving := maps.Clone(undisturbed.moving)
	maps.Copy(moving, of.moving)
	want, got := undisturbed.lines(moving), of.lines(moving)
	missing, more := subtract(want, got), subtract(got, want)
	c := comparison{differences: describe(missing, more)}
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
func describe(missing, more []line) []string {
	texts := []string{}
	for _, m := range missing {
		at := slices.IndexFunc(more, func(l line) bool { return !l.isNew && !m.isNew && l.place == m.place })
		if at < 0 {
			texts = append(texts, "missing: "+short(m.text))
			continue
		}
		texts = append(texts, differently(m.row, more[at].row)...)
		more = slices.Delete(slices.Clone(more), at, at+1)
	}
	for _, l := range more {
		texts = append(texts, "besides: "+short(l.text))
	}
	if rest := len(texts) - maxDifferences; rest > 0 {
		texts = append(texts[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", rest))
	}
	return texts
}

// differently says in which members a row differs from what it is in the undisturbed run.
func differently(want, got row) (texts []string) {
	switch {
	case want.after == nil:
		return []string{"besides: " + short(want.place) + " is still there"}
	case got.after == nil:
		return []string{"besides: " + short(want.place) + " is gone"}
	}
	for _, name := range apart(want.after, got.after) {
		texts = append(texts, fmt.Sprintf("different: %s has %s %s instead of %s", want.place, name, short(valueAt(got.after, name)), short(valueAt(want.after, name))))
	}
	return texts
}
