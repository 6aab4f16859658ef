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

// schema is the JSON Schema of a scenario, ready to validate with.
type schema struct {
	*jsonschema.Schema
	parts map[string]*jsonschema.Schema // by location, as a validation error names it
}

// compiled returns the schema. It is compiled once.
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
	s := schema{compiler.MustCompile(url), map[string]*jsonschema.Schema{}}
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
	s.index(part.Items2020)
	for _, property := range part.Properties {
		s.index(property)
	}
	if additional, ok := part.AdditionalProperties.(*jsonschema.Schema); ok {
		s.index(additional)
	}
}
