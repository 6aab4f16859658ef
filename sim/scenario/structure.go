package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// structure validates a tree, which messages call by the name, with a part of the schema. It reports what is wrong and
// marks the nodes: the tree without them fits the Go types of that part.
func (r *report) structure(root *yaml.Node, as func() *jsonschema.Schema, name string) error {
	r.wrong = map[*yaml.Node]bool{}
	if r.builtIn {
		return nil // a test validates embedded scenarios: compiling the schema would take as long as loading one
	}
	var value any
	if err := root.Decode(&value); err != nil {
		return fmt.Errorf("reading the tree: %w", err)
	}
	err := as().Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		keys := sync.OnceValue(func() map[string][]string { return keysOf(as()) })
		explainer{report: r, root: root, name: name, keys: keys}.walk(invalid)
	case err != nil:
		return fmt.Errorf("validating the tree: %w", err)
	}
	r.octals(root, false)
	for n := range r.told {
		r.wrong[n] = true
	}
	return nil
}

// explainer turns the errors of a schema validation into messages of our own.
type explainer struct {
	report *report
	root   *yaml.Node
	name   string                     // of the root
	keys   func() map[string][]string // the paths of the mappings that have a key, by key
}

// walk explains the leaves of a validation error.
func (e explainer) walk(err *jsonschema.ValidationError) {
	if _, ok := err.ErrorKind.(*kind.PropertyNames); ok {
		return // the checker reports it: the library doesn't say reliably where it is
	}
	for _, cause := range err.Causes {
		e.walk(cause)
	}
	if len(err.Causes) == 0 {
		e.explain(err)
	}
}

func (e explainer) explain(err *jsonschema.ValidationError) {
	at, name := e.find(err.InstanceLocation)
	if e.report.told[at] {
		return
	}
	part := compiled().parts[err.SchemaURL]
	if part == nil {
		part = compiled().Schema
	}
	switch k := err.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, unknown := range k.Properties {
			key, value := entry(at, unknown)
			e.report.wrong[value] = true
			if message, ok := e.report.strayMark(at, unknown, itemOfKeyed(err.InstanceLocation)); ok {
				e.report.add(key, "%s", message)
				continue
			}
			if !e.report.told[key] {
				e.report.add(key, "%s", e.unknownKey(part, at, key, value, err.InstanceLocation))
			}
		}
		return
	case *kind.Required:
		if itemOfKeyed(err.InstanceLocation) != "" && (replacesList(at) || marked(at, removeKey)) {
			return // it is no item, see strayMark
		}
		for _, missing := range k.Missing {
			remedy := ": add it" + such(part.Properties[missing])
			if missing == "institutions" {
				remedy = `: list at least one, such as - institutionId: "02688"`
			}
			e.missing(at, part, missing, remedy)
		}
		return
	case *kind.Type:
		if e.itemsAsKeys(at, k.Want) {
			break
		}
		if at.Kind == yaml.ScalarNode && at.Tag == "!!null" {
			e.report.add(at, "%s", noValue(at, e.comment(err.InstanceLocation), name))
			break
		}
		e.report.add(at, "%s", typeMessage(at, name, part, k.Want))
	case *kind.Enum:
		if isOperation(name) {
			return // fault.Check reports it, with what else is wrong with the rule
		}
		e.report.add(at, "%s", enumMessage(at, name, k.Want))
	case *kind.UniqueItems:
		return // fault.Check reports it, at the item
	case *kind.DependentRequired:
		for _, missing := range k.Missing {
			e.missing(at, part, missing, fmt.Sprintf(": add it%s, since there is %s", such(part.Properties[missing]), k.Prop))
		}
	case *kind.Pattern:
		if isOperation(name) {
			return // as above
		}
		e.report.add(at, "%s", patternMessage(at, name, part))
	case *kind.MinLength:
		e.report.add(at, "%s is empty: give it a value%s", name, such(part))
	case *kind.MaxLength:
		e.report.add(at, "%s is longer than %d characters: shorten it", name, k.Want)
	case *kind.MinItems:
		if k.Want > 1 {
			e.report.add(at, "%s must have %d items, not %d", name, k.Want, k.Got)
			break
		}
		e.report.add(at, "%s is empty: list at least one, or remove the key", name)
	case *kind.MaxItems:
		e.report.add(at, "%s must have %d items, not %d", name, k.Want, k.Got)
	case *kind.MinProperties, *kind.MaxProperties:
		if name == "delay" {
			e.report.add(at, "delay must have exactly one of uniform, lognormal, and p50 with p95")
			break
		}
		e.report.add(at, "%s must have exactly one of the keys %s", name, phrase.Names(slices.Sorted(maps.Keys(part.Properties))))
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

// itemOfKeyed returns what an item at a location is, if its list is one of things that are told apart.
func itemOfKeyed(location []string) string {
	if n := len(location); n >= 2 {
		if _, err := strconv.Atoi(location[n-1]); err == nil {
			return keyed[location[n-2]].what
		}
	}
	return ""
}

// isOperation reports whether a value is the name of an operation, or one of a list of them.
func isOperation(name string) bool {
	return name == "operation" || strings.HasPrefix(name, "operation[")
}

// missing reports that a mapping lacks a key, unless it has a misspelt one, which is reported as unknown.
func (e explainer) missing(at *yaml.Node, part *jsonschema.Schema, missing, remedy string) {
	known := slices.Sorted(maps.Keys(part.Properties))
	for i := 0; i < len(at.Content); i += 2 {
		key := at.Content[i].Value
		if name := strings.FieldsFunc(plainly(key), func(c rune) bool { return c == ':' || c == '=' || c == ' ' }); len(name) > 1 && name[0] == missing {
			return
		}
		if near, ok := phrase.Nearest(key, known); ok && near == missing && part.Properties[key] == nil {
			return
		}
	}
	e.report.add(at, "%s is missing%s", missing, remedy)
}

// find returns the node at a location, and its name in messages: the key, with the index in a list.
func (e explainer) find(location []string) (at *yaml.Node, name string) {
	at, name = e.root, e.name
	for _, step := range location {
		if at.Kind == yaml.SequenceNode {
			i, _ := strconv.Atoi(step)
			at, name = at.Content[i], name+"["+step+"]"
			continue
		}
		_, at = entry(at, step)
		name = step
	}
	return at, name
}

// itemsAsKeys reports a list whose items YAML reads as keys, since they don't start with "- ".
func (e explainer) itemsAsKeys(at *yaml.Node, want []string) bool {
	if !slices.Contains(want, "array") || at.Kind != yaml.MappingNode || len(at.Content) == 0 {
		return false
	}
	remedy, ok := keyRemedy(at.Content[0].Value, at, at.Content[1])
	if ok {
		e.report.add(at.Content[0], "%s", remedy)
	}
	return ok
}

// comment returns the comment in the line of the key at a location.
func (e explainer) comment(location []string) string {
	if len(location) == 0 {
		return ""
	}
	in, _ := e.find(location[:len(location)-1])
	if in.Kind != yaml.MappingNode {
		return ""
	}
	key, _ := entry(in, location[len(location)-1])
	return key.LineComment
}

// typeMessage describes a value of the wrong type, and how to write it.
func typeMessage(at *yaml.Node, name string, part *jsonschema.Schema, want []string) string {
	scalar := at.Kind == yaml.ScalarNode
	want = slices.DeleteFunc(slices.Clone(want), func(kind string) bool { return kind == "null" })
	switch want[0] {
	case "string":
		if part.Properties != nil {
			return fmt.Sprintf("%s must be %s, such as %s", name, part.Title, examples(part))
		}
		switch {
		case !scalar:
			return fmt.Sprintf("%s must be a string, not %s: write it on one line%s", name, kindOf(at), such(part))
		case part.Pattern != nil && !part.Pattern.MatchString(at.Value):
			return patternMessage(at, name, part)
		}
		if secretKeys[name] {
			return name + " must be a string: write it with quotes"
		}
		return fmt.Sprintf("%s must be a string: write %s with quotes", name, phrase.Quote(at.Value))
	case "boolean":
		if value := strings.ToLower(at.Value); scalar && (value == "true" || value == "false") {
			return fmt.Sprintf("%s must be a boolean: write %s without quotes", name, value)
		}
		if meant, ok := flagMeant(at.Value); scalar && ok {
			return fmt.Sprintf("%s must be a boolean: write %s instead of %s", name, meant, written(at))
		}
		return name + " must be a boolean: write true or false"
	case "integer":
		if _, err := strconv.ParseInt(at.Value, 10, 64); scalar && err == nil {
			return fmt.Sprintf("%s must be a number: write %s without quotes", name, at.Value)
		}
		if meant := numberMeant(at.Value, true); scalar && meant != "" {
			return fmt.Sprintf("%s must be a whole number: write %s instead of %s", name, meant, written(at))
		}
		return name + " must be a whole number" + remedy(part)
	case "number":
		if _, err := strconv.ParseFloat(at.Value, 64); scalar && err == nil {
			return fmt.Sprintf("%s must be a number: write %s without quotes", name, at.Value)
		}
		if meant := numberMeant(at.Value, false); scalar && meant != "" {
			return fmt.Sprintf("%s must be a number: write %s instead of %s", name, meant, written(at))
		}
		return name + " must be a number" + remedy(part)
	case "array":
		return fmt.Sprintf(`%s must be a list, not %s: start each item with "- "`, name, kindOf(at))
	}
	return fmt.Sprintf(`%s must be a mapping, not %s: write it as "key: value" lines`, name, kindOf(at))
}

// patternMessage describes a text that doesn't match its pattern, which the schema explains in the title.
func patternMessage(at *yaml.Node, name string, part *jsonschema.Schema) string {
	message := fmt.Sprintf("%s must be %s, such as %s", name, part.Title, examples(part))
	if secretKeys[name] {
		return message
	}
	return message + ", not " + written(at) + oddNote(at.Value) + patternRemedy(at.Value, part)
}

// enumMessage describes a value that is not one of those allowed. It lists many of them only if none is similar.
func enumMessage(at *yaml.Node, name string, want []any) string {
	var known []string
	for _, value := range want {
		if text, ok := value.(string); ok {
			known = append(known, text)
		}
	}
	message := fmt.Sprintf("%s must be %s, not %s%s", name, alternatives(want), written(at), oddNote(at.Value))
	near, ok := phrase.Nearest(at.Value, known)
	if ok && len(want) > 5 {
		message = fmt.Sprintf("%s can't be %s%s", name, written(at), oddNote(at.Value))
	}
	if ok {
		message += ": did you mean " + phrase.Quote(near) + "?"
	}
	return message
}

// such returns an example, if the schema has one: ", such as 42".
func such(part *jsonschema.Schema) string {
	if list := examples(part); list != "" {
		return ", such as " + list
	}
	return ""
}

// remedy returns what to write instead, if the schema has examples or an enumeration.
func remedy(part *jsonschema.Schema) string {
	if part.Enum != nil {
		return ": write " + alternatives(part.Enum.Values)
	}
	if list := examples(part); list != "" {
		return ": write " + list + ", for example"
	}
	return ""
}

// examples lists the examples of a part of the schema, or its enumeration.
func examples(part *jsonschema.Schema) string {
	if part == nil {
		return ""
	}
	values := part.Examples
	if len(values) == 0 && part.Enum != nil {
		values = part.Enum.Values
	}
	return alternatives(values)
}

// without returns a tree without the wrong nodes. Items of lists become empty, so that the others keep their index.
func without(n *yaml.Node, wrong map[*yaml.Node]bool) *yaml.Node {
	pruned := *n
	pruned.Content = nil
	var empty *yaml.Node
	for i, inner := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 0:
			if value := n.Content[i+1]; !wrong[value] {
				pruned.Content = append(pruned.Content, inner, without(value, wrong))
			}
		case n.Kind == yaml.MappingNode:
		case wrong[inner]:
			if empty == nil {
				empty = emptyAmong(n.Content, wrong)
			}
			pruned.Content = append(pruned.Content, empty)
		default:
			pruned.Content = append(pruned.Content, without(inner, wrong))
		}
	}
	return &pruned
}

// emptyAmong returns an empty item of the kind of the others: the YAML library drops null from a list of structs or texts. If
// all are wrong, no index matters.
func emptyAmong(items []*yaml.Node, wrong map[*yaml.Node]bool) *yaml.Node {
	for _, item := range items {
		switch {
		case wrong[item]:
		case item.Kind == yaml.MappingNode:
			return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		default:
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
}
