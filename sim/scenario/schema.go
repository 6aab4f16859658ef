package scenario

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// packed is scenario.schema.json, compressed: a tenth of its size, which counts in the image.
//
//go:embed scenario.schema.json.gz
var packed []byte

// schemaSource is the schema that the loader validates with.
//
//go:embed loader.schema.json
var schemaSource []byte

// SchemaDescription is the description of the published schema, by which it is recognized.
const SchemaDescription = "The start of a simulated bank: what it holds and how it behaves."

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	schema, err := io.ReadAll(unpacked)
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	return schema
}

// FaultSchemas returns the definitions that the schema has of a fault rule, FaultRule, and of what is in one, by name. They
// refer to each other by their names below a path.
func FaultSchemas(path string) map[string]json.RawMessage {
	const kind, definitions = "fault", "#/$defs/"
	var whole struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	renamed := bytes.ReplaceAll(schemaSource, []byte(`"`+definitions+kind), []byte(`"`+path+"Fault"))
	if err := json.Unmarshal(renamed, &whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	rules := map[string]json.RawMessage{}
	for name, definition := range whole.Definitions {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			rules["Fault"+rest] = definition
		}
	}
	return rules
}

// root is the definition that the loader validates with: a scenario with everything it extends merged in. An editor
// validates a single file with the published schema. For a file that extends nothing, it accepts the same. A file that extends
// another scenario may omit what the other contains, and remove it with null: the definitions extending.NAME, which only
// the published schema has. Lists without ids replace those of the other scenario, so they must be complete in either case.
//
// One generator writes both schemas. They differ because they are read by different programs: structure.go explains the errors
// of a value of several types best if no alternatives are involved, and an editor completes it only if they are. And the loader's
// is compiled whenever a file is loaded that isn't embedded.
const root = "#/$defs/scenario"

// schema is a compiled JSON Schema.
type schema struct {
	*jsonschema.Schema
	parts map[string]*jsonschema.Schema // by location, as in validation errors
}

// compiled returns the schema that the loader validates with. It is compiled once.
var compiled = sync.OnceValue(func() schema {
	// The library doesn't validate schemas of this host with their metaschema, which would take more time than
	// everything else in loading a scenario. A test does it instead.
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

// index adds a part of the schema, and every part below it, to the parts.
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
