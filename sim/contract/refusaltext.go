package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// withRefusals returns a text of the entry with the refusals of a dialect in place of {refused} and {RULE}.
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
	said := "{" + name + "}" // part of the text itself
	if all != nil {
		said = describe(all)
	}
	return before + said + e.withRefusals(after, d)
}

// refusalsOf returns the refusals that the entries of a part of the ledger describe in a dialect.
func refusalsOf(part string, d sim.Dialect) []Refusal {
	for _, f := range In(d).Families {
		if slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Name == part }) {
			return f.Refusals
		}
	}
	return commonRefusals
}

// describe lists the statuses and codes of refusals, each status once: STATUS CODE, CODE or CODE.
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
		of := codes[s]
		last := len(of) - 1
		text := of[last]
		if last > 0 {
			text = strings.Join(of[:last], ", ") + " or " + text
		}
		texts = append(texts, fmt.Sprintf("%d %s", s, text))
	}
	return strings.Join(texts, ", ")
}
