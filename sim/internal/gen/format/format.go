// Package format describes the format of scenario files for the generators. It reads the Go types of a scenario with
// their comments and tags, and adds the switches and the operations of the contract.
package format

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Prefix stands before the name of a definition in a reference.
const Prefix = "#/$defs/"

// Root is the name of the definition of a whole file.
const Root = "scenario"

// The formats of texts. A format says what a pattern can't: that a day exists, for example.
const (
	Timestamp      = "timestamp"
	ClockStart     = "clock-start"
	Duration       = "duration" // longer than 0
	DurationOrZero = "duration-or-zero"
	Moment         = "moment" // a duration longer than 0, or a timestamp
	MomentOrZero   = "moment-or-zero"
)

// Read returns the schema of scenario files with everything that is known about each key: its description, its default,
// its format and its limits. Each call returns a new schema. It runs in the folder of package scenario.
func Read() (*jsonschema.Schema, error) {
	comments, err := readComments("..", ".", "../fault")
	if err != nil {
		return nil, err
	}
	var missing []error
	reflector := jsonschema.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     formOf,
		Namer:                      nameOf,
		LookupComment: func(of reflect.Type, field string) string {
			comment := comments[nameOf(of)+"."+field]
			if comment == "" && field != "" {
				missing = append(missing, fmt.Errorf("%s.%s has no comment", of, field))
			}
			return comment
		},
	}
	s := reflector.Reflect(scenario.Document{})
	root := *s
	root.Version, root.Definitions = "", nil
	s.Definitions[Root] = &root

	for name, definition := range s.Definitions {
		titleItems(definition)
		if isRow(name) {
			limitTexts(definition)
		}
	}
	addSwitches(s.Definitions)
	addErrors(s.Definitions)
	return &jsonschema.Schema{Version: s.Version, Definitions: s.Definitions}, errors.Join(missing...)
}

// nameOf returns the name of the definition of a Go type.
func nameOf(of reflect.Type) string { return definitionName(path.Base(of.PkgPath()), of.Name()) }

// definitionName returns the name of the definition of a type in a package. It is account for scenario.account,
// userStatus for sim.UserStatus, and faultWhen for fault.When.
func definitionName(pkg, name string) string {
	switch pkg {
	case "fault":
		return pkg + name
	case "sim":
		return strings.ToLower(name[:1]) + name[1:]
	}
	return name
}

// titleItems gives the title of a list to its items. The tag of a list has no other place for the title of an item.
func titleItems(definition *jsonschema.Schema) {
	for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
		if items := p.Value.Items; items != nil {
			items.Title, p.Value.Title = p.Value.Title, ""
		}
	}
}

// isRow reports whether a definition describes rows of the bank. The others describe the scenario, its faults and the
// settings of an institution.
func isRow(definition string) bool {
	return !strings.HasPrefix(definition, "fault") &&
		!slices.Contains([]string{Root, "codePolicy", "customDisclosure", "generateBlock"}, definition)
}

// limitTexts limits the texts of a row to the length that the bank allows.
func limitTexts(row *jsonschema.Schema) {
	for p := row.Properties.Oldest(); p != nil; p = p.Next() {
		text := p.Value
		if text.Items != nil {
			text = text.Items
		}
		if text.Type == "string" && text.MaxLength == nil && text.Enum == nil && text.Format == "" {
			text.MaxLength = ptr(uint64(sim.MaxText))
		}
	}
}

// addErrors adds examples of errors from the contract to the definitions of fault rules.
func addErrors(definitions jsonschema.Definitions) {
	definitions["faultThen"].Properties.Value("status").Examples = list(errorStatuses())
	definitions["faultError"].Properties.Value("code").Examples = []any{contract.TokensIssue.Refusals()[0].Code}
}

// errorStatuses returns the error statuses that the contract documents, each once.
func errorStatuses() []int {
	var statuses []int
	for _, op := range contract.Document().Operations {
		statuses = append(statuses, op.Errors...)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// DefinitionOf returns the name of the definition that a value or its items refer to, or "" if they refer to no
// definition.
func DefinitionOf(s *jsonschema.Schema) string {
	if s.Items != nil {
		s = s.Items
	}
	name, _ := strings.CutPrefix(s.Ref, Prefix)
	return name
}

// Walk calls visit for a schema and for each schema inside it.
func Walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil || s == jsonschema.FalseSchema {
		return
	}
	visit(s)
	for _, definition := range s.Definitions {
		Walk(definition, visit)
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		Walk(p.Value, visit)
	}
	for _, alternative := range s.AnyOf {
		Walk(alternative, visit)
	}
	Walk(s.AdditionalProperties, visit)
	Walk(s.Items, visit)
}
