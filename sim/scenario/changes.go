package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Changes says in a line what a scenario changes of those that it extends: "to retail: adds 1 user, changes 2 switches, removes 23
// groups". It is empty for one that extends nothing, or changes nothing.
func (s *Scenario) Changes() (string, error) {
	r := newReport(s.File)
	r.builtIn = s.found.builtIn
	top := s.found.layers(r)
	if top == nil {
		return "", r.err()
	}
	order := top.order()
	base := r.merged(order[:len(order)-1])
	if base == nil {
		return "", nil
	}
	root := r.over(base, top)
	for _, key := range own {
		remove(root, key)
	}
	c := comparison{sides: [2]*report{r, r}}
	c.mappings(point{}, base, root, compiled().Schema)
	var done []string
	for _, verb := range []struct{ past, present string }{{verbAdded, "adds "}, {verbChanged, "changes "}, {verbRemoved, "removes "}} {
		var things []string
		for _, t := range Tallies(c.found) {
			if t.Verb == verb.past {
				things = append(things, inNumbers(t.Count, t.Kind))
			}
		}
		if len(things) > 0 {
			done = append(done, verb.present+and(things))
		}
	}
	if len(done) == 0 {
		return "", nil
	}
	var parents []string
	for _, p := range top.parents {
		if !slices.Contains(parents, p.name.Value) {
			parents = append(parents, p.name.Value)
		}
	}
	return fmt.Sprintf("to %s: %s", and(parents), strings.Join(done, ", ")), nil
}
