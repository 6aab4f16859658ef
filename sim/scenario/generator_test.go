package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// generate returns the JSON Schema of scenario files for editors, as schema.go describes it.
func generate(t *testing.T) []byte {
	t.Helper()
	s, extending := forEditors(t, reflected()), forEditors(t, reflected())
	for name := range mergingDefinitions(s) {
		definition := extending.Definitions[name]
		makeLenient(definition, listOf(s, name))
		s.Definitions[extendingPrefix+name] = definition
	}
	encoded, err := json.MarshalIndent(&generator.Schema{
		Version:     s.Version,
		Description: SchemaDescription,
		Type:        "object",
		If:          requiring("extends"),
		Then:        &generator.Schema{Ref: definitionsPrefix + extendingPrefix + "scenario"},
		Else:        &generator.Schema{Ref: definitionsPrefix + "scenario"},
		Definitions: s.Definitions,
	}, "", "\t")
	require.NoError(t, err)
	return append(encoded, '\n')
}

// requiring returns the condition that a mapping has keys. It defines them without describing them, so that editors don't complete
// them from here.
func requiring(keys ...string) *generator.Schema {
	s := &generator.Schema{Properties: generator.NewProperties(), Required: keys}
	for _, key := range keys {
		s.Properties.Set(key, generator.TrueSchema)
	}
	return s
}

// reflected returns the schema of the Go types. That of the document is the definition "scenario".
func reflected() *generator.Schema {
	r := generator.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     scalarSchema,
		Namer: func(of reflect.Type) string {
			if of.PkgPath() == reflect.TypeFor[fault.Rule]().PkgPath() {
				return "fault" + of.Name()
			}
			return of.Name()
		},
	}
	s := r.Reflect(document{})
	root := *s
	root.Version, root.Definitions = "", nil
	s.Definitions["scenario"] = &root
	addSwitches(s.Definitions)
	addOperations(s.Definitions)
	return s
}

// addSwitches adds the definition of the behavior block, and of the blocks in it, from the switches of the contract.
func addSwitches(definitions generator.Definitions) {
	behavior := object()
	definitions["behavior"] = behavior
	for _, s := range contract.Switches() {
		name, key, isNested := strings.Cut(s.Key, ".")
		if !isNested {
			behavior.Properties.Set(s.Key, switchSchema(s))
			continue
		}
		definition := "behavior." + name
		if definitions[definition] == nil {
			definitions[definition] = object()
			behavior.Properties.Set(name, &generator.Schema{Ref: definitionsPrefix + definition, Description: contract.SwitchBlocks[name]})
		}
		definitions[definition].Properties.Set(key, switchSchema(s))
	}
}

// switchSchema returns the schema of the values of a switch.
func switchSchema(of *contract.Switch) *generator.Schema {
	s := &generator.Schema{Type: "string", Default: of.Default}
	names := list(of.Names)
	switch of.Kind {
	case contract.Status:
		s.Type, s.Default = "integer", json.Number(of.Default)
		for _, name := range of.Names {
			s.Enum = append(s.Enum, json.Number(name))
		}
	case contract.Word:
		s.Enum = names
	case contract.Number:
		s.Type, s.Default, s.Examples = "integer", json.Number(of.Default), []any{json.Number(of.Default)}
		s.Minimum, s.Maximum = json.Number(strconv.Itoa(of.Least)), json.Number(strconv.Itoa(of.Most))
	case contract.Lifetime:
		s = durationSchema("24h", "90s")
		s.Default = strings.Replace(of.Default, "h0m0s", "h", 1)
	case contract.Flag:
		s.Type, s.Default = "boolean", of.Default == "true"
	case contract.Members:
		s = &generator.Schema{Type: "array", Items: &generator.Schema{Type: "string", Enum: names}}
	case contract.List:
		form := of.Form
		s = &generator.Schema{Type: "array", Items: &generator.Schema{Type: "string", Pattern: form.Pattern, Title: form.Title, Examples: list(form.Examples)}}
	case contract.Texts:
		s = &generator.Schema{Type: "object", PropertyNames: &generator.Schema{Enum: names}, AdditionalProperties: textSchema()}
	}
	return described(s, of.About)
}

// addOperations adds the names and the documented error statuses of the operations to the definitions of fault rules.
func addOperations(definitions generator.Definitions) {
	var documented []string
	var statuses []int
	for _, op := range contract.Operations {
		documented = append(documented, fmt.Sprintf("%s %v", op.Name, op.Errors))
		statuses = append(statuses, op.Errors...)
	}
	slices.Sort(statuses)
	status := definitions["faultThen"].Properties.Value("status")
	status.Description += " Documented: " + strings.Join(documented, ", ") + "."
	status.Examples = list(slices.Compact(statuses))

	definitions["faultError"].Properties.Value("code").Examples = []any{contract.TokensIssue.Refusals()[0].Code}
}

// list returns values for an enumeration or for examples.
func list[T any](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}

const (
	definitionsPrefix = "#/$defs/"
	extendingPrefix   = "extending."
)

// mergingDefinitions returns the names of the definitions of mappings that merge with those of an extended scenario.
func mergingDefinitions(root *generator.Schema) map[string]bool {
	found := map[string]bool{"scenario": true}
	var follow func(*generator.Schema)
	follow = func(of *generator.Schema) {
		for p := of.Properties.Oldest(); p != nil; p = p.Next() {
			ref := p.Value.Ref
			if _, isKeyed := keyed[p.Key]; p.Value.Items != nil && isKeyed {
				ref = p.Value.Items.Ref
			}
			if name, ok := strings.CutPrefix(ref, definitionsPrefix); ok && !found[name] {
				found[name] = true
				follow(root.Definitions[name])
			}
		}
	}
	follow(root)
	return found
}

// listOf returns the list whose items a definition describes, or "" if it describes none.
func listOf(s *generator.Schema, name string) string {
	for _, definition := range s.Definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			if _, isKeyed := keyed[p.Key]; p.Value.Items != nil && p.Value.Items.Ref == definitionsPrefix+name && isKeyed {
				return p.Key
			}
		}
	}
	return ""
}

// makeLenient changes a definition to describe a file that extends another scenario: of an item of a list, only the keys that
// identify it are required, null removes anything else, and marks say what merging does with it.
func makeLenient(definition *generator.Schema, list string) {
	id := keyed[list]
	definition.Required = slices.DeleteFunc(definition.Required, func(key string) bool { return id.sole || !id.identifies(key) })
	if list == "" && definition.Properties.Value("institutions") == nil { // not the file, and not in a list
		definition.Type, definition.Extras = "", map[string]any{"type": []string{definition.Type, "null"}}
	}
	for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
		_, isKeyed := keyed[p.Key]
		switch {
		case isKeyed && p.Value.Items != nil:
			p.Value.MinItems = nil
			p.Value.Items.Ref = strings.Replace(p.Value.Items.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		case p.Value.Ref != "":
			p.Value.Ref = strings.Replace(p.Value.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		case p.Value.PropertyNames != nil: // texts by name
			p.Value.AdditionalProperties = nullable(p.Value.AdditionalProperties)
		case p.Value.AnyOf != nil:
			p.Value.AnyOf = lenientAlternatives(p.Value.AnyOf)
		}
		if !id.identifies(p.Key) && !slices.Contains(own, p.Key) {
			p.Value = nullable(p.Value)
		}
	}
	if list != "" {
		addMarks(definition, id)
	}
}

// lenientAlternatives returns alternatives in a file that extends another scenario. There, a mapping of one of several keys may
// have another one, whose inherited value it removes.
func lenientAlternatives(all []*generator.Schema) []*generator.Schema {
	var others []*generator.Schema
	mapping := object()
	for _, one := range all {
		if one.Properties == nil {
			others = append(others, one)
			continue
		}
		addNullable(mapping, one)
	}
	if mapping.Properties.Len() == 0 {
		return others
	}
	return append(others, mapping)
}

// addNullable adds the keys of a mapping to another one, none of which is required. The mappings in it merge, too.
func addNullable(to, from *generator.Schema) {
	for p := from.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Properties != nil {
			inner := described(object(), p.Value.Description)
			addNullable(inner, p.Value)
			p.Value = inner
		}
		to.Properties.Set(p.Key, nullable(p.Value))
	}
}

// addMarks adds the marks of an item of a list. An item that is nothing but replace: true has no key.
func addMarks(definition *generator.Schema, id identity) {
	mark := func(about string) *generator.Schema {
		return &generator.Schema{Const: true, Description: about}
	}
	definition.Properties.Set(removeKey, mark(fmt.Sprintf("Removes the inherited %s that the keys beside it name.", id.what)))
	definition.Properties.Set(replaceKey, mark(fmt.Sprintf("The %s replaces the inherited one instead of merging into it. Alone, as the first item: the whole list replaces the inherited one.", id.what)))
	if len(definition.Required) > 0 {
		definition.If = requiring(replaceKey)
		definition.If.MaxProperties = ptr(uint64(1))
		definition.Then = generator.TrueSchema
		definition.Else = requiring(definition.Required...)
		definition.Required = nil
	}
}

// nullable returns a schema that also allows null. That of a definition is changed where it is defined: editors complete
// a mapping in full only if it is no alternative.
func nullable(s *generator.Schema) *generator.Schema {
	if s.Ref != "" {
		return s
	}
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &generator.Schema{Type: "null"})
		return s
	}
	if s.PropertyNames != nil { // editors complete the names only of a mapping that is nothing else
		n := &generator.Schema{Description: s.Description, AnyOf: []*generator.Schema{s, {Type: "null"}}}
		s.Description = ""
		return n
	}
	if s.Type != "" {
		with(s, "type", []string{s.Type, "null"})
		s.Type = ""
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
		if descriptions, ok := s.Extras["enumDescriptions"].([]string); ok {
			with(s, "enumDescriptions", append(descriptions, "Removes what the other scenario says."))
		}
	}
	return s
}

// scalarSchema returns the schema of a type that isn't reflected.
func scalarSchema(of reflect.Type) *generator.Schema {
	switch of {
	case reflect.TypeFor[duration](), reflect.TypeFor[fault.Duration]():
		return durationSchema("24h", "90s")
	case reflect.TypeFor[fault.Operations]():
		return operationsSchema()
	case reflect.TypeFor[fault.Moment]():
		return &generator.Schema{Type: "string", Title: "a duration or an RFC 3339 timestamp",
			Pattern: "^(" + durationPattern + "|" + timestampPattern + ")$", Examples: []any{"1m", "2026-01-15T09:00:00Z"}}
	case reflect.TypeFor[yaml.Node]():
		return &generator.Schema{Ref: definitionsPrefix + "behavior"}
	case reflect.TypeFor[fault.Delay]():
		return delaySchema()
	case reflect.TypeFor[fault.Connection]():
		return connectionSchema()
	case reflect.TypeFor[map[string]*string](): // null: must be absent
		return &generator.Schema{Type: "object", AdditionalProperties: &generator.Schema{Extras: map[string]any{"type": []string{"string", "null"}}}}
	case reflect.TypeFor[timestamp]():
		return &generator.Schema{Type: "string", Title: "an RFC 3339 timestamp", Format: "date-time",
			Pattern: "^" + timestampPattern + "$", Examples: []any{"2026-01-15T09:00:00Z"}}
	case reflect.TypeFor[parents]():
		name := func() *generator.Schema {
			return &generator.Schema{Type: "string", MinLength: ptr(uint64(1)), Examples: []any{"base", "shared.yaml"}}
		}
		s := name()
		s.Type, s.Items, s.MinItems, s.Extras = "", name(), ptr(uint64(1)), map[string]any{"type": []string{"string", "array"}}
		return s
	case reflect.TypeFor[share]():
		return &generator.Schema{Type: "number", Minimum: "0", Maximum: "1", Examples: []any{0.05}}
	}
	return nil
}

// longestText is how many characters a text has at most that stands in an answer (choice).
const longestText = 500

// textSchema returns the schema of a text that an answer may hold.
func textSchema() *generator.Schema {
	return &generator.Schema{Type: "string", Title: "text without control characters", Pattern: `^[^\x00-\x1f\x7f-\x9f]*$`,
		MinLength: ptr(uint64(1)), MaxLength: ptr(uint64(longestText)), Examples: []any{"We can't do this at the moment."}}
}

const timestampPattern = `\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})`

const durationPattern = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`

func durationSchema(examples ...any) *generator.Schema {
	return &generator.Schema{Type: "string", Title: "a duration", Pattern: "^" + durationPattern + "$", Examples: examples}
}

// described sets the description of a schema.
func described(s *generator.Schema, description string) *generator.Schema {
	s.Description = description
	return s
}

// object returns the schema of a mapping from alternating keys and schemas.
func object(keysAndSchemas ...any) *generator.Schema {
	s := &generator.Schema{Type: "object", Properties: generator.NewProperties(), AdditionalProperties: generator.FalseSchema}
	for i := 0; i < len(keysAndSchemas); i += 2 {
		s.Properties.Set(keysAndSchemas[i].(string), keysAndSchemas[i+1].(*generator.Schema))
	}
	return s
}

// textOr turns the schema of a mapping into that of either a string with a pattern or the mapping with one key. No
// keyword applies to both, so the schema needs no anyOf, whose errors would be hard to explain.
func textOr(s *generator.Schema, title, pattern string, examples ...any) *generator.Schema {
	s.Type, s.Extras = "", map[string]any{"type": []string{"string", "object"}}
	s.Title, s.Pattern, s.Examples = title, pattern, examples
	s.MinProperties, s.MaxProperties = ptr(uint64(1)), ptr(uint64(1))
	return s
}

// operationsSchema returns the schema of a name or a list of names. A pattern stands for an enumeration of the name alone,
// because no keyword may apply to both, see textOr.
func operationsSchema() *generator.Schema {
	patterns := contract.Patterns()
	quoted := make([]string, len(patterns))
	for i, pattern := range patterns {
		quoted[i] = regexp.QuoteMeta(pattern)
	}
	return &generator.Schema{
		Title: "an operation, a family of operations, or a list of them", Pattern: "^(" + strings.Join(quoted, "|") + ")$",
		Default: "*", Examples: list(patterns),
		Items: &generator.Schema{Type: "string", Enum: list(patterns)}, MinItems: ptr(uint64(1)), UniqueItems: true, MinLength: ptr(uint64(1)),
		Extras: map[string]any{"type": []string{"string", "array"}},
	}
}

func delaySchema() *generator.Schema {
	lognormal := object(
		"median", described(durationSchema("200ms"), "The median: half of the delays are shorter."),
		"sigma", &generator.Schema{Type: "number", Maximum: "3", ExclusiveMinimum: "0", Examples: []any{0.6},
			Description: "The length of the tail: the standard deviation of the logarithm."})
	lognormal.Required = []string{"median", "sigma"}
	s := textOr(object(
		"uniform", described(&generator.Schema{Type: "array", Items: durationSchema("100ms", "2s"), MinItems: ptr(uint64(2)), MaxItems: ptr(uint64(2))},
			"Minimum and maximum: all delays between them are equally likely."),
		"lognormal", described(lognormal, "A distribution with a long tail, as in a busy service."),
		"p50", described(durationSchema("200ms"), "The 50th percentile, with p95: half of the delays are shorter. The distribution is lognormal."),
		"p95", described(durationSchema("800ms"), "The 95th percentile, with p50: 95 of 100 delays are shorter.")),
		"a duration, or a mapping with uniform, lognormal, or p50 and p95", "^"+durationPattern+"$", "250ms")
	s.MaxProperties = ptr(uint64(2))
	s.DependentRequired = map[string][]string{"p50": {"p95"}, "p95": {"p50"}}
	alone := &generator.Schema{MaxProperties: ptr(uint64(1))}
	s.DependentSchemas = map[string]*generator.Schema{"uniform": alone, "lognormal": alone}
	return s
}

func connectionSchema() *generator.Schema {
	kinds := strings.Split(strings.Trim(fmt.Sprint(fault.Kinds), "[]"), " ")
	return textOr(object(
		"hang", described(durationSchema("10s"), fault.Hang.About()),
		"truncate", &generator.Schema{Type: "integer", Minimum: "0", Examples: []any{20},
			Description: fault.Truncate.About()},
		"dribble", described(object(
			"bytes", &generator.Schema{Type: "integer", Minimum: "1", Examples: []any{16}, Description: "The size of a piece in bytes."},
			"every", described(durationSchema("50ms"), "The pause between two pieces.")),
			fault.Trickle.About())),
		"a kind of connection fault", "^("+strings.Join(kinds, "|")+")$", list(kinds)...)
}

func ptr[T any](v T) *T { return &v }
