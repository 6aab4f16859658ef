package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
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

// schema is a compiled JSON Schema.
type schema struct {
	*jsonschema.Schema
	parts map[string]*jsonschema.Schema // by location, as in validation errors
}

// compiled returns the schema of a scenario with everything it extends merged in. It is compiled once, when a file is loaded that isn't
// embedded.
var compiled = sync.OnceValue(func() schema { return compile("#/$defs/scenario") })

// compile compiles a part of the schema. The library doesn't validate schemas of this host with their metaschema, which would take more
// time than everything else in loading a scenario. A test does it instead.
func compile(part string) schema {
	const url = "https://json-schema.org/banksim-scenario"
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaSource))
	if err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, source); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	s := schema{compiler.MustCompile(url + part), map[string]*jsonschema.Schema{}}
	s.index(s.Schema)
	return s
}

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
