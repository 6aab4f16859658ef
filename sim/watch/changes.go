package watch

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Bounds of what the log says about a reload (choice).
const (
	maxCompared = 256 << 10 // bytes of both versions, because comparing takes about a hundred times as much for a moment
	maxValues   = 5         // changed values; of rows that were added or removed there are numbers only
	maxValue    = 40        // characters of a value
)

// changes says in a line what differs between two versions of a scenario: "1 user added, behavior groups.createStatus 200 ->
// 201". Nothing secret is in it.
func changes(before, after *scenario.Scenario) string {
	if before.Version == after.Version {
		return "none: the files are again as they were"
	}
	if size := before.SourceBytes() + after.SourceBytes(); size > maxCompared {
		return fmt.Sprintf("not compared: both versions together have more than %d KiB", maxCompared>>10)
	}
	differences, err := scenario.Compare(before, after)
	switch {
	case err != nil:
		return "not compared: " + err.Error()
	case len(differences) == 0:
		return "only comments or names"
	}
	return strings.Join(said(differences), ", ")
}

// said returns what to say about differences: numbers of rows, and the first values that have changed.
func said(differences []scenario.Difference) []string {
	var rows []scenario.Difference
	var values []string
	more := 0
	for _, d := range differences {
		switch {
		case d.Key == "" && strings.Contains(d.Where, "/"):
			rows = append(rows, d)
		case len(values) == maxValues:
			more++
		default:
			values = append(values, changed(d))
		}
	}
	var all []string
	if len(rows) > 0 {
		all = append(all, scenario.Summarize(rows))
	}
	all = append(all, values...)
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return all
}

// changed says what has become of a value.
func changed(d scenario.Difference) string {
	what := strings.TrimSpace(d.Where + " " + d.Key)
	if isHidden(d) {
		return what + " changed"
	}
	return what + " " + valueText(d.Before) + " -> " + valueText(d.After)
}

// private are beginnings of the keys of a fault whose values may be what clients send or get.
var private = []string{"when.request", "then.headers", "then.body", "then.error"}

// isHidden reports whether the values of a difference may be secrets, or personal.
func isHidden(d scenario.Difference) bool {
	if strings.HasPrefix(d.Where, "alertPreferences/") {
		return true
	}
	if strings.HasPrefix(d.Where, "faults/") {
		for _, key := range private {
			if strings.HasPrefix(d.Key, key) || strings.HasPrefix(key, d.Key+".") {
				return true
			}
		}
	}
	for _, side := range []*scenario.Said{d.Before, d.After} {
		if side != nil && strings.Contains(valueText(side), scenario.Hidden) {
			return true
		}
	}
	return false
}

// valueText returns a value as JSON, shortened if it is long.
func valueText(s *scenario.Said) string {
	if s == nil {
		return "(left out)"
	}
	text := string(wire.MustEncode(s.Value))
	if utf8.RuneCountInString(text) > maxValue {
		text = string([]rune(text)[:maxValue]) + "…"
	}
	return text
}
