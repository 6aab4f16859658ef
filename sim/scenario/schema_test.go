package scenario

import (
	"bytes"
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
