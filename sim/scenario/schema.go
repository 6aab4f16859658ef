package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schemaSource describes a file that extends another scenario, which may omit what the other contains and remove it with null, by the
// definitions extending.NAME; and any other file, or one with everything it extends merged in, by the definition scenario.
//
//go:embed scenario.schema.json
var schemaSource []byte

// editorKeywords are the keywords of the schema that JSON Schema doesn't have: what editors show for a value or a mistake.
var editorKeywords = []string{"defaultSnippets", "enumDescriptions", "errorMessage"}

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte { return schemaSource }

// FaultSchemas returns the definitions that the schema has of a fault rule, FaultRule, and of what is in one, by name, without what a strict
// validator refuses. They refer to each other by their names below a path.
func FaultSchemas(path string) map[string]json.RawMessage {
	const kind, definitions = "fault", "#/$defs/"
	var whole struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	renamed := bytes.ReplaceAll(plainSchema(), []byte(`"`+definitions+kind), []byte(`"`+path+"Fault"))
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

// plainSchema returns the schema without the keywords that only editors know, and without formats.
func plainSchema() []byte {
	var plain bytes.Buffer
	from := json.NewDecoder(bytes.NewReader(schemaSource))
	from.UseNumber()
	if err := copyPlain(&plain, from, false); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	return plain.Bytes()
}

// copyPlain copies the next value of a schema, whose members keep their order. In properties and definitions, which are by name, there
// are no keywords.
func copyPlain(to *bytes.Buffer, from *json.Decoder, byName bool) error {
	token, err := from.Token()
	start, isDelim := token.(json.Delim)
	if err != nil || !isDelim {
		encoded, _ := json.Marshal(token)
		to.Write(encoded)
		return err
	}
	to.WriteString(start.String())
	separator := ""
	for from.More() {
		keyword := ""
		if start == '{' {
			name, err := from.Token()
			if err != nil {
				return err
			}
			keyword = name.(string)
		}
		if !byName && (keyword == "format" || slices.Contains(editorKeywords, keyword)) {
			if err := from.Decode(new(json.RawMessage)); err != nil {
				return err
			}
			continue
		}
		to.WriteString(separator)
		separator = ","
		if start == '{' {
			fmt.Fprintf(to, "%q:", keyword)
		}
		if err := copyPlain(to, from, !byName && (keyword == "properties" || keyword == "$defs")); err != nil {
			return err
		}
	}
	end, err := from.Token()
	fmt.Fprint(to, end)
	return err
}
