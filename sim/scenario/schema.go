package scenario

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed scenario.schema.json
var schemaSource []byte

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte { return bytes.Clone(schemaSource) }

// root is the definition that the loader validates with: a scenario with all it extends merged in. An editor holds a file
// against the whole schema. That asks the same of a file that extends nothing. One that extends another scenario may
// leave out what the other says, and remove it with null: the definitions extending.NAME. Of lists without ids, which
// replace the other's, the same is asked in either case.
const root = "#/$defs/scenario"

// schema is the JSON Schema of a scenario, ready to validate with.
type schema struct {
	*jsonschema.Schema
	parts map[string]*jsonschema.Schema // by location, as a validation error names it
}

// compiled returns the schema of a scenario with all that is merged in. It is compiled once.
var compiled = sync.OnceValue(func() schema {
	// The library trusts schemas of this host and spares them the validation with their metaschema, which would
	// take more time than all the rest of loading a scenario. A test does it instead.
	const url = "https://json-schema.org/banksim-scenario"
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaSource))
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, source); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	s := schema{compiler.MustCompile(url + root), map[string]*jsonschema.Schema{}}
	s.index(s.Schema)
	return s
})

// index notes a part of the schema and all that it leads to.
func (s schema) index(part *jsonschema.Schema) {
	if part == nil || s.parts[part.Location] != nil {
		return
	}
	s.parts[part.Location] = part
	s.index(part.Ref)
	s.index(part.Then)
	s.index(part.Else)
	s.index(part.Items2020)
	for _, alternative := range part.AnyOf {
		s.index(alternative)
	}
	for _, property := range part.Properties {
		s.index(property)
	}
	if additional, ok := part.AdditionalProperties.(*jsonschema.Schema); ok {
		s.index(additional)
	}
}
