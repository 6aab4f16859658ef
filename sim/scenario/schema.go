package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// schemaSource describes a file that extends another scenario, which may omit what the other contains and remove it with null, by the
// definitions extending.NAME; and any other file, or one with everything it extends merged in, by the definition scenario.
//
//go:embed scenario.schema.json
var schemaSource []byte

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte { return schemaSource }

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
