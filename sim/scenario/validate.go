package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// namedNode is a value of a scenario, and what messages call it.
type namedNode struct {
	node *yaml.Node
	name string // the key, with the index in a list
	list string // the list that it is an item of, or ""
}

// child returns the value at a key or an index.
func (p namedNode) child(step string) namedNode {
	if p.node.Kind == yaml.SequenceNode {
		return namedNode{lookup(p.node, step), p.name + "[" + step + "]", p.name}
	}
	return namedNode{node: valueOf(p.node, step), name: wording.Shorten(step)}
}

// validation puts the errors of the schema into words.
type validation struct {
	findings
	family     family
	root       namedNode
	invalid    nodeSet      // the values that don't fit, or whose problem was found before
	incomplete []*yaml.Node // mappings in faults that lack a key: half of them means nothing
}

// validate validates a merged tree, or a part of it, with a schema. It returns its findings, and the values that don't
// fit with those that were invalid before: the tree without them fits the Go types. A partial family may lack keys.
func validate(of family, root namedNode, by *schema, invalid nodeSet) (findings, nodeSet) {
	v := validation{family: of, root: root, invalid: maps.Clone(invalid)}
	if v.invalid == nil {
		v.invalid = nodeSet{}
	}
	v.walk(nil, root, by)
	v.octals(root.node, "")
	for _, mapping := range v.incomplete {
		v.invalid[mapping] = true
	}
	return v.findings, v.invalid
}

// walk explains, in the order of the file, what doesn't fit of a value at a path and of what it holds. The property
// is the schema as the mapping around it has it, which may be a reference.
func (v *validation) walk(path []string, p namedNode, property *schema) {
	want := property.resolved()
	switch keyword, err := want.misfits(p.node); {
	case v.full():
		return
	case keyword != "":
		v.explain(misfit{namedNode: p, path: path, want: want, property: property, keyword: keyword, format: err})
		if keyword != "minItems" && keyword != "maxItems" {
			return
		}
	}
	if want.AnyOf != nil && !slices.ContainsFunc(want.AnyOf, func(one *schema) bool { return one.fits(p.node) }) {
		v.anyOf(path, p, want, property)
		return
	}
	switch p.node.Kind {
	case yaml.MappingNode:
		if missing := want.missingIn(p.node); len(missing) > 0 && !v.invalid[p.node] {
			v.missing(p, want, missing)
			if strings.HasPrefix(want.within, "fault") {
				v.incomplete = append(v.incomplete, p.node)
			}
		}
		if unknown := want.unknownIn(p.node); !v.invalid[p.node] {
			v.unknown(p, want, unknown)
		}
		for i := 0; i < len(p.node.Content); i += 2 {
			if key := p.node.Content[i].Value; want.at(key) != nil {
				v.walk(append(path[:len(path):len(path)], key), p.child(key), want.at(key))
			}
		}
	case yaml.SequenceNode:
		for i := range p.node.Content {
			if key := strconv.Itoa(i); want.Items != nil {
				v.walk(append(path[:len(path):len(path)], key), p.child(key), want.Items)
			}
		}
	}
}

// anyOf explains a value that fits no schema of several. If only one has its type and its keys, that one explains it.
func (v *validation) anyOf(path []string, p namedNode, want, property *schema) {
	var meant []*schema
	isAllowed := false
	for _, one := range want.AnyOf {
		if one.resolved().allows(p.node) {
			isAllowed = true
			if len(one.resolved().unknownIn(p.node)) == 0 {
				meant = append(meant, one)
			}
		}
	}
	switch {
	case v.invalid[p.node]:
	case !isAllowed:
		v.explain(misfit{namedNode: p, path: path, want: want.AnyOf[0].resolved(), property: property, keyword: "type"})
	case len(meant) == 1:
		v.walk(path, p, meant[0])
	default:
		v.invalid[p.node] = true
		v.noSchema(p, want.AnyOf)
	}
}

// noSchema reports a mapping whose keys belong to no schema of several, or to more than one.
func (v *validation) noSchema(p namedNode, schemas []*schema) {
	all := &schema{Properties: map[string]*schema{}, AdditionalProperties: additional{none: true}, AnyOf: schemas}
	for _, one := range schemas {
		maps.Copy(all.Properties, one.resolved().Properties)
	}
	if unknown := all.unknownIn(p.node); len(unknown) > 0 {
		v.unknown(p, all, unknown)
		return
	}
	keys := "the keys " + wording.Names(slices.Sorted(maps.Keys(all.Properties)))
	if all.Properties["p50"] != nil {
		keys = "uniform, lognormal, and p50 with p95"
	}
	v.add(p.node, "%s must have exactly one of %s%s", p.name, keys, v.inheritedIn(p.node))
}

// inheritedIn names an inherited entry of a mapping that a scenario has changed, and says how to remove it.
func (v *validation) inheritedIn(mapping *yaml.Node) string {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; fileOf(key) != fileOf(mapping) {
			name := wording.Shorten(key.Value)
			return fmt.Sprintf(" (%s is inherited from %s:%d; %s: null removes it)",
				name, v.family.files[fileOf(key)].file, lineOf(key), name)
		}
	}
	return ""
}

// explain reports a value that doesn't fit.
func (v *validation) explain(m misfit) {
	if v.invalid[m.node] {
		return
	}
	m.text = strings.Trim(plainly(m.node.Value), " \"'`")
	m.takes = func(instead *yaml.Node) bool {
		return m.property.fits(instead) && v.fitsFault(m.path, m.node, instead)
	}
	v.add(m.node, "%s", m)
	if isUnknownOperation := m.isOperation() && m.node.Tag == "!!str" && m.node.Value != ""; !isUnknownOperation {
		v.invalid[m.node] = true // the rest of a fault with an unknown operation is still checked
	}
}

// fitsFault reports whether the fault around a value at a path means something with another value there. It is true
// for values elsewhere, and for a fault that has other mistakes.
func (v *validation) fitsFault(path []string, at, instead *yaml.Node) bool {
	rules := v.root.node
	if len(path) > 0 && path[0] == "faults" {
		rules, path = valueOf(rules, "faults"), path[1:]
	}
	if !isKind(rules, yaml.SequenceNode) || len(path) == 0 {
		return true
	}
	written := *at
	*at = *instead
	defer func() { *at = written }()
	var rule faultRule
	if lookup(rules, path[0]).Decode(&rule) != nil {
		return true
	}
	return !slices.ContainsFunc(fault.Check([]fault.Rule{fault.Rule(rule)}), func(p fault.Problem) bool {
		return len(p.Path) >= len(path) && slices.Equal(p.Path[1:len(path)], path[1:])
	})
}

// isOperation reports whether a value names an operation of a fault.
func (p namedNode) isOperation() bool { return p.name == "operation" || p.list == "operation" }

// unknown reports keys that a mapping can't have.
func (v *validation) unknown(p namedNode, want *schema, places []int) {
	for _, i := range places {
		message, rest := splitNumber(p.node, i)
		if rest == 0 || v.invalid[p.node.Content[i+1]] {
			continue
		}
		v.add(p.node.Content[i], "%s", message)
		v.invalid[p.node.Content[i-1]] = true
		for n := range rest {
			v.invalid[p.node.Content[i+2*n+1]] = true
		}
	}
	for _, i := range places {
		if v.full() {
			return
		}
		key, value := p.node.Content[i], p.node.Content[i+1]
		isMark := lists[p.list].item != "" && (key.Value == removeKey || key.Value == replaceKey)
		switch {
		case v.invalid[value], isMark && v.family.partial:
		case isMark:
			v.add(key, "%s", strayMark(p.node, strings.HasSuffix(p.name, "[0]"), key.Value))
		default:
			v.add(key, "%s", unknownKey{p, want, key, value})
		}
		v.invalid[value] = true
	}
}

// missing reports that a mapping lacks keys. A key that stands for an unknown one is not missing.
func (v *validation) missing(p namedNode, want *schema, keys []string) {
	isMarked := lists[p.list].item != "" && (replacesList(p.node) || marked(p.node, removeKey))
	if v.family.partial || isMarked {
		return
	}
	meant := map[string]bool{}
	for _, i := range want.unknownIn(p.node) {
		text := strings.TrimLeft(plainly(p.node.Content[i].Value), " -")
		meant[meantKey(p, want, text, p.node.Content[i+1])] = true
		meant[otherKeys[cmp.Or(p.list, p.name)+"."+text]] = true
		if paths := pathsTo(want, text, p.node.Content[i+1]); len(paths) == 1 {
			first, _, _ := strings.Cut(paths[0], ".")
			meant[first] = true
		}
		for _, key := range keys {
			meant[key] = meant[key] || strings.HasPrefix(text, key)
		}
	}
	for _, key := range keys {
		switch {
		case meant[key] || key == "institutions" && meant["extends"]:
		case key == "institutions":
			v.add(p.node, `institutions is missing: list at least one, such as - institutionId: "02688"`)
		default:
			v.add(p.node, "%s is missing: add it%s", key, examplesOf(want.Properties[key]))
		}
	}
}

// octals reports numbers that start with 0 where any value may stand.
func (v *validation) octals(n *yaml.Node, key string) {
	const starts = "%s starts with 0, so YAML reads it to the base 8: "
	switch {
	case n.Tag != octalTag:
	case secretKeys[key]:
		v.invalid[n] = true
		v.add(n, starts+"put it in quotes", key)
	default:
		v.invalid[n] = true
		v.add(n, starts+"write %s, or %s if it is a text", wording.Shorten(n.Value),
			wording.Shorten(strings.TrimLeft(n.Value, "0")), wording.Quote(n.Value))
	}
	for i, inner := range n.Content {
		of := key
		if n.Kind == yaml.MappingNode {
			of = n.Content[i-i%2].Value
		}
		if !v.invalid[inner] {
			v.octals(inner, of)
		}
	}
}
