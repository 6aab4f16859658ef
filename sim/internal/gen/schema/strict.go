package main

import (
	"fmt"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// strict turns a schema into the schema for the loader. The loader validates a scenario after it has merged everything
// that the scenario extends. Texts for people are left out, except for titles and examples: messages quote them.
func strict(s *jsonschema.Schema) *jsonschema.Schema {
	s.Ref = format.Prefix + format.Root
	var values []*jsonschema.Schema
	format.Walk(s, func(of *jsonschema.Schema) {
		of.Description, of.Default = "", nil
		of.UniqueItems = false // fault.Check reports operations that are listed twice
		if of.PropertyNames != nil {
			values = append(values, of)
		}
	})
	for _, of := range values {
		listNames(s.Definitions, of, fmt.Sprintf("behavior.of.%v", of.PropertyNames.Enum[0]))
	}
	return s
}

// listNames replaces the rule for the names of a mapping by a property for each name. All of them refer to one
// definition of the value.
func listNames(definitions jsonschema.Definitions, of *jsonschema.Schema, definition string) {
	definitions[definition] = of.AdditionalProperties
	of.Properties = jsonschema.NewProperties()
	for _, name := range of.PropertyNames.Enum {
		of.Properties.Set(fmt.Sprint(name), &jsonschema.Schema{Ref: format.Prefix + definition})
	}
	of.PropertyNames, of.AdditionalProperties = nil, jsonschema.FalseSchema
}
