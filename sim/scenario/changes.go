package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Changes says in a line what a scenario changes of those that it extends: "to retail: adds 1 user, changes 2 switches, removes 23
// groups". It is empty for one that extends nothing, or changes nothing.
func (s *Scenario) Changes() (string, error) {
	differences, parents, err := s.found.changes()
	if err != nil {
		return "", err
	}
	var done []string
	for _, verb := range []struct{ past, present string }{{verbAdded, "adds "}, {verbChanged, "changes "}, {verbRemoved, "removes "}} {
		var things []string
		for _, t := range Tallies(differences) {
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
	return fmt.Sprintf("to %s: %s", and(parents), strings.Join(done, ", ")), nil
}

// changes returns the differences between a valid scenario and what it extends, and the names of that. These are none for one that
// extends nothing.
func (f found) changes() (differences []Difference, parents []string, err error) {
	r := newReport(f.file)
	r.builtIn = f.builtIn
	top := f.layers(r)
	if top == nil {
		return nil, nil, r.err()
	}
	order := top.order()
	base := r.merged(order[:len(order)-1])
	if base == nil {
		return nil, nil, nil
	}
	for _, p := range top.parents {
		if !slices.Contains(parents, p.name.Value) {
			parents = append(parents, p.name.Value)
		}
	}
	root := r.over(base, top)
	for _, key := range own {
		remove(root, key)
	}
	c := comparison{sides: [2]*report{r, r}}
	c.mappings(point{}, base, root, compiled().Schema)
	return c.found, parents, nil
}
