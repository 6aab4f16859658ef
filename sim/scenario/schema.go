package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// editorSource is the schema for editors: the strict schema with descriptions. A file that extends another may leave
// out keys.
//
//go:embed scenario.schema.json
var editorSource []byte

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte { return editorSource }

// FaultSchemas returns the definitions of a fault rule, FaultRule, and of its values, by name. References between them
// begin with the path.
func FaultSchemas(path string) map[string]json.RawMessage {
	const kind, prefix = "fault", "#/$defs/"
	var whole struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	renamed := bytes.ReplaceAll(editorSource, []byte(`"`+prefix+kind), []byte(`"`+path+"Fault"))
	if err := json.Unmarshal(renamed, &whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	rules := map[string]json.RawMessage{}
	for name, one := range whole.Definitions {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			rules["Fault"+rest] = one
		}
	}
	return rules
}
