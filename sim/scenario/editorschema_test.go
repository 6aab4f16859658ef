package scenario

import (
	"fmt"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// forEditors adds what editors show to the definitions: what each value is.
func forEditors(t *testing.T, s *generator.Schema) *generator.Schema {
	t.Helper()
	for _, definition := range s.Definitions {
		eachProperty(definition, func(key string, value *generator.Schema) { tellDefault(value) })
	}
	explainSwitches(s.Definitions)
	explainFaults(s.Definitions)
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
	if s.Default != nil {
		s.Description += fmt.Sprintf(" Default: %v.", s.Default)
		s.Default = nil
	}
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
	for _, e := range contract.Ledger() {
		if e.Switch == nil {
			continue
		}
		block, key, isNested := strings.Cut(e.Switch.Key, ".")
		definition := definitions["behavior."+block]
		if !isNested {
			definition, key = definitions["behavior"], e.Switch.Key
		}
		answers := map[string]string{e.Switch.Default: e.Answer(sim.DialectDocument)}
		for _, a := range e.Alternatives() {
			answers[a.Value] = a.Answer
		}
		value := definition.Properties.Value(key)
		if value.Type == "boolean" {
			value.Enum = []any{false, true}
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

// explainFaults says what the values in a fault rule are: operations, kinds of connection faults, phases.
func explainFaults(definitions generator.Definitions) {
	operation := definitions["faultRule"].Properties.Value("operation")
	for _, one := range []*generator.Schema{operation.AnyOf[0], operation.AnyOf[1].Items} {
		explainValues(one, aboutPattern)
	}

	phase := definitions["faultRule"].Properties.Value("phase")
	explainValues(phase, func(value string) string { return fault.Phase(value).About() })
}

// aboutPattern describes what a pattern of operations stands for.
func aboutPattern(pattern string) string {
	if op := contract.Document().Operation(pattern); op != nil {
		return op.About
	}
	if family := strings.TrimSuffix(pattern, ".*"); family != pattern {
		return "All operations whose names begin with " + family + "."
	}
	return "All operations."
}
