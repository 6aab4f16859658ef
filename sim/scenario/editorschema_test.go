package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// forEditors changes the definitions that the loader validates with into those that are published. They accept the same
// files. An editor completes values better if alternatives are apart, explains each value, and says what is wrong in our words.
func forEditors(t *testing.T, s *generator.Schema) *generator.Schema {
	t.Helper()
	for _, definition := range s.Definitions {
		eachProperty(definition, func(of *generator.Schema, key string, value *generator.Schema) {
			value = apart(value)
			tellDefault(value)
			of.Properties.Set(key, value)
			for _, alternative := range append([]*generator.Schema{value, value.Items}, value.AnyOf...) {
				sayWhatIsWrong(alternative, key)
			}
			sayWhatIsWrong(value.AdditionalProperties, "each of the "+key)
		})
	}
	explainSwitches(s.Definitions)
	explainFaults(s.Definitions)
	explainExtends(t, s.Definitions["scenario"])
	return s
}

// eachProperty calls a function for the properties of a mapping, and of mappings that are defined inside it.
func eachProperty(of *generator.Schema, do func(of *generator.Schema, key string, value *generator.Schema)) {
	for p := of.Properties.Oldest(); p != nil; p = p.Next() {
		eachProperty(p.Value, do)
		do(of, p.Key, p.Value)
	}
}

// apart returns a schema of several types as one of alternatives, each of a type with the keywords of that type.
func apart(s *generator.Schema) *generator.Schema {
	types, ok := s.Extras["type"].([]string)
	if !ok || len(types) != 2 || types[0] != "string" {
		return s
	}
	text := &generator.Schema{Type: "string", Title: s.Title, Pattern: s.Pattern, Default: s.Default, Examples: s.Examples}
	if s.Pattern == "" {
		text.MinLength = s.MinLength
	}
	alternatives := []*generator.Schema{text}
	if types[1] == "array" {
		alternatives = append(alternatives, &generator.Schema{Type: "array", Items: s.Items, MinItems: s.MinItems, UniqueItems: s.UniqueItems})
	} else {
		alternatives = append(alternatives, mappings(s)...)
	}
	return &generator.Schema{Description: s.Description, AnyOf: alternatives}
}

// tellDefault moves the default of a value into its description. Editors write the defaults of a mapping that they complete,
// but nobody wants a file that repeats them.
func tellDefault(s *generator.Schema) {
	standard := s.Default
	for _, alternative := range s.AnyOf {
		if alternative.Default != nil {
			standard, alternative.Default = alternative.Default, nil
		}
	}
	if standard == nil {
		return
	}
	s.Default = nil
	s.Description += fmt.Sprintf(" Default: %v.", standard)
	if s.Enum == nil && s.AnyOf == nil && s.Type != "boolean" && !slices.Contains(s.Examples, standard) {
		s.Examples = append([]any{standard}, s.Examples...)
	}
}

// mappings returns the alternatives of a mapping that has one key, or several that need each other: a schema for each. Editors
// offer the keys of all of them, and nothing where a mapping has as many keys as it may.
func mappings(s *generator.Schema) []*generator.Schema {
	var all []*generator.Schema
	done := map[string]bool{}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if done[p.Key] {
			continue
		}
		one := object(p.Key, p.Value)
		one.Required = append([]string{p.Key}, s.DependentRequired[p.Key]...)
		for _, other := range one.Required[1:] {
			one.Properties.Set(other, s.Properties.Value(other))
			done[other] = true
		}
		all = append(all, one)
	}
	return all
}

// sayWhatIsWrong adds a message for a text that is none, or is another one than it must be.
func sayWhatIsWrong(text *generator.Schema, key string) {
	if text == nil || text.Type != "string" || text.Enum != nil {
		return
	}
	example := ""
	if len(text.Examples) > 0 {
		example = fmt.Sprintf(", such as %q", text.Examples[0])
	}
	what := text.Title
	if text.Pattern == "" {
		what, example = "text", example+": put a number in quotes"
	}
	with(text, "errorMessage", fmt.Sprintf("%s must be %s%s", key, what, example))
}

// with adds a keyword that the generator doesn't know.
func with(s *generator.Schema, keyword string, value any) {
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras[keyword] = value
}

// explainSwitches says what each value of a switch selects.
func explainSwitches(definitions generator.Definitions) {
	standard := sim.DefaultBehavior()
	for _, e := range contract.Ledger() {
		if e.Switch == nil {
			continue
		}
		block, key, isNested := strings.Cut(e.Switch.Key, ".")
		definition := definitions["behavior."+block]
		if !isNested {
			definition, key = definitions["behavior"], e.Switch.Key
		}
		answers := map[string]string{e.Switch.Default: e.AnswerUnder(&standard)}
		for _, a := range e.Switch.Alternatives {
			answers[a.Value] = a.Answer
		}
		value := definition.Properties.Value(key)
		if value.Type == "boolean" {
			value.Type, value.Enum = "", []any{false, true}
		}
		if value.PropertyNames != nil {
			with(value.PropertyNames, "errorMessage", key+" has texts by error code: completion lists the codes")
		}
		if value.Enum != nil {
			explainValues(value, func(value string) string {
				if answers[value] == value+"." { // a status
					return e.Switch.About
				}
				return answers[value]
			})
		}
	}
}

// explainValues adds a description for each value of an enumeration.
func explainValues(s *generator.Schema, about func(value string) string) {
	descriptions := make([]string, len(s.Enum))
	for i, value := range s.Enum {
		descriptions[i] = about(fmt.Sprint(value))
	}
	with(s, "enumDescriptions", descriptions)
}

// explainFaults says what the values in a fault rule are: operations, statuses, kinds of connection faults, phases.
func explainFaults(definitions generator.Definitions) {
	operation := definitions["faultRule"].Properties.Value("operation")
	name, list := operation.AnyOf[0], operation.AnyOf[1]
	name.Pattern, name.Examples, name.Enum = "", nil, slices.Clone(list.Items.Enum)
	for _, one := range []*generator.Schema{name, list.Items} {
		explainValues(one, aboutPattern)
		revoke := contract.TokensRevoke
		with(one, "errorMessage", fmt.Sprintf(`operation must be an operation such as %q, a family such as "%s.*", or "*": completion lists them`, revoke.Name, revoke.Kind()))
	}

	phase := definitions["faultRule"].Properties.Value("phase")
	explainValues(phase, func(value string) string { return fault.Phase(value).About() })

	then := definitions["faultThen"].Properties
	kinds := then.Value("connection").AnyOf[0]
	kinds.Pattern, kinds.Extras, kinds.Examples, kinds.Enum = "", nil, nil, kinds.Examples
	explainValues(kinds, func(value string) string { return fault.Kind(value).About() })

	status := then.Value("status")
	var snippets []any
	for _, value := range status.Examples {
		snippets = append(snippets, snippet(fmt.Sprint(value), value, "Documented for "+documenting(value.(int))+"."))
	}
	status.Examples = nil
	with(status, "defaultSnippets", snippets)
}

// aboutPattern describes what a pattern of operations stands for.
func aboutPattern(pattern string) string {
	if op, ok := contract.Find(pattern); ok {
		return op.About
	}
	if family := strings.TrimSuffix(pattern, ".*"); family != pattern {
		return "All operations whose names begin with " + family + "."
	}
	return "All operations."
}

// documenting lists the operations whose descriptions list an error status.
func documenting(status int) string {
	var names, others []string
	for _, op := range contract.Operations {
		if slices.Contains(op.Errors, status) {
			names = append(names, op.Name)
		} else {
			others = append(others, op.Name)
		}
	}
	switch {
	case len(others) == 0:
		return "all operations"
	case len(others) < len(names):
		return "all operations but " + strings.Join(others, ", ")
	}
	return strings.Join(names, ", ")
}

// snippet is a value to offer where others are allowed, too.
func snippet(label string, value any, about string) map[string]any {
	return map[string]any{"label": label, "body": value, "description": about}
}

// explainExtends offers the built-in scenarios.
func explainExtends(t *testing.T, definition *generator.Schema) {
	t.Helper()
	var snippets []any
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		var s struct{ Description string }
		require.NoError(t, yaml.Unmarshal(source, &s))
		snippets = append(snippets, snippet(name, name, s.Description))
	}
	extends := definition.Properties.Value("extends")
	for _, part := range append([]*generator.Schema{extends}, extends.AnyOf...) {
		if part.Items != nil {
			part = part.Items
		}
		if part.Type == "string" {
			part.Examples = nil
			with(part, "defaultSnippets", snippets)
		}
	}
}

// generateLoaders returns the part of the schema that the loader validates with, a definition on a line.
func generateLoaders(t *testing.T) []byte {
	t.Helper()
	s := reflected()
	var text strings.Builder
	text.WriteString(`{"$schema": ` + strconv.Quote(s.Version) + `, "$defs": {`)
	for i, name := range slices.Sorted(maps.Keys(s.Definitions)) {
		encoded, err := json.Marshal(s.Definitions[name])
		require.NoError(t, err)
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "\n%q: %s", name, encoded)
	}
	text.WriteString("\n}}\n")
	return []byte(text.String())
}
