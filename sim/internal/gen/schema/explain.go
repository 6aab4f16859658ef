package main

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// explainSwitches says what each value of a switch selects.
func explainSwitches(definitions jsonschema.Definitions) {
	standard := contract.NewPolicies(sim.DefaultBehavior()).Document
	for _, entry := range contract.Ledger() {
		s := entry.Switch
		if s == nil {
			continue
		}
		answers := map[string]string{s.Default: entry.Answer(sim.DialectDocument)}
		for _, alternative := range entry.Setting(standard).Alternatives {
			answers[alternative.Value] = alternative.Answer
		}
		definition, key := format.SwitchPlace(s)
		value := definitions[definition].Properties.Value(key)
		if s.Choices != nil {
			explainValues(value.PropertyNames, func(id string) string {
				e, _ := contract.FindEntry(id)
				return e.Setting(standard).Alternatives[0].Answer
			})
		}
		if value.Type == "boolean" {
			value.Enum = []any{false, true}
		}
		explainValues(value, func(value string) string {
			if answers[value] == value+"." { // a status says nothing about itself
				return s.About
			}
			return answers[value]
		})
	}
}

// explainFaults says what the operations, the phases and the kinds of connection faults in a fault rule are.
func explainFaults(definitions jsonschema.Definitions) {
	rule, then := definitions["faultRule"].Properties, definitions["faultThen"].Properties
	operation := rule.Value("operation")
	explainValues(operation.AnyOf[0], aboutPattern)
	explainValues(operation.AnyOf[1].Items, aboutPattern)
	explainValues(rule.Value("phase"), func(phase string) string { return fault.Phase(phase).About() })

	kinds := map[string]string{}
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		kinds[d.Name] = d.About
	}
	explainValues(then.Value("connection").AnyOf[0], func(kind string) string { return kinds[kind] })
}

// aboutPattern says which operations a pattern stands for.
func aboutPattern(pattern string) string {
	if op := contract.Document().Operation(pattern); op != nil {
		return op.About
	}
	if family, isFamily := strings.CutSuffix(pattern, ".*"); isFamily {
		return "All operations whose names begin with " + family + "."
	}
	return "All operations."
}

// explainValues adds a description for each value of an enumeration, if the schema is one.
func explainValues(s *jsonschema.Schema, about func(value string) string) {
	if s.Enum == nil {
		return
	}
	descriptions := make([]string, len(s.Enum))
	for i, value := range s.Enum {
		descriptions[i] = about(fmt.Sprint(value))
	}
	setExtra(s, "enumDescriptions", descriptions)
}

// setExtra sets a keyword that the library doesn't know.
func setExtra(s *jsonschema.Schema, keyword string, value any) {
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras[keyword] = value
}
