package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Tally is how many things of a kind differ between two scenarios in the same way.
type Tally struct {
	Verb  string // added, changed or removed
	Kind  string // of one of them: user, account, switch, setting
	Count int
}

// String returns the tally as words: "2 users added".
func (t Tally) String() string { return inNumbers(t.Count, t.Kind) + " " + t.Verb }

// inNumbers returns a number of things of a kind: "1 switch", "2 alert preferences".
func inNumbers(count int, kind string) string {
	switch {
	case count == 1:
		return "1 " + kind
	case strings.HasSuffix(kind, "ch"):
		kind += "es"
	default:
		kind += "s"
	}
	return fmt.Sprintf("%d %s", count, kind)
}

// The verbs of tallies, in their order.
const (
	verbAdded   = "added"
	verbChanged = "changed"
	verbRemoved = "removed"
)

// Tallies counts differences by what they are about: rows that were added, changed or removed, switches and settings. A row
// with several changed values counts once. What was added comes first, then what changed, then what was removed; each in the
// order of the differences.
func Tallies(differences []Difference) []Tally {
	var each [3][]Tally
	rows := map[string]bool{} // those that were counted as changed
	for _, d := range differences {
		kind, at := d.kind(), slices.Index([]string{verbAdded, verbChanged, verbRemoved}, d.verb())
		if d.isRow() && d.Key != "" {
			if rows[d.Where] {
				continue
			}
			rows[d.Where] = true
		}
		same := slices.IndexFunc(each[at], func(t Tally) bool { return t.Kind == kind })
		if same < 0 {
			same = len(each[at])
			each[at] = append(each[at], Tally{Verb: d.verb(), Kind: kind})
		}
		each[at][same].Count++
	}
	return slices.Concat(each[:]...)
}

// Summarize says in a line what differs: "1 user added, 2 switches changed, 23 groups removed". It is empty if nothing does.
func Summarize(differences []Difference) string {
	var parts []string
	for _, t := range Tallies(differences) {
		parts = append(parts, t.String())
	}
	return strings.Join(parts, ", ")
}

// isRow reports whether the difference is about a row, rather than a block such as behavior.
func (d Difference) isRow() bool { return strings.Contains(d.Where, "/") }

// verb returns what happened to what the difference is about.
func (d Difference) verb() string {
	switch {
	case !d.isRow() || d.Key != "":
		return verbChanged
	case d.Before == nil:
		return verbAdded
	}
	return verbRemoved
}

// kind names what the difference is about: the row, a switch, or another setting.
func (d Difference) kind() string {
	list, _, row := strings.Cut(d.Where, "/")
	switch {
	case row:
		return keyed[list].what
	case d.Where == "behavior":
		return "switch"
	}
	return "setting"
}
