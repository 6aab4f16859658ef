package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// structure validates a tree with the JSON Schema, or one that has nothing but faults. It reports what is wrong and marks the nodes:
// the tree without them fits the Go types.
func (r *report) structure(tree *yaml.Node, faultsOnly bool) error {
	if r.builtIn {
		return nil // a test validates embedded scenarios: compiling the schema would take as long as loading one
	}
	e := explainer{report: r, faultsOnly: faultsOnly, mappings: map[*yaml.Node]map[string]int{}}
	value, err := decodedTree(tree)
	if err != nil {
		return fmt.Errorf("reading the tree: %w", err)
	}
	err = compiled().Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		e.collect(tree, invalid)
	case err != nil:
		return fmt.Errorf("validating the tree: %w", err)
	}
	slices.SortStableFunc(e.violations, func(a, b violation) int {
		return cmp.Or(cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column))
	})
	for _, v := range e.violations {
		if r.full() {
			break
		}
		if !r.wrong[v.at] {
			e.explain(v)
		}
	}
	return nil
}

// explainer turns the errors of a schema validation into messages of our own.
type explainer struct {
	report     *report
	faultsOnly bool
	violations []violation
	mappings   map[*yaml.Node]map[string]int // where the keys of each are that was looked into
}

// violation is an error of a schema validation, and where it is.
type violation struct {
	*jsonschema.ValidationError
	at   *yaml.Node
	name string // in messages: the key, with the index in a list
	list string // the list of which it is an item; empty: it is none
	key  *yaml.Node
}

// decodedTree returns a tree as decoded from JSON.
func decodedTree(n *yaml.Node) (any, error) {
	var err error
	switch {
	case n.Kind == yaml.MappingNode:
		values := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content) && err == nil; i += 2 {
			values[n.Content[i].Value], err = decodedTree(n.Content[i+1])
		}
		return values, err
	case n.Kind == yaml.SequenceNode:
		values := make([]any, len(n.Content))
		for i := 0; i < len(n.Content) && err == nil; i++ {
			values[i], err = decodedTree(n.Content[i])
		}
		return values, err
	case n.Tag == "!!str":
		return n.Value, nil
	}
	var value any
	err = n.Decode(&value)
	return value, err
}

// collect notes the leaves of a validation error.
func (e *explainer) collect(tree *yaml.Node, err *jsonschema.ValidationError) {
	switch err.ErrorKind.(type) {
	case *kind.PropertyNames:
		return // the checker reports it: the library doesn't say reliably where it is
	case *kind.AnyOf:
		if one := alternative(err); one != nil {
			e.collect(tree, one)
			return
		}
	default:
		for _, cause := range err.Causes {
			e.collect(tree, cause)
		}
		if len(err.Causes) > 0 {
			return
		}
	}
	v := violation{ValidationError: err, at: tree, name: "the scenario"}
	for _, step := range err.InstanceLocation {
		if v.at.Kind == yaml.SequenceNode {
			i, _ := strconv.Atoi(step)
			v.list = ""
			if !strings.HasSuffix(v.name, "]") {
				v.list = v.name
			}
			v.at, v.name, v.key = v.at.Content[i], v.name+"["+step+"]", nil
			continue
		}
		i := e.index(v.at)[step]
		v.key, v.at, v.name, v.list = v.at.Content[i], v.at.Content[i+1], step, ""
	}
	e.violations = append(e.violations, v)
}

// alternative returns the error of the one alternative that a value is meant to fit: the only one for values of its type or, of several
// mappings, the only one that has its keys. It is nil if none is.
func alternative(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	var typed, keyed []*jsonschema.ValidationError
	for _, one := range err.Causes {
		switch isType, isKeys := violates(one, len(err.InstanceLocation)); {
		case isType:
		case isKeys:
			typed = append(typed, one)
		default:
			typed, keyed = append(typed, one), append(keyed, one)
		}
	}
	switch {
	case len(typed) == 0:
		return err.Causes[0]
	case len(typed) == 1:
		return typed[0]
	case len(keyed) == 1:
		return keyed[0]
	}
	return nil
}

// violates reports whether an error says that a value, at a depth of the tree, is of another type, or has a key that is unknown.
func violates(err *jsonschema.ValidationError, depth int) (isType, isKeys bool) {
	if len(err.InstanceLocation) > depth {
		return false, false
	}
	switch err.ErrorKind.(type) {
	case *kind.Type:
		isType = true
	case *kind.AdditionalProperties:
		isKeys = true
	}
	for _, cause := range err.Causes {
		innerType, innerKeys := violates(cause, depth)
		isType, isKeys = isType || innerType, isKeys || innerKeys
	}
	return isType, isKeys
}

// index returns where the keys of a mapping are.
func (e *explainer) index(mapping *yaml.Node) map[string]int {
	if e.mappings[mapping] == nil {
		e.mappings[mapping] = indexOf(mapping)
	}
	return e.mappings[mapping]
}

// explain reports a violation.
func (e *explainer) explain(v violation) {
	at, name := v.at, v.name
	part := compiled().parts[v.SchemaURL]
	for url := v.SchemaURL; part == nil; part = compiled().parts[url] { // a condition within a part
		url = url[:strings.LastIndexByte(url, '/')]
	}
	wrong := v.ErrorKind
	if part.Enum != nil && part.Enum.Values[0] == false {
		wrong = &kind.Type{Want: []string{"boolean"}}
	}
	switch k := wrong.(type) {
	case *kind.AdditionalProperties:
		e.unknownKeys(v, part, k.Properties)
		return
	case *kind.Required:
		if keyed[v.list].what != "" && (replacesList(at) || marked(at, removeKey)) || e.faultsOnly && len(v.InstanceLocation) == 0 {
			return // it is no item, see strayMark
		}
		for _, missing := range k.Missing {
			remedy := ": add it" + such(part.Properties[missing])
			if missing == "institutions" {
				remedy = `: list at least one, such as - institutionId: "02688"`
			}
			e.missing(v, part, missing, remedy)
		}
		if v.list != "" || len(part.Required) < len(part.Properties) {
			return
		} // half of a mapping that needs all of its keys means nothing
	case *kind.UniqueItems:
		return // fault.Check reports it, at the item
	case *kind.Enum, *kind.Pattern:
		switch isOperation := name == "operation" || strings.HasPrefix(name, "operation["); {
		case isOperation && at.Value != "":
			return // fault.Check reports it, with what else is wrong with the rule
		case isOperation:
			e.report.add(at, "%s is empty: give it a value%s", name, such(part))
		default:
			e.report.add(at, "%s", valueMessage(at, name, part))
		}
	case *kind.Type:
		if isNull(at) {
			e.report.add(at, "%s", noValue(v))
		} else if first, remedy := itemsAsKeys(at, k.Want); first != nil {
			e.report.add(first, "%s", remedy)
		} else {
			e.report.add(at, "%s", typeMessage(at, name, part, k.Want))
		}
	case *kind.MinLength:
		e.report.add(at, "%s is empty: give it a value%s", name, such(part))
	case *kind.MaxLength:
		e.report.add(at, "%s is longer than %d characters: shorten it", name, k.Want)
	case *kind.MinItems:
		if k.Want > 1 {
			e.report.add(at, "%s must have %d items, not %d", name, k.Want, k.Got)
		} else {
			e.report.add(at, "%s is empty: list at least one, or remove the key", name)
		}
	case *kind.MaxItems:
		e.report.add(at, "%s must have %d items, not %d", name, k.Want, k.Got)
	case *kind.AnyOf:
		all := properties(part)
		var unknown []string
		for i := 0; i < len(at.Content); i += 2 {
			if key := at.Content[i].Value; all.Properties[key] == nil {
				unknown = append(unknown, key)
			}
		}
		if len(unknown) > 0 {
			e.unknownKeys(v, all, unknown)
			break
		}
		keys := "the keys " + phrase.Names(slices.Sorted(maps.Keys(all.Properties)))
		if all.Properties["p50"] != nil {
			keys = "uniform, lognormal, and p50 with p95"
		}
		e.report.add(at, "%s must have exactly one of %s%s", name, keys, e.report.inheritedIn(at))
	case *kind.ExclusiveMinimum:
		e.report.add(at, "%s must be more than %s, not %s", name, k.Want.RatString(), written(at))
	case *kind.Minimum:
		e.report.add(at, "%s must be at least %s, not %s", name, k.Want.RatString(), written(at))
	case *kind.Maximum:
		e.report.add(at, "%s must be at most %s, not %s", name, k.Want.RatString(), written(at))
	default:
		e.report.add(at, "%s doesn't match the schema", name)
	}
	e.report.wrong[at] = true
}

// properties returns a part of the schema with the keys of all its alternatives.
func properties(part *jsonschema.Schema) *jsonschema.Schema {
	all := &jsonschema.Schema{Pattern: part.Pattern, AnyOf: part.AnyOf, Properties: maps.Clone(part.Properties)}
	if all.Properties == nil {
		all.Properties = map[string]*jsonschema.Schema{}
	}
	for _, one := range part.AnyOf {
		maps.Copy(all.Properties, one.Properties)
	}
	return all
}

// inheritedIn names an entry of a mapping that a scenario has changed which is inherited, and says how to remove it.
func (r *report) inheritedIn(mapping *yaml.Node) string {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; r.originOf(key) != r.originOf(mapping) {
			return fmt.Sprintf(" (%s is inherited from %s:%d; %s: null removes it)", key.Value, r.originOf(key).file, key.Line, key.Value)
		}
	}
	return ""
}

// missing reports that a mapping lacks a key, unless it has one that is unknown and may stand for it.
func (e *explainer) missing(v violation, part *jsonschema.Schema, missing, remedy string) {
	for i := 0; i < len(v.at.Content); i += 2 {
		text := v.at.Content[i].Value
		if part.Properties[text] != nil {
			continue
		}
		words := strings.FieldsFunc(plainly(text), func(c rune) bool { return strings.ContainsRune(":= -", c) })
		meant := meantKey(v, part, text)
		if len(words) > 0 && words[0] == missing || meant == missing || meant == "extends" && missing == "institutions" {
			return
		}
	}
	e.report.add(v.at, "%s is missing%s", missing, remedy)
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
	for _, inner := range n.Content {
		if !r.wrong[inner] && inner.Kind == yaml.MappingNode {
			empty = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		} else if !r.wrong[inner] {
			empty = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		}
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
