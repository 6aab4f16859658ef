package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// forEditors adds what editors show to the definitions: they say what each value is, and what is wrong in our words.
func forEditors(t *testing.T, s *generator.Schema) *generator.Schema {
	t.Helper()
	for _, definition := range s.Definitions {
		eachProperty(definition, func(key string, value *generator.Schema) {
			tellDefault(value)
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
func eachProperty(of *generator.Schema, do func(key string, value *generator.Schema)) {
	for p := of.Properties.Oldest(); p != nil; p = p.Next() {
		eachProperty(p.Value, do)
		for _, alternative := range p.Value.AnyOf {
			eachProperty(alternative, do)
		}
		do(p.Key, p.Value)
	}
}

// tellDefault moves the default of a value into its description. Editors write the defaults of a mapping that they complete,
// but nobody wants a file that repeats them.
func tellDefault(s *generator.Schema) {
	standard := s.Default
	if standard == nil {
		return
	}
	s.Default = nil
	s.Description += fmt.Sprintf(" Default: %v.", standard)
	if s.Enum == nil && s.AnyOf == nil && s.Type != "boolean" && !slices.Contains(s.Examples, standard) {
		with(s, "defaultSnippets", []any{snippet(fmt.Sprint(standard), standard, "The default.")})
	}
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
	for _, one := range []*generator.Schema{operation.AnyOf[0], operation.AnyOf[1].Items} {
		explainValues(one, aboutPattern)
		revoke := contract.TokensRevoke
		with(one, "errorMessage",
			fmt.Sprintf(`operation must be an operation such as %q, a family such as "%s.*", or "*": completion lists them`, revoke.Name,
				revoke.Kind()))
	}

	phase := definitions["faultRule"].Properties.Value("phase")
	explainValues(phase, func(value string) string { return fault.Phase(value).About() })

	status := definitions["faultThen"].Properties.Value("status")
	var snippets []any
	for _, value := range status.Examples {
		snippets = append(snippets, snippet(fmt.Sprint(value), value, "Documented for "+documenting(value.(int))+"."))
	}
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
