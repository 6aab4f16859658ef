package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// withRefusals returns a text with the placeholders {refused} and {RULE} replaced by the entry's refusals in a dialect.
func (e *Entry) withRefusals(text string, d sim.Dialect) string {
	before, rest, found := strings.Cut(text, "{")
	if !found {
		return text
	}
	name, after, _ := strings.Cut(rest, "}")
	var all []Refusal
	for _, r := range refusalsOf(e.Part(), d) {
		if r.Entry == e && (name == "refused" || name == string(r.Rule)) {
			all = append(all, r)
		}
	}
	replacement := "{" + name + "}" // braces without a refusal belong to the text
	if all != nil {
		replacement = describe(all)
	}
	return before + replacement + e.withRefusals(after, d)
}

// refusalsOf returns the refusals of the family that has a part of the ledger, or the common refusals.
func refusalsOf(part string, d sim.Dialect) []Refusal {
	for _, f := range In(d).Families {
		if slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Name == part }) {
			return f.Refusals
		}
	}
	return commonRefusals
}

// describe lists the statuses and codes of refusals, each once, such as "400 2000 or 2004, 500 2001".
func describe(all []Refusal) string {
	var statuses []int
	codes := map[int][]string{}
	for _, r := range all {
		if !slices.Contains(statuses, r.Status) {
			statuses = append(statuses, r.Status)
		}
		if !slices.Contains(codes[r.Status], r.Code) {
			codes[r.Status] = append(codes[r.Status], r.Code)
		}
	}
	var texts []string
	for _, s := range statuses {
		own := codes[s]
		last := len(own) - 1
		text := own[last]
		if last > 0 {
			text = strings.Join(own[:last], ", ") + " or " + text
		}
		texts = append(texts, fmt.Sprintf("%d %s", s, text))
	}
	return strings.Join(texts, ", ")
}
