package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// place is a value of a scenario, and what messages call it.
type place struct {
	at   *yaml.Node
	name string // the key, with the index in a list
	list string // the list of which it is an item; empty: it is none
}

// structure validates a tree with the schema. It reports what is wrong and marks the nodes: the tree without them fits the Go types.
func (r *report) structure(p place, must *part) {
	if must = must.resolved(); r.wrong[p.at] || r.full() {
		return
	}
	if must.AnyOf != nil {
		one := must.alternative(p.at)
		if one == nil {
			r.noAlternative(p, must)
			return
		}
		must = one
	}
	at, name := p.at, p.name
	if isOperation := name == "operation" || strings.HasPrefix(name, "operation["); isOperation && at.Tag == "!!str" && at.Value != "" {
		return // fault.Check reports it, with what else is wrong with the rule
	}
	number := numberOf(at)
	length := utf8.RuneCountInString(at.Value)
	switch {
	case isNull(at) && !must.allows(at):
		r.addWrong(at, "%s has no value: give it one, or remove the key", name)
	case !must.allows(at):
		r.addWrong(at, "%s", mismatch(at, name, must))
	case at.Kind == yaml.MappingNode:
		r.mapping(p, must)
	case at.Kind == yaml.SequenceNode:
		r.list(p, must)
	case must.Enum != nil && at.Tag == "!!str" && at.Value == "", at.Tag == "!!str" && length < must.MinLength:
		r.addWrong(at, "%s is empty: give it a value%s", name, such(must))
	case !must.lists(at), at.Tag == "!!str" && must.Pattern != nil && !must.Pattern.MatchString(at.Value):
		r.addWrong(at, "%s", mismatch(at, name, must))
	case at.Tag == "!!str" && timeFault(at.Value, name, must) != "":
		r.addWrong(at, "%s %s", name, timeFault(at.Value, name, must))
	case at.Tag == "!!str" && must.MaxLength > 0 && length > must.MaxLength:
		r.addWrong(at, "%s is longer than %d characters: shorten it", name, must.MaxLength)
	case number == nil:
	case must.MoreThan != "" && compare(number, must.MoreThan) <= 0:
		r.addWrong(at, "%s must be more than %s, not %s", name, must.MoreThan, written(at))
	case compare(number, must.Minimum) < 0:
		r.addWrong(at, "%s must be at least %s, not %s", name, must.Minimum, written(at))
	case compare(number, must.Maximum) > 0:
		r.addWrong(at, "%s must be at most %s, not %s", name, must.Maximum, written(at))
	}
}

func (r *report) list(p place, must *part) {
	switch n := len(p.at.Content); {
	case n < must.MinItems && must.MinItems == 1:
		r.addWrong(p.at, "%s is empty: list at least one, or remove the key", p.name)
	case n < must.MinItems, must.MaxItems > 0 && n > must.MaxItems:
		r.addWrong(p.at, "%s must have %d items, not %d", p.name, must.MinItems, n)
	}
	if must.Items == nil {
		return // the JSON of a body
	}
	for i, item := range p.at.Content {
		r.structure(place{at: item, name: fmt.Sprintf("%s[%d]", p.name, i), list: p.name}, must.Items)
	}
}

func (r *report) mapping(p place, must *part) {
	unknown := must.unknown(p.at)
	for _, i := range unknown {
		if i > 0 && isLeftOut(p.at.Content[i+1]) && strings.IndexAny(p.at.Content[i].Value, "0123456789") == 0 {
			r.wrong[p.at.Content[i-1]] = true // a "," splits it, as in 1,000
		}
	}
	for i := 0; i < len(p.at.Content); i += 2 {
		key, value := p.at.Content[i], p.at.Content[i+1]
		if of := cmp.Or(must.Properties[key.Value], must.Others); of != nil && !of.none {
			r.structure(place{at: value, name: phrase.Shorten(key.Value)}, of)
		}
	}
	r.unknownKeys(p, must, unknown)
	missing := slices.DeleteFunc(slices.Clone(must.Required), func(key string) bool { return valueOf(p.at, key) != nil })
	if keyed[p.list].what != "" && (replacesList(p.at) || marked(p.at, removeKey)) {
		return // it is no item, see strayMark
	}
	for _, key := range missing {
		r.missing(p, must, key)
	}
	if len(missing) > 0 && p.list == "" && len(must.Required) == len(must.Properties) {
		r.wrong[p.at] = true // half of it means nothing
	}
}

// noAlternative reports a mapping that fits none of several forms, or more than one.
func (r *report) noAlternative(p place, must *part) {
	all := &part{Properties: map[string]*part{}, Others: &part{none: true}, AnyOf: must.AnyOf}
	for _, one := range must.AnyOf {
		maps.Copy(all.Properties, one.resolved().Properties)
	}
	r.wrong[p.at] = true
	if unknown := all.unknown(p.at); len(unknown) > 0 {
		r.unknownKeys(p, all, unknown)
		return
	}
	keys := "the keys " + phrase.Names(slices.Sorted(maps.Keys(all.Properties)))
	if all.Properties["p50"] != nil {
		keys = "uniform, lognormal, and p50 with p95"
	}
	r.add(p.at, "%s must have exactly one of %s%s", p.name, keys, r.inheritedIn(p.at))
}

// inheritedIn names an entry of a mapping that a scenario has changed which is inherited, and says how to remove it.
func (r *report) inheritedIn(mapping *yaml.Node) string {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; r.originOf(key) != r.originOf(mapping) {
			name := phrase.Shorten(key.Value)
			return fmt.Sprintf(" (%s is inherited from %s:%d; %s: null removes it)",
				name, r.originOf(key).file, key.Line, name)
		}
	}
	return ""
}

// missing reports that a mapping lacks a key, unless it has one that is unknown and may stand for it.
func (r *report) missing(p place, must *part, key string) {
	for _, i := range must.unknown(p.at) {
		text := strings.TrimLeft(plainly(p.at.Content[i].Value), " -")
		meant := meantKey(p, must, text)
		if strings.HasPrefix(text, key) || meant == key || meant == "extends" && key == "institutions" {
			return
		}
	}
	remedy := ": add it" + such(must.Properties[key])
	if key == "institutions" {
		remedy = `: list at least one, such as - institutionId: "02688"`
	}
	r.add(p.at, "%s is missing%s", key, remedy)
}

// without returns a tree without the wrong nodes. Items of lists become empty, so that the others keep their index: with the kind of
// the others, as the YAML library drops null from a list of structs or texts.
func (r *report) without(n *yaml.Node) *yaml.Node {
	pruned := *n
	pruned.Content = nil
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			if value := n.Content[i+1]; !r.wrong[value] {
				pruned.Content = append(pruned.Content, n.Content[i], r.without(value))
			}
		}
		return &pruned
	}
	empty := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if i := slices.IndexFunc(n.Content, func(inner *yaml.Node) bool { return !r.wrong[inner] }); i >= 0 {
		empty = &yaml.Node{Kind: n.Content[i].Kind, Tag: n.Content[i].Tag}
	}
	for _, inner := range n.Content {
		if r.wrong[inner] {
			pruned.Content = append(pruned.Content, empty)
		} else {
			pruned.Content = append(pruned.Content, r.without(inner))
		}
	}
	return &pruned
}
