package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemaIsFresh(t *testing.T) {
	t.Parallel()
	generated(t, "scenario.schema.json", string(generatedSchema(t)))
}

// An editor can explain every property, and show what to write.
func TestSchemaExplainsItself(t *testing.T) {
	t.Parallel()
	properties := 0
	for _, s := range []schema{compile("")} {
		for location, part := range s.parts {
			for name, p := range part.Properties {
				if p.Bool != nil {
					continue // of a condition
				}
				properties++
				assert.NotEmpty(t, p.Description, "%s: %s", location, name)
				assert.Regexp(t, `^[A-Z].*\.$`, p.Description, "%s: %s", location, name)
			}
			if part.Properties != nil && part.Types != nil {
				assert.Equal(t, false, part.AdditionalProperties, location)
			}
		}
	}
	assert.Greater(t, properties, 400)
}

// Messages show what to write: by an example, and in words if there is a pattern.
func TestSchemaHasExamples(t *testing.T) {
	t.Parallel()
	values := 0
	for location, part := range compile("#/$defs/scenario").parts {
		for name, p := range part.Properties {
			value := p
			if p.Items2020 != nil {
				value = p.Items2020
			}
			if value.Ref != nil || value.Types == nil {
				continue
			}
			values++
			for _, kind := range value.Types.ToStrings() {
				if kind == "string" || kind == "integer" || kind == "number" {
					assert.True(t, value.Examples != nil || value.Enum != nil, "%s: %s has no example", location, name)
				}
			}
			for _, example := range value.Examples {
				assert.NoError(t, value.Validate(example), "%s: %s", location, name)
			}
			if value.Pattern != nil {
				assert.NotEmpty(t, value.Title, "%s: %s: messages explain a pattern by the title", location, name)
			}
		}
	}
	assert.Greater(t, values, 100)
}

// An editor says in words what is wrong with a text, not by a regular expression, and what each value means.
func TestSchemaHasMessages(t *testing.T) {
	t.Parallel()
	var schema any
	require.NoError(t, json.Unmarshal(Schema(), &schema))
	patterns, enumerations := 0, 0
	var look func(at string, value any)
	look = func(at string, value any) {
		part, ok := value.(map[string]any)
		if !ok {
			return
		}
		if _, ok := part["pattern"]; ok {
			patterns++
			assert.Contains(t, part["errorMessage"], " must be "+fmt.Sprint(part["title"])+", such as ", at)
		}
		if descriptions, ok := part["enumDescriptions"].([]any); ok {
			enumerations++
			values := part["enum"].([]any)
			assert.Len(t, descriptions, len(values), at)
			for i, description := range descriptions {
				assert.NotEmpty(t, description, "%s: %v", at, values[i])
			}
		}
		for key, inner := range part {
			look(at+"/"+key, inner)
			if list, ok := inner.([]any); ok {
				for i, item := range list {
					look(fmt.Sprint(at, "/", key, "/", i), item)
				}
			}
		}
	}
	look("#", schema)
	assert.Greater(t, patterns, 50)
	assert.Greater(t, enumerations, 40)
}

// Every list whose items are told apart is in the schema, and so are the keys that do it.
func TestKeysOfTheSchema(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, part := range compile("#/$defs/scenario").parts {
		for name, p := range part.Properties {
			id, isKeyed := keyed[name]
			if !isKeyed || p.Items2020 == nil {
				continue
			}
			found[name] = true
			for _, key := range slices.Concat(id.by...) {
				item := p.Items2020.Ref
				for step := range strings.SplitSeq(strings.TrimSuffix(key, "?"), ".") {
					item = item.Properties[step]
					for item.Ref != nil {
						item = item.Ref
					}
					require.NotNil(t, item, "%s: %s", name, key)
				}
			}
		}
	}
	assert.Len(t, found, len(keyed))
}

// schema is the schema as a library reads it.
type schema struct {
	*jsonschema.Schema
	parts map[string]*jsonschema.Schema // by location
}

// compile compiles a part of the schema.
func compile(part string) schema {
	const url = "https://json-schema.org/banksim-scenario"
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaSource))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, source); err != nil {
		panic(err)
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
	for _, inner := range []*jsonschema.Schema{part.Ref, part.Then, part.Else, part.Items2020} {
		s.index(inner)
	}
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

// What the loader takes for wrong is what a library for JSON Schema does, but for what is checked later: names of operations and of
// messages, and items that are there twice.
func TestStructureAgreesWithTheSchema(t *testing.T) {
	t.Parallel()
	library, agreed := compile("#/$defs/scenario"), map[bool]int{}
	for _, file := range badScenarios(t) {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		r := newReport(file)
		tree := r.read(file, source)
		if tree == nil || len(r.problems) > 0 {
			continue
		}
		var value any
		require.NoError(t, tree.Decode(&value), file)
		wrong := library.Validate(value)
		r.structure(place{at: tree, name: "the scenario"}, scenarioPart())
		if len(r.problems) == 0 && wrong != nil {
			assert.Regexp(t, "operation|unique|messages", wrong.Error(), file)
			continue
		}
		assert.Equal(t, wrong == nil, len(r.problems) == 0, "%s: %v\n%v", file, wrong, r.problems)
		agreed[wrong == nil]++
	}
	assert.Greater(t, agreed[true], 10)
	assert.Greater(t, agreed[false], 60)
}
