package scenario

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// own explains the problems at nodes of the top layer: it names inherited values beside what is written there without which
// there is no problem, and reports what is missing where it was removed.
func (c conflicts) own(problems []located) Problems {
	if c.isJoined() {
		return c.ownOfJoined(problems)
	}
	var all Problems
	var alone map[spot]bool // what is wrong with the top layer without what it extends: its own mistakes
	for _, p := range problems {
		if alone == nil {
			alone, _ = c.trials.try(c.top.root)
			if alone == nil {
				return c.report.inPlace(problems)
			}
		}
		at, message := p.at, p.message
		switch {
		case alone[c.report.spot(p.at)]:
		default:
			if beside := c.beside(p); beside != "" {
				message += beside
			} else if cause, ok := c.removal(p); ok {
				at = cause.at()
			}
		}
		all = append(all, c.report.problem(at, message))
	}
	return all
}

// ownOfJoined explains the problems of a layer beside others that it doesn't extend: those that it has alone, too, are its own.
func (c conflicts) ownOfJoined(problems []located) Problems {
	if len(problems) == 0 {
		return nil
	}
	order := c.top.order()
	merged := c.report.merged(order)
	before := c.trials.of(merged)
	alone, wanted := c.trials.spots(before), c.trials.spots(problems)
	before = slices.DeleteFunc(before, func(p located) bool { return !wanted[c.report.spot(p.at)] })
	all := c.report.explained(order, len(order), merged, before, c.trials)
	for _, p := range problems {
		if !alone[c.report.spot(p.at)] {
			at, what := c.joined()
			all = append(all, c.report.problem(at, fmt.Sprintf("%s doesn't fit what is named before it: %s:%d: %s", what, c.report.fileOf(p.at), p.at.Line, p.message)))
		}
	}
	return all
}

// removal returns the change that removes what a mapping or a list lacks.
func (c conflicts) removal(p located) (change, bool) {
	if p.at.Kind == yaml.ScalarNode || contains(c.top.root, p.at) && p.at != c.root {
		return change{}, false
	}
	cause := c.narrow(change{node: c.top.root}, "", c.report.spot(p.at))
	return cause, cause.node != c.top.root && cause.removes()
}

// contains reports whether a node is in a tree.
func contains(tree, n *yaml.Node) bool {
	return tree == n || slices.ContainsFunc(tree.Content, func(inner *yaml.Node) bool { return contains(inner, n) })
}

// levels is how many mappings around a problem are looked at.
const levels = 3

// beside describes the inherited values in the mappings around a problem without which it is gone, and how to remove them.
func (c conflicts) beside(p located) string {
	way := wayTo(c.root, p.at)
	mappings := []*yaml.Node{p.at}
	for i := len(way) - 1; i >= 0; i-- {
		mappings = append(mappings, way[i].container)
	}
	looked := 0
	for i, mapping := range mappings {
		if looked == levels || mapping == c.root {
			break
		}
		if mapping.Kind == yaml.MappingNode {
			looked++
			if text := c.besideIn(mapping, p); text != "" {
				return text
			}
		}
		if i+1 < len(mappings) && mappings[i+1].Kind == yaml.SequenceNode {
			break // what is around an item is about others, too
		}
	}
	return ""
}

func (c conflicts) besideIn(mapping *yaml.Node, p located) string {
	var inherited []entryOf
	for i := 0; i < len(mapping.Content); i += 2 {
		if value := mapping.Content[i+1]; c.report.originOf(value) != c.top.from {
			inherited = append(inherited, entryOf{mapping, i})
		}
	}
	if len(inherited) == 0 || !c.cures(inherited, p) {
		for i := range inherited { // one of them may be needed
			if c.cures(inherited[i:i+1], p) {
				return c.describe(mapping, inherited[i:i+1])
			}
		}
		return ""
	}
	for i := range inherited {
		if c.cures(inherited[i:i+1], p) {
			return c.describe(mapping, inherited[i:i+1])
		}
	}
	return c.describe(mapping, inherited)
}

// describe says where entries of a mapping are inherited from, what it is with them, and how to remove them.
func (c conflicts) describe(mapping *yaml.Node, inherited []entryOf) string {
	var names, lines, nulls []string
	for _, e := range inherited {
		names = append(names, e.key().Value)
		if line := fmt.Sprintf("%s:%d", c.report.fileOf(e.value()), e.value().Line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		nulls = append(nulls, e.key().Value+": null")
	}
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	return fmt.Sprintf(" (%s %s inherited from %s, so the whole is %s: remove what is inherited with %s)",
		and(names), verb, places(lines), inline("", mapping), and(nulls))
}

// cure returns how to remove an inherited value, or the item that it is in, so that a problem is gone and no other appears; empty:
// there is no such way. After a removal, an item is removed rather than a value in it.
func (c conflicts) cure(p located, removal bool) string {
	way := wayTo(c.root, p.at)
	var items, entries []int
	for i := len(way) - 1; i >= 0 && c.report.originOf(way[i].value()) != c.top.from; i-- {
		if way[i].isItem() {
			items = append(items, i)
		} else {
			entries = append(entries, i)
		}
	}
	tried := slices.Concat(entries, items)
	if removal {
		tried = slices.Concat(items, entries)
	}
	for _, i := range tried {
		if remedy := removing(way[:i+1]); remedy != "" && c.cures(way[i:i+1], p) {
			return remedy
		}
	}
	return ""
}

// removing returns what to write to remove the last entry of a way: from the innermost item on, that can be identified.
func removing(way []entryOf) string {
	last := way[len(way)-1]
	text := ""
	if last.isItem() {
		text = removeKey + ": true"
	} else {
		text = last.key().Value + ": null"
	}
	for i := len(way) - 1; i >= 0; i-- {
		if !way[i].isItem() {
			if i < len(way)-1 {
				text = way[i].key().Value + ": {" + text + "}"
			}
			continue
		}
		if i == 0 || way[i-1].isItem() {
			return ""
		}
		list := way[i-1].key().Value
		if len(keyed[list].of(way[i].value())) == 0 || i+1 < len(way) && keyed[list].identifies(way[i+1].key().Value) {
			return ""
		}
		return fmt.Sprintf("- {%s, %s} in %s", identifying(way[i].value(), keyed[list]), text, list)
	}
	return text
}

// identifying returns the keys that identify an item, in flow style. A secret is shortened to three dots.
func identifying(item *yaml.Node, by identity) string {
	var parts []string
	for i := 0; i < len(item.Content); i += 2 {
		if key := item.Content[i].Value; by.identifies(key) {
			parts = append(parts, key+": "+inline(key, item.Content[i+1]))
		}
	}
	return strings.Join(parts, ", ")
}

// cures reports whether a problem is gone, and no other appears, without some entries of one container.
func (c conflicts) cures(entries []entryOf, p located) bool {
	problems, ok := c.trials.try(withoutEntries(c.root, entries, c.trials))
	if !ok || problems[c.report.spot(p.at)] {
		return false
	}
	for at := range problems {
		if !c.problems[at] && !c.before[at] {
			return false
		}
	}
	return true
}

// withoutEntries returns a tree without some entries of one container. It shares what is outside the way to that.
func withoutEntries(root *yaml.Node, entries []entryOf, t *trials) *yaml.Node {
	container := entries[0].container
	if root == container {
		kept := t.report.emptied(root)
		for i, n := range root.Content {
			if !slices.ContainsFunc(entries, func(e entryOf) bool { return i == e.index || !e.isItem() && i == e.index+1 }) {
				kept.Content = append(kept.Content, n)
			}
		}
		return kept
	}
	for i, inner := range root.Content {
		if len(inner.Content) > 0 {
			if changed := withoutEntries(inner, entries, t); changed != inner {
				kept := t.report.emptied(root)
				kept.Content = slices.Clone(root.Content)
				kept.Content[i] = changed
				return kept
			}
		}
	}
	return root
}

// places lists lines, of many only the first ones.
func places(lines []string) string {
	const most = 3
	if more := len(lines) - most; more > 0 {
		return strings.Join(lines[:most], ", ") + fmt.Sprintf(" and %d more lines", more)
	}
	return and(lines)
}

// and lists texts: a, b and c.
func and(texts []string) string {
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
	return texts[0]
}

// inline returns a value on one line, shortened if it is long. Secrets are three dots.
func inline(key string, n *yaml.Node) string {
	var text strings.Builder
	writeInline(&text, key, n)
	return phrase.Shorten(text.String())
}

func writeInline(to *strings.Builder, key string, n *yaml.Node) {
	const enough = 1000 // bytes: more isn't shown
	switch {
	case to.Len() > enough:
	case n.Kind == yaml.MappingNode:
		to.WriteString("{")
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				to.WriteString(", ")
			}
			name := n.Content[i].Value
			to.WriteString(scalarText(name) + ": ")
			writeInline(to, name, n.Content[i+1])
		}
		to.WriteString("}")
	case n.Kind == yaml.SequenceNode:
		to.WriteString("[")
		for i, item := range n.Content {
			if i > 0 {
				to.WriteString(", ")
			}
			writeInline(to, "", item)
		}
		to.WriteString("]")
	case secretKeys[key]:
		to.WriteString("…")
	case n.Tag == "!!str":
		to.WriteString(scalarText(n.Value))
	default:
		to.WriteString(n.Value)
	}
}
