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

// value is a value of a scenario, and what messages call it.
type value struct {
	node *yaml.Node
	name string // the key, with the index in a list
	list string // the list that it is an item of, or ""
}

// child returns the value at a key or an index.
func (p value) child(step string) value {
	if p.node.Kind == yaml.SequenceNode {
		return value{lookup(p.node, step), p.name + "[" + step + "]", p.name}
	}
	return value{node: valueOf(p.node, step), name: wording.Shorten(step)}
}

// validation puts the errors of the schema into words.
type validation struct {
	findings
	family     family
	root       value
	invalid    nodeSet      // the values that don't fit, or whose problem was found before
	incomplete []*yaml.Node // mappings in faults that lack a key: half of them means nothing
}

// validate validates a merged tree, or a part of it, with a form. It returns its findings, and the values that don't
// fit with those that were invalid before: the tree without them fits the Go types. A partial family may lack keys.
func validate(of family, root value, by *form, invalid nodeSet) (findings, nodeSet) {
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

// walk explains, in the order of the file, what doesn't fit of a value at a path and of what it holds. Must is the form
// as the mapping around it says it, which may be a reference.
func (v *validation) walk(path []string, p value, must *form) {
	f := must.resolved()
	switch keyword, err := f.misfits(p.node); {
	case v.full():
		return
	case keyword != "":
		v.explain(misfit{value: p, path: path, must: f, property: must, keyword: keyword, format: err})
		if keyword != "minItems" && keyword != "maxItems" {
			return
		}
	}
	if f.AnyOf != nil && !slices.ContainsFunc(f.AnyOf, func(one *form) bool { return one.fits(p.node) }) {
		v.anyOf(path, p, f, must)
		return
	}
	switch p.node.Kind {
	case yaml.MappingNode:
		if missing := f.missingIn(p.node); len(missing) > 0 && !v.invalid[p.node] {
			v.missing(p, f, missing)
			if strings.HasPrefix(f.within, "fault") {
				v.incomplete = append(v.incomplete, p.node)
			}
		}
		if unknown := f.unknownIn(p.node); !v.invalid[p.node] {
			v.unknown(p, f, unknown)
		}
		for i := 0; i < len(p.node.Content); i += 2 {
			if key := p.node.Content[i].Value; f.at(key) != nil {
				v.walk(append(path[:len(path):len(path)], key), p.child(key), f.at(key))
			}
		}
	case yaml.SequenceNode:
		for i := range p.node.Content {
			if key := strconv.Itoa(i); f.Items != nil {
				v.walk(append(path[:len(path):len(path)], key), p.child(key), f.Items)
			}
		}
	}
}

// anyOf explains a value that fits no form of several. If only one form has its type and its keys, that form explains
// it.
func (v *validation) anyOf(path []string, p value, f, property *form) {
	var meant []*form
	isAllowed := false
	for _, one := range f.AnyOf {
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
		v.explain(misfit{value: p, path: path, must: f.AnyOf[0].resolved(), property: property, keyword: "type"})
	case len(meant) == 1:
		v.walk(path, p, meant[0])
	default:
		v.invalid[p.node] = true
		v.noForm(p, f.AnyOf)
	}
}

// noForm reports a mapping whose keys belong to no form of several, or to more than one form.
func (v *validation) noForm(p value, forms []*form) {
	all := &form{Properties: map[string]*form{}, AdditionalProperties: additional{none: true}, AnyOf: forms}
	for _, one := range forms {
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
func (p value) isOperation() bool { return p.name == "operation" || p.list == "operation" }

// unknown reports keys that a mapping can't have.
func (v *validation) unknown(p value, must *form, places []int) {
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
			v.add(key, "%s", unknownKey{p, must, key, value})
		}
		v.invalid[value] = true
	}
}

// missing reports that a mapping lacks keys. A key that stands for an unknown one is not missing.
func (v *validation) missing(p value, must *form, keys []string) {
	isMarked := lists[p.list].item != "" && (replacesList(p.node) || marked(p.node, removeKey))
	if v.family.partial || isMarked {
		return
	}
	meant := map[string]bool{}
	for _, i := range must.unknownIn(p.node) {
		text := strings.TrimLeft(plainly(p.node.Content[i].Value), " -")
		meant[meantKey(p, must, text, p.node.Content[i+1])] = true
		meant[otherKeys[cmp.Or(p.list, p.name)+"."+text]] = true
		if paths := pathsTo(must, text, p.node.Content[i+1]); len(paths) == 1 {
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
			v.add(p.node, "%s is missing: add it%s", key, examplesOf(must.Properties[key]))
		}
	}
}
