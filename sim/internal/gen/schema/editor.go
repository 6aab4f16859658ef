package main

import (
	"fmt"
	"maps"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// forEditors returns the schema for editors. A file that extends nothing must be complete. A file that extends others
// says only what differs, so it has definitions of its own.
func forEditors(plain, extending *jsonschema.Schema) *jsonschema.Schema {
	prepare(plain)
	prepare(extending)
	maps.Copy(plain.Definitions, extend(extending.Definitions))
	return &jsonschema.Schema{
		Version:     plain.Version,
		Description: "The start of a simulated bank: what it holds and how it behaves.",
		If:          &jsonschema.Schema{Required: []string{"extends"}},
		Then:        &jsonschema.Schema{Ref: format.Prefix + extendingPrefix + format.Root},
		Else:        &jsonschema.Schema{Ref: format.Prefix + format.Root},
		Definitions: plain.Definitions,
	}
}

// prepare makes a schema say what an editor shows, in the keywords that editors know.
func prepare(s *jsonschema.Schema) {
	format.Walk(s, func(value *jsonschema.Schema) {
		describeDefault(value)
		if value.Format == format.Timestamp {
			value.Format = "date-time"
		} else {
			value.Format = ""
		}
	})
	explainSwitches(s.Definitions)
	explainFaults(s.Definitions)
}

// describeDefault moves the default of a value into its description. An editor that completes a mapping would otherwise
// write all defaults into the file.
func describeDefault(s *jsonschema.Schema) {
	if s.Default != nil {
		s.Description += fmt.Sprintf(" Default: %v.", s.Default)
		s.Default = nil
	}
}
