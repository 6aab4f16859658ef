package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// EditorKeywords are the keywords of the schema that JSON Schema doesn't have: what editors show for a value or a mistake.
var EditorKeywords = []string{"defaultSnippets", "enumDescriptions", "errorMessage"}

// PlainSchema returns the schema without what a strict validator refuses: the keywords that only editors know, and formats,
// which it may not know. It accepts the same files.
func PlainSchema() ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(Schema()))
	decoder.UseNumber()
	var schema any
	if err := decoder.Decode(&schema); err != nil {
		return nil, fmt.Errorf("the embedded schema: %w", err)
	}
	makePlain(schema)
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	err := encoder.Encode(schema)
	return plain.Bytes(), err
}

// makePlain removes keywords from a schema and those in it. Properties and definitions have names that are no keywords.
func makePlain(schema any) {
	switch part := schema.(type) {
	case []any:
		for _, item := range part {
			makePlain(item)
		}
	case map[string]any:
		delete(part, "format")
		for _, keyword := range EditorKeywords {
			delete(part, keyword)
		}
		for keyword, value := range part {
			named, ok := value.(map[string]any)
			if !ok || keyword != "properties" && keyword != "$defs" {
				makePlain(value)
				continue
			}
			for _, one := range named {
				makePlain(one)
			}
		}
	}
}
