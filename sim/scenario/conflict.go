package scenario

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// What is wrong with a merged scenario may be nobody's mistake alone: a scenario changes or removes what an inherited value needs.
// Such a problem is reported where the author can mend it, which is found by trying: a change without which the problem is gone
// is its cause, and an inherited value without which it is gone, and no other appears, is one that can be removed as a cure. This
// is done for bad scenarios only.

// located is a problem at a node of a merged tree.
type located struct {
	at      *yaml.Node
	message string
}

// conflicts explains the problems of a scenario with what it extends.
type conflicts struct {
	report *report
	whole  []*layer   // all that make up the scenario that is loaded
	top    *layer     // the one whose changes are tried
	base   *yaml.Node // what it extends, merged; nil: nothing
	root   *yaml.Node // both, merged

	problems map[spot]bool // of the root
	before   map[spot]bool // of the base
	trials   *trials
}

// blame explains the problems of a merged tree from the given one on.
func (r *report) blame(from int, order []*layer, root *yaml.Node) {
	if len(r.problems) > maxProblems {
		return // explaining so many takes time, and most are cut off
	}
	var problems []located
	for i := from; i < len(r.problems); i++ {
		if at := r.nodes[i]; at != nil {
			problems = append(problems, located{at, r.problems[i].Message})
		}
	}
	if len(problems) < len(r.problems)-from {
		return
	}
	r.problems = append(r.problems[:from:from], r.explained(order, len(order), root, problems, newTrials(r, root))...)
	r.nodes = nil
}

// explained returns the problems of the first layers of an order, merged, each where its cause is.
func (r *report) explained(order []*layer, first int, root *yaml.Node, problems []located, t *trials) Problems {
	c := conflicts{report: r, whole: order, top: order[first-1], base: r.merged(order[:first-1]), root: root, problems: t.spots(problems), trials: t}
	if c.base == nil || len(problems) == 0 {
		return r.inPlace(problems)
	}
	before := t.of(c.base)
	here := t.spots(before)
	c.before = here
	var earlier, inherited, own []located
	for _, p := range problems {
		switch {
		case r.originOf(p.at) == c.top.from:
			own = append(own, p)
		case here[r.spot(p.at)]:
			earlier = append(earlier, p)
		default:
			inherited = append(inherited, p)
		}
	}
	// What is wrong without this scenario, too, is explained as if it weren't there.
	wanted := t.spots(earlier)
	before = slices.DeleteFunc(before, func(p located) bool { return !wanted[r.spot(p.at)] })
	explained := r.explained(order, first-1, c.base, before, t)
	return slices.Concat(explained, c.inherited(inherited), c.own(own))
}

// inPlace returns problems where they are.
func (r *report) inPlace(problems []located) Problems {
	var all Problems
	for _, p := range problems {
		all = append(all, r.problem(p.at, p.message))
	}
	return all
}

func (r *report) problem(at *yaml.Node, message string) Problem {
	return Problem{r.fileOf(at), max(at.Line, 1), max(at.Column, 1), message}
}

// change is a value, or an item of a list, that a scenario writes.
type change struct {
	key  *yaml.Node // of the value, or of its list
	node *yaml.Node
	item bool // whether it is an item
}

// at returns the node at which a change is reported: an author looks for a mapping or a list at its key.
func (c change) at() *yaml.Node {
	if c.node.Kind != yaml.ScalarNode && c.key != nil && !c.item {
		return c.key
	}
	return c.node
}

// removes reports whether the change takes away what is inherited.
func (c change) removes() bool {
	return c.node.Tag == "!!null" || marked(c.node, removeKey) || marked(c.node, replaceKey)
}

// String names the change: users: null.
func (c change) String() string {
	switch {
	case c.node.Tag == "!!null" && c.key != nil:
		return c.key.Value + ": null"
	case marked(c.node, removeKey):
		return removeKey + ": true"
	case marked(c.node, replaceKey):
		return replaceKey + ": true"
	case c.item && c.key != nil:
		return "this item of " + c.key.Value
	case c.key != nil:
		return c.key.Value
	}
	return "this"
}

// inherited explains problems at inherited nodes that are fine without the top layer: each is reported at the change that causes
// it, together with others that say the same.
func (c conflicts) inherited(problems []located) Problems {
	type group struct {
		at    *yaml.Node
		what  string
		gone  bool // whether it removes something
		first located
		lines []string
	}
	var groups []*group
	for _, p := range problems {
		at, what, gone := c.cause(p)
		line := fmt.Sprintf("%s:%d", c.report.fileOf(p.at), p.at.Line)
		same := slices.IndexFunc(groups, func(g *group) bool { return g.at == at && g.what == what && g.first.message == p.message })
		if same < 0 {
			groups = append(groups, &group{at, what, gone, p, []string{line}})
		} else if !slices.Contains(groups[same].lines, line) {
			groups[same].lines = append(groups[same].lines, line)
		}
	}
	var all Problems
	for _, g := range groups {
		cure := ""
		if remedy := c.cure(g.first, g.gone); remedy != "" {
			cure = fmt.Sprintf(" (to remove what is inherited: %s)", remedy)
		}
		all = append(all, c.report.problem(g.at, fmt.Sprintf("%s doesn't fit what is inherited from %s: %s%s", g.what, places(g.lines), g.first.message, cure)))
	}
	return all
}

// cause returns the node to report a problem at, what is there, and whether that removes something.
func (c conflicts) cause(p located) (at *yaml.Node, what string, removal bool) {
	if c.isJoined() {
		at, what = c.joined()
		return at, what, false
	}
	cause := c.narrow(change{node: c.top.root}, "", c.report.spot(p.at))
	if cause.node == c.top.root {
		cause = c.nearest(p.at)
	}
	return cause.at(), cause.String(), cause.removes()
}

// isJoined reports whether what comes before the top layer isn't all extended by it, but named before it by another one.
func (c conflicts) isJoined() bool { return len(c.top.order()) < slices.Index(c.whole, c.top)+1 }

// joined returns where another scenario names the top layer beside others that it doesn't extend.
func (c conflicts) joined() (at *yaml.Node, what string) {
	before := c.whole[:slices.Index(c.whole, c.top)+1]
	for _, l := range c.whole[len(before):] {
		order := l.order()
		if slices.ContainsFunc(before, func(b *layer) bool { return !slices.Contains(order, b) }) {
			continue
		}
		for _, p := range l.parents {
			if slices.Contains(p.order(), c.top) {
				return p.name, p.name.Value
			}
		}
	}
	return c.top.root, "this"
}

// narrow returns the innermost change without which a problem is gone, from a change on of which that is known. The list is that
// of which the change is an item.
func (c conflicts) narrow(of change, list string, problem spot) change {
	changes := c.changes(of, list)
	if of.item && of.removes() || len(changes) == 0 {
		return of
	}
	for len(changes) > 1 {
		half := changes[:len(changes)/2]
		if !c.goneWithout(half, problem) {
			if half = changes[len(changes)/2:]; !c.goneWithout(half, problem) {
				return of // several changes together
			}
		}
		changes = half
	}
	if !c.goneWithout(changes, problem) {
		return of
	}
	inner := changes[0]
	list = ""
	if inner.item && of.key != nil {
		list = of.key.Value
	}
	return c.narrow(inner, list, problem)
}

// changes returns the changes in a change. What identifies an item is none.
func (c conflicts) changes(of change, list string) []change {
	var all []change
	switch of.node.Kind {
	case yaml.SequenceNode:
		for _, item := range of.node.Content {
			all = append(all, change{of.key, item, true})
		}
	case yaml.MappingNode:
		for i := 0; i < len(of.node.Content); i += 2 {
			key, value := of.node.Content[i], of.node.Content[i+1]
			if of.node == c.top.root && slices.Contains(own, key.Value) || keyed[list].identifies(key.Value) {
				continue
			}
			all = append(all, change{key, value, false})
		}
	}
	return all
}

// goneWithout reports whether a problem is gone without some changes.
func (c conflicts) goneWithout(changes []change, problem spot) bool {
	ignored := map[*yaml.Node]bool{}
	for _, change := range changes {
		ignored[change.node] = true
	}
	merged := merger{report: c.trials.scratch(), ignored: ignored}.mappings(nil, c.base, c.top.root)
	problems, ok := c.trials.try(merged)
	return ok && !problems[problem]
}

// nearest returns the innermost change in which a node of the root is, or else extends.
func (c conflicts) nearest(n *yaml.Node) change {
	nearest := change{node: c.top.root}
	if c.top.extends != nil {
		nearest = change{node: c.top.extends}
	}
	way := wayTo(c.root, n)
	for i, step := range way {
		if c.report.originOf(step.value()) != c.top.from {
			continue
		}
		nearest = change{step.key(), step.value(), step.isItem()}
		if step.isItem() && i > 0 {
			nearest.key = way[i-1].key()
		}
	}
	return nearest
}
