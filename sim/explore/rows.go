package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// row is a row that differs from the start of its bank at the end of a run. Ids, tokens and times are normalized.
type row struct {
	name   string // its table and its key, without the last part of the key if the row is new
	before any    // nil if the row is new
	after  any    // nil if the row is deleted
	text   string // all of it in one line
}

// newRows returns the rows that count. An issued token doesn't count, because an app may sign in again. What a job does
// once it has begun doesn't count, because it depends on the time.
func newRows(changes []Change, t trace) []row {
	names := maps.Clone(t.names)
	for _, c := range changes {
		if key, isGroup := strings.CutPrefix(c.Row, "groups/"); isGroup && c.Before == nil {
			id := key[strings.LastIndex(key, "/")+1:]
			names[id] = fmt.Sprintf("(the new group %v)", normalizeValue(c.After["groupName"], t.names))
		}
	}
	var rows []row
	for _, c := range changes {
		table, _, _ := strings.Cut(c.Row, "/")
		isNew, isDeleted := c.Before == nil, c.After == nil
		isChanged := !isNew && !isDeleted
		switch {
		case table == "participants", table == "jobs" && isChanged, table == "grants" && !isChanged:
			continue
		}
		r := row{name: c.Row}
		if isNew {
			r.name = "a new row of " + c.Row[:max(strings.LastIndex(c.Row, "/"), 0)]
		} else {
			r.before = normalizeValue(c.Before, names)
		}
		if !isDeleted {
			r.after = normalizeValue(c.After, names)
		}
		if r.text = r.describe(); r.text != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// describe returns the row in one line. It returns "" if nothing differs that counts.
func (r row) describe() string {
	switch {
	case r.after == nil:
		return "the end of " + r.name
	case r.before == nil:
		return r.name + " " + encode(r.after)
	}
	var changed []string
	after := membersOf(r.after)
	for _, name := range differing(membersOf(r.before), after) {
		changed = append(changed, name+" "+after.text(name))
	}
	if len(changed) == 0 {
		return ""
	}
	return r.name + " with " + strings.Join(changed, ", ")
}

// maxDifferences bounds what a report says about the end of a run (choice).
const maxDifferences = 20

// compareRows compares the end of a run with the end of the undisturbed run. It returns the differences, each in a
// line.
func compareRows(undisturbed, end []row) (verdict Verdict, differences []string) {
	text := func(r row) string { return r.text }
	missing, extra := subtract(undisturbed, end, text), subtract(end, undisturbed, text)
	isUnknown := func(r row) bool {
		return !slices.ContainsFunc(undisturbed, func(known row) bool { return known.text == r.text })
	}
	switch {
	case len(missing) == 0 && len(extra) == 0:
		return Completed, []string{}
	case len(end) == 0:
		verdict = NothingHappened
	case len(missing) == 0 && !slices.ContainsFunc(extra, isUnknown):
		verdict = DoneTwice
	default:
		verdict = HalfDone
	}
	for _, m := range missing {
		at := slices.IndexFunc(extra, func(r row) bool { return r.name == m.name && r.after != nil && m.after != nil })
		if at < 0 {
			differences = append(differences, shorten("missing: "+m.text))
			continue
		}
		want, got := membersOf(m.after), membersOf(extra[at].after)
		for _, name := range differing(want, got) {
			differences = append(differences,
				fmt.Sprintf("different: %s has %s %s instead of %s", m.name, name, got.text(name), want.text(name)))
		}
		extra = slices.Delete(extra, at, at+1)
	}
	for _, r := range extra {
		differences = append(differences, shorten("besides: "+r.text))
	}
	return verdict, firstOf(differences, maxDifferences)
}
