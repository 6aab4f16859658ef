package scenario

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// strictSource is the schema of a scenario with all that it extends merged in.
//
//go:embed strict.schema.json
var strictSource []byte

// schemaURL is the base of the locations in the strict schema.
const schemaURL = "banksim:///strict"

// strict returns the schemas of the strict schema by their locations, such as #/$defs/user. They are compiled when
// the first file is loaded that is not embedded.
var strict = sync.OnceValue(func() map[string]*jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(strictSource))
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, format := range formats {
		compiler.RegisterFormat(&format)
	}
	if err := compiler.AddResource(schemaURL, document); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	all := map[string]*jsonschema.Schema{}
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		if s == nil || all[within(s.Location)] != nil {
			return
		}
		all[within(s.Location)] = s
		add(s.Ref)
		add(s.Items2020)
		for _, one := range s.AnyOf {
			add(one)
		}
		for _, property := range s.Properties {
			add(property)
		}
		if others, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			add(others)
		}
	}
	add(compiler.MustCompile(schemaURL))
	return all
})

// within returns a location without the URL of the schema.
func within(location string) string { return strings.TrimPrefix(location, schemaURL) }

// definition returns a definition of the strict schema.
func definition(name string) *jsonschema.Schema { return strict()["#/$defs/"+name] }

// resolved returns the schema that a reference leads to.
func resolved(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

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

// validate validates a merged tree, or a part of it, with a schema. It returns what it found, and the values that don't
// fit with those that were invalid before: the tree without them fits the Go types. A partial family may lack keys.
func validate(of family, root value, by *jsonschema.Schema, invalid nodeSet) (findings, nodeSet) {
	v := validation{family: of, root: root, invalid: maps.Clone(invalid)}
	if v.invalid == nil {
		v.invalid = nodeSet{}
	}
	err := by.Validate(v.json(root.node))
	if wrong := (*jsonschema.ValidationError)(nil); errors.As(err, &wrong) {
		v.walk(wrong, nil)
	}
	v.octals(root.node, "")
	for _, mapping := range v.incomplete {
		v.invalid[mapping] = true
	}
	return v.findings, v.invalid
}

// json returns the value of a node as package json decodes it. A number may be of any of Go's types.
func (v *validation) json(n *yaml.Node) (decoded any) {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			object[n.Content[i].Value] = v.json(n.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		array := make([]any, len(n.Content))
		for i, item := range n.Content {
			array[i] = v.json(item)
		}
		return array
	}
	switch n.Tag {
	case "!!str":
		return n.Value
	case octalTag:
		return []any{n.Value} // no number and no text; octals finds it where a list may stand
	}
	if err := n.Decode(&decoded); err != nil {
		return n.Value // which fits no other type
	}
	return decoded
}

// walk goes through an error to those that it consists of, in the order of the file. Reference is the error of the
// reference that led to a definition, or nil.
func (v *validation) walk(e, reference *jsonschema.ValidationError) {
	if reference != nil && len(e.InstanceLocation) > len(reference.InstanceLocation) {
		reference = nil // of a value around this one
	}
	switch e.ErrorKind.(type) {
	case *kind.Reference:
		reference = cmp.Or(reference, e)
	case *kind.Schema, *kind.Group:
	case *kind.AnyOf:
		v.anyOf(e, reference)
		return
	default:
		v.explain(e, cmp.Or(reference, e).SchemaURL)
		return
	}
	causes := e.Causes
	if len(causes) > 1 {
		slices.SortStableFunc(causes, func(a, b *jsonschema.ValidationError) int {
			at, other := v.valueAt(a.InstanceLocation).node, v.valueAt(b.InstanceLocation).node
			return cmp.Or(cmp.Compare(at.Line, other.Line), cmp.Compare(at.Column, other.Column))
		})
	}
	for _, cause := range causes {
		if v.full() {
			return
		}
		v.walk(cause, reference)
	}
}

// valueAt returns the value at a path.
func (v *validation) valueAt(path []string) value {
	p := v.root
	for _, step := range path {
		p = p.child(step)
	}
	return p
}

// anyOf explains a value that fits no form of several. If only one form has its type and its keys, that form explains
// it.
func (v *validation) anyOf(e, reference *jsonschema.ValidationError) {
	p, forms := v.valueAt(e.InstanceLocation), strict()[within(e.SchemaURL)].AnyOf
	var meant []int
	isAllowed := false
	for i, form := range forms {
		if form = resolved(form); allows(form, p.node) {
			isAllowed = true
			if len(unknownKeys(form, p.node)) == 0 {
				meant = append(meant, i)
			}
		}
	}
	switch {
	case v.invalid[p.node]:
	case !isAllowed:
		v.explain(e.Causes[0], cmp.Or(reference, e).SchemaURL)
	case len(meant) == 1:
		v.walk(e.Causes[meant[0]], reference)
	default:
		v.invalid[p.node] = true
		v.noForm(p, forms)
	}
}

// noForm reports a mapping whose keys belong to no form of several, or to more than one form.
func (v *validation) noForm(p value, forms []*jsonschema.Schema) {
	all := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: false, AnyOf: forms}
	for _, form := range forms {
		maps.Copy(all.Properties, resolved(form).Properties)
	}
	if unknown := unknownKeys(all, p.node); len(unknown) > 0 {
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

// explain reports an error that has no causes. Property is the location of the property that the value is of.
func (v *validation) explain(e *jsonschema.ValidationError, property string) {
	p, must := v.valueAt(e.InstanceLocation), strict()[within(e.SchemaURL)]
	if v.invalid[p.node] {
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		v.unknown(p, must, unknownKeys(must, p.node))
		return
	case *kind.Required:
		v.missing(p, must, k.Missing)
		if strings.HasPrefix(within(e.SchemaURL), "#/$defs/fault") {
			v.incomplete = append(v.incomplete, p.node)
		}
		return
	case *kind.MinItems:
		if k.Want > 1 {
			v.add(p.node, "%s must have %d items, not %d", p.name, k.Want, k.Got)
		} else {
			v.add(p.node, "%s is empty: list at least one%s", p.name, orRemove(p, property))
		}
	case *kind.MaxItems:
		v.add(p.node, "%s must have %d items, not %d", p.name, k.Want, k.Got)
	default:
		v.add(p.node, "%s", v.describe(p, must, property, e))
	}
	if isUnknownOperation := p.isOperation() && p.node.Tag == "!!str" && p.node.Value != ""; !isUnknownOperation {
		v.invalid[p.node] = true // the rest of a fault with an unknown operation is still checked
	}
}

// describe explains a value that doesn't fit, and says what to write if that is certain.
func (v *validation) describe(p value, must *jsonschema.Schema, property string, e *jsonschema.ValidationError) string {
	whole := cmp.Or(strict()[within(property)], must)
	m := misfit{value: p, must: must, text: strings.Trim(plainly(p.node.Value), " \"'`")}
	m.takes = func(instead *yaml.Node) bool {
		return whole.Validate(v.json(instead)) == nil && v.fitsFault(e.InstanceLocation, p.node, instead)
	}
	reason := e.ErrorKind
	switch k := reason.(type) {
	case *kind.Minimum:
		return fmt.Sprintf("%s must be at least %s, not %s", p.name, k.Want.RatString(), shownValue(p.node))
	case *kind.Maximum:
		return fmt.Sprintf(
			"%s must be at most %s, not %s%s",
			p.name,
			k.Want.RatString(),
			shownValue(p.node),
			m.remedy(),
		)
	case *kind.ExclusiveMinimum:
		never := ""
		if p.name == "probability" {
			never = ": for a fault that never fires, write off: true beside when"
		}
		return fmt.Sprintf("%s must be more than %s, not %s%s", p.name, k.Want.RatString(), shownValue(p.node), never)
	case *kind.MaxLength:
		return fmt.Sprintf("%s is longer than %d characters: shorten it", p.name, k.Want)
	case *kind.Format:
		if must.Pattern == nil || must.Pattern.MatchString(p.node.Value) {
			return p.name + " " + k.Err.Error() + m.remedy()
		}
	}
	switch {
	case isNull(p.node):
		return p.name + " has no value: give it one" + orRemove(p, property)
	case p.node.Tag == "!!str" && p.node.Value == "" && (must.Enum != nil || must.MinLength != nil):
		return p.name + " is empty: give it a value" + examplesOf(must)
	case p.isOperation() && p.node.Tag == "!!str":
		return fault.UnknownOperation(p.node.Value)
	}
	return m.String()
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

// orRemove ends a remedy: a value that is not needed may be removed.
func orRemove(p value, property string) string {
	mapping, key, isKey := strings.Cut(within(property), "/properties/")
	for rest := ""; isKey && strings.Contains(key, "/properties/"); {
		rest, key, _ = strings.Cut(key, "/properties/")
		mapping += "/properties/" + rest
	}
	switch of := strict()[mapping]; {
	case p.list != "":
		return ", or remove the item"
	case isKey && of != nil && slices.Contains(of.Required, key):
		return ""
	}
	return ", or remove the key"
}

// unknownKeys returns where a mapping has keys that its schema doesn't have.
func unknownKeys(must *jsonschema.Schema, mapping *yaml.Node) (places []int) {
	if mapping.Kind != yaml.MappingNode || must.AdditionalProperties != false {
		return nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if must.Properties[mapping.Content[i].Value] == nil {
			places = append(places, i)
		}
	}
	return places
}

// unknown reports keys that a mapping can't have.
func (v *validation) unknown(p value, must *jsonschema.Schema, places []int) {
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
func (v *validation) missing(p value, must *jsonschema.Schema, keys []string) {
	isMarked := lists[p.list].item != "" && (replacesList(p.node) || marked(p.node, removeKey))
	if v.family.partial || isMarked {
		return
	}
	meant := map[string]bool{}
	for _, i := range unknownKeys(must, p.node) {
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
