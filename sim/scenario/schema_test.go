package scenario

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

var update = flag.Bool("update", false, "rewrite the schema and the expected messages of fixtures/bad")

// generate returns the JSON Schema of the Go types.
func generate(t *testing.T) []byte {
	t.Helper()
	r := generator.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     scalarSchema,
	}
	s := r.Reflect(document{})
	s.Title = "banksim scenario"
	s.Description = "The start of a simulated bank: what it holds and how it behaves."
	encoded, err := json.MarshalIndent(s, "", "  ")
	require.NoError(t, err)
	return append(encoded, '\n')
}

// scalarSchema gives the types of scalar.go their schemas.
func scalarSchema(of reflect.Type) *generator.Schema {
	switch of {
	case reflect.TypeFor[duration]():
		return &generator.Schema{Type: "string", Title: "a duration", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, Examples: []any{"24h", "90s"}}
	case reflect.TypeFor[timestamp]():
		return &generator.Schema{Type: "string", Format: "date-time", MinLength: ptr(uint64(1)), Examples: []any{"2026-01-15T09:00:00Z"}}
	case reflect.TypeFor[alertField]():
		s := &generator.Schema{Type: "string"}
		for _, field := range sim.AlertFields() {
			s.Enum = append(s.Enum, field)
		}
		return s
	}
	return nil
}

func ptr[T any](v T) *T { return &v }

func TestSchemaIsFresh(t *testing.T) {
	want := generate(t)
	if *update {
		require.NoError(t, os.WriteFile("scenario.schema.json", want, 0o644))
		return
	}
	assert.Equal(t, string(want), string(schemaSource), "document.go has changed: run go test ./sim/scenario -update")
}

// TestSchemaIsASchema does what compiled leaves out: it validates the schema with its metaschema.
func TestSchemaIsASchema(t *testing.T) {
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaSource))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:banksim:scenario", source))
	_, err = compiler.Compile("urn:banksim:scenario")
	assert.NoError(t, err)
}

// TestSchemaExplainsItself: an editor can say of every property what it is for, and what to write.
func TestSchemaExplainsItself(t *testing.T) {
	properties := 0
	for location, part := range compiled().parts {
		for name, p := range part.Properties {
			properties++
			assert.NotEmpty(t, p.Description, "%s: %s", location, name)
			assert.Regexp(t, `^[A-Z].*\.$`, p.Description, "%s: %s", location, name)
			value := p
			if p.Items2020 != nil {
				value = p.Items2020
			}
			if value.Ref != nil || value.Types == nil {
				continue
			}
			for _, kind := range value.Types.ToStrings() {
				if kind == "string" || kind == "integer" {
					assert.NotEmpty(t, examples(value), "%s: %s has no example", location, name)
				}
			}
			for _, example := range value.Examples {
				assert.NoError(t, value.Validate(example), "%s: %s", location, name)
			}
			if value.Pattern != nil {
				assert.NotEmpty(t, value.Title, "%s: %s: the title is what messages say of a pattern", location, name)
			}
		}
		if part.Properties != nil {
			assert.Equal(t, false, part.AdditionalProperties, location)
		}
	}
	assert.Greater(t, properties, 70)
}

// TestIDsOfTheSchema: every list that merges by id is a list of things that must have this id.
func TestIDsOfTheSchema(t *testing.T) {
	found := map[string]bool{}
	for _, part := range compiled().parts {
		for name, p := range part.Properties {
			if id := idOf[name]; id != "" && p.Items2020 != nil {
				found[name] = true
				assert.Contains(t, p.Items2020.Ref.Required, id, name)
			}
		}
	}
	assert.Len(t, found, len(idOf))
}
