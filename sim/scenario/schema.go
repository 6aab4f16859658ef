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
// is read whenever a file is loaded that isn't embedded.
const root = "scenario"

// wholeScenario is the part of the loader's schema for a scenario with everything it extends merged in. It is read when something
// is loaded first that isn't embedded. A test validates the schema with its metaschema.
var wholeScenario = sync.OnceValue(func() *part {
	whole, err := readPart(schemaSource, root)
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	return whole
})
