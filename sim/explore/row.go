package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// row is a row in which the bank differs from its start at the end of a run, up to generated ids, tokens and times.
type row struct {
	place  string // its table and its key, without the id of a row that is new
	before any    // members; nil: it was not there
	after  any    // members; nil: it is not there any more
	text   string // all of it, in a line
}

// newRows returns the rows that count. An issued grant doesn't: an app that logs in again is fine. Nor does what jobs do once they
// have begun, as it depends on the time.
func newRows(changes []Change, t trace) []row {
	names := maps.Clone(t.names)
	for _, c := range changes {
		if id, isGroup := strings.CutPrefix(c.Row, "groups/"); isGroup && c.Before == nil {
			names[id[strings.LastIndex(id, "/")+1:]] = fmt.Sprintf("(the new group %v)", steadyValue(c.After["groupName"], t.names))
		}
	}
	var rows []row
	for _, c := range changes {
		table, _, _ := strings.Cut(c.Row, "/")
		isNew, isGone := c.Before == nil, c.After == nil
		if table == "participants" || table == "jobs" && !isNew && !isGone || table == "grants" && (isNew || isGone) {
			continue
		}
		r := row{place: c.Row}
		if isNew {
			r.place = c.Row[:max(strings.LastIndex(c.Row, "/"), 0)]
		} else {
			r.before = steadyValue(c.Before, names)
		}
		if !isGone {
			r.after = steadyValue(c.After, names)
		}
		if r.text = r.describe(); r.text != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// describe returns the row in a line; empty: nothing in it differs that counts, as where an app takes back what it did.
func (r row) describe() string {
	switch {
	case r.after == nil:
		return "the end of " + r.place
	case r.before == nil:
		return r.what() + " " + encode(r.after)
	}
	var changed []string
	after := leavesOf(r.after)
	for _, name := range apart(leavesOf(r.before), after) {
		changed = append(changed, name+" "+after.value(name))
	}
	if len(changed) == 0 {
		return ""
	}
	return r.what() + " with " + strings.Join(changed, ", ")
}

func (r row) what() string {
	if r.before == nil {
		return "a new row of " + r.place
	}
	return r.place
}

// maxDifferences bounds what a report says about the end of a run.
const maxDifferences = 20

// compare judges the end of a run beside that of the undisturbed one, and returns in which rows they differ, each in a line.
func compare(want, got []row) (verdict Verdict, differences []string) {
	textOf := func(r row) string { return r.text }
	missing, more := subtract(want, got, textOf), subtract(got, want, textOf)
	isUnwanted := func(r row) bool { return !slices.ContainsFunc(want, func(w row) bool { return w.text == r.text }) }
	switch {
	case len(missing) == 0 && len(more) == 0:
		return Completed, []string{}
	case len(got) == 0:
		verdict = NothingHappened
	case len(missing) == 0 && !slices.ContainsFunc(more, isUnwanted):
		verdict = DoneTwice
	default:
		verdict = HalfDone
	}
	for _, m := range missing {
		at := slices.IndexFunc(more, func(r row) bool { return r.what() == m.what() && r.after != nil && m.after != nil })
		if at < 0 {
			differences = append(differences, short("missing: "+m.text))
			continue
		}
		one, other := leavesOf(m.after), leavesOf(more[at].after)
		for _, name := range apart(one, other) {
			differences = append(differences,
				fmt.Sprintf("different: %s has %s %s instead of %s", m.what(), name, other.value(name), one.value(name)))
		}
		more = slices.Delete(more, at, at+1)
	}
	for _, r := range more {
		differences = append(differences, short("besides: "+r.text))
	}
	return verdict, firstOf(differences, maxDifferences)
}

// subtract returns the elements of a list that another one doesn't have, or not as often, by a text of each.
func subtract[T any](from, other []T, text func(T) string) (rest []T) {
	counts := map[string]int{}
	for _, e := range other {
		counts[text(e)]++
	}
	for _, e := range from {
		if counts[text(e)]--; counts[text(e)] < 0 {
			rest = append(rest, e)
		}
	}
	return rest
}

// firstOf returns the first lines of many, and how many more there are.
func firstOf(lines []string, most int) []string {
	if more := len(lines) - most; more > 0 {
		return append(lines[:most:most], fmt.Sprintf("and %d more", more))
	}
	return lines
}
