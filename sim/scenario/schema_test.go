package scenario

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// generate returns the JSON Schema of the Go types, as schema.go describes it.
func generate(t *testing.T) []byte {
	t.Helper()
	s, extending := reflected(), reflected()
	for name := range mergingDefinitions(s) {
		definition := extending.Definitions[name]
		makeLenient(definition, idOfItems(s, name))
		s.Definitions[extendingPrefix+name] = definition
	}
	encoded, err := json.MarshalIndent(&generator.Schema{
		Version:     s.Version,
		Title:       "banksim scenario",
		Description: "The start of a simulated bank: what it holds and how it behaves.",
		Type:        "object",
		If:          &generator.Schema{Required: []string{"extends"}},
		Then:        &generator.Schema{Ref: definitionsPrefix + extendingPrefix + "scenario"},
		Else:        &generator.Schema{Ref: definitionsPrefix + "scenario"},
		Definitions: s.Definitions,
	}, "", "  ")
	require.NoError(t, err)
	return append(encoded, '\n')
}

// reflected returns the schema of the Go types, that of the root being the definition "scenario".
func reflected() *generator.Schema {
	r := generator.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     scalarSchema,
		Namer: func(of reflect.Type) string {
			if of.PkgPath() == reflect.TypeFor[fault.Rule]().PkgPath() {
				return "fault" + of.Name()
			}
			return of.Name()
		},
	}
	s := r.Reflect(document{})
	root := *s
	root.Version, root.Definitions = "", nil
	s.Definitions["scenario"] = &root
	return s
}

const (
	definitionsPrefix = "#/$defs/"
	extendingPrefix   = "extending."
)

// mergingDefinitions returns the names of the definitions whose mappings merge with those of an extended scenario.
func mergingDefinitions(root *generator.Schema) map[string]bool {
	found := map[string]bool{"scenario": true}
	var follow func(*generator.Schema)
	follow = func(of *generator.Schema) {
		for p := of.Properties.Oldest(); p != nil; p = p.Next() {
			ref := p.Value.Ref
			if p.Value.Items != nil && idOf[p.Key] != "" {
				ref = p.Value.Items.Ref
			}
			if name, ok := strings.CutPrefix(ref, definitionsPrefix); ok && !found[name] {
				found[name] = true
				follow(root.Definitions[name])
			}
		}
	}
	follow(root)
	return found
}

// idOfItems returns the id of the things in a list whose items a definition describes; empty: it describes none.
func idOfItems(s *generator.Schema, name string) string {
	for _, definition := range s.Definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			if p.Value.Items != nil && p.Value.Items.Ref == definitionsPrefix+name && idOf[p.Key] != "" {
				return idOf[p.Key]
			}
		}
	}
	return ""
}

// makeLenient turns a definition into what holds before another scenario is merged in: only the id must be there,
// and null removes anything else.
func makeLenient(definition *generator.Schema, id string) {
	if slices.Contains(definition.Required, id) {
		definition.Required = []string{id}
	} else {
		definition.Required = nil
	}
	for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
		switch {
		case idOf[p.Key] != "" && p.Value.Items != nil:
			p.Value.MinItems = nil
			p.Value.Items.Ref = strings.Replace(p.Value.Items.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		case p.Value.Ref != "":
			p.Value.Ref = strings.Replace(p.Value.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		}
		if p.Key != id && !slices.Contains(own, p.Key) {
			p.Value = nullable(p.Value)
		}
	}
}

// nullable returns the schema of a value that may be null, too.
func nullable(s *generator.Schema) *generator.Schema {
	if s.Type == "" {
		n := &generator.Schema{Description: s.Description}
		s.Description = ""
		n.AnyOf = []*generator.Schema{s, {Type: "null"}}
		return n
	}
	s.Extras = map[string]any{"type": []string{s.Type, "null"}}
	s.Type = ""
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// scalarSchema gives the types of scalar.go their schemas.
func scalarSchema(of reflect.Type) *generator.Schema {
	switch of {
	case reflect.TypeFor[duration](), reflect.TypeFor[fault.Duration]():
		return durationSchema("24h", "90s")
	case reflect.TypeFor[fault.Delay]():
		return delaySchema()
	case reflect.TypeFor[fault.Connection]():
		return connectionSchema()
	case reflect.TypeFor[map[string]*string](): // null: it must not be there
		return &generator.Schema{Type: "object", AdditionalProperties: &generator.Schema{Extras: map[string]any{"type": []string{"string", "null"}}}}
	case reflect.TypeFor[timestamp]():
		return &generator.Schema{Type: "string", Title: "an RFC 3339 timestamp", Format: "date-time",
			Pattern: `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})$`, Examples: []any{"2026-01-15T09:00:00Z"}}
	case reflect.TypeFor[share]():
		return &generator.Schema{Type: "number", Minimum: "0", Maximum: "1", Examples: []any{0.05}}
	case reflect.TypeFor[alertField]():
		s := &generator.Schema{Type: "string"}
		for _, field := range sim.AlertFields() {
			s.Enum = append(s.Enum, field)
		}
		return s
	}
	return nil
}

const durationPattern = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`

func durationSchema(examples ...any) *generator.Schema {
	return &generator.Schema{Type: "string", Title: "a duration", Pattern: "^" + durationPattern + "$", Examples: examples}
}

// described returns a schema with a description.
func described(s *generator.Schema, description string) *generator.Schema {
	s.Description = description
	return s
}

// object returns the schema of a mapping, given its keys and their schemas in turn.
func object(keysAndSchemas ...any) *generator.Schema {
	s := &generator.Schema{Type: "object", Properties: generator.NewProperties(), AdditionalProperties: generator.FalseSchema}
	for i := 0; i < len(keysAndSchemas); i += 2 {
		s.Properties.Set(keysAndSchemas[i].(string), keysAndSchemas[i+1].(*generator.Schema))
	}
	return s
}

// textOr returns the schema of what is a text of a pattern or else a mapping with one key. The keywords of the one
// don't touch the other, so no alternatives are needed, which messages could not tell apart.
func textOr(s *generator.Schema, title, pattern string, examples ...any) *generator.Schema {
	s.Type, s.Extras = "", map[string]any{"type": []string{"string", "object"}}
	s.Title, s.Pattern, s.Examples = title, pattern, examples
	s.MinProperties, s.MaxProperties = ptr(uint64(1)), ptr(uint64(1))
	return s
}

func delaySchema() *generator.Schema {
	lognormal := object(
		"median", described(durationSchema("200ms"), "The length that half of the delays are shorter than."),
		"sigma", &generator.Schema{Type: "number", Maximum: "3", ExclusiveMinimum: "0", Examples: []any{0.6},
			Description: "How long the tail is: the standard deviation of the logarithm."})
	lognormal.Required = []string{"median", "sigma"}
	return textOr(object(
		"uniform", described(&generator.Schema{Type: "array", Items: durationSchema("100ms", "2s"), MinItems: ptr(uint64(2)), MaxItems: ptr(uint64(2))},
			"The least and the most: any length between them is as likely."),
		"lognormal", described(lognormal, "A distribution with a long tail, as of a busy service.")),
		"a duration, or a mapping with uniform or lognormal", "^"+durationPattern+"$", "250ms")
}

func connectionSchema() *generator.Schema {
	var kinds []string
	var examples []any
	for _, kind := range fault.Kinds {
		kinds, examples = append(kinds, string(kind)), append(examples, string(kind))
	}
	return textOr(object(
		"hang", described(durationSchema("10s"), "No answer, and the connection stays open: until the caller gives up, or for so long."),
		"truncate", &generator.Schema{Type: "integer", Minimum: "0", Examples: []any{20},
			Description: "The whole Content-Length, but only so many bytes of the body."},
		"dribble", described(object(
			"bytes", &generator.Schema{Type: "integer", Minimum: "1", Examples: []any{16}, Description: "How many bytes a piece has."},
			"every", described(durationSchema("50ms"), "How long it is from one piece to the next.")),
			"The answer comes in small pieces.")),
		"a kind of connection fault", "^("+strings.Join(kinds, "|")+")$", examples...)
}

func ptr[T any](v T) *T { return &v }

func TestSchemaIsFresh(t *testing.T) {
	t.Parallel()
	generated(t, "scenario.schema.json", string(generate(t)))
}

// published returns the whole schema, validated with its metaschema: compiled leaves that out.
func published(t *testing.T) schema {
	t.Helper()
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:banksim:scenario", source))
	root, err := compiler.Compile("urn:banksim:scenario")
	require.NoError(t, err)
	s := schema{root, map[string]*jsonschema.Schema{}}
	s.index(root)
	return s
}

// TestSchemaExplainsItself: an editor can say of every property what it is for, and what to write.
func TestSchemaExplainsItself(t *testing.T) {
	t.Parallel()
	properties := 0
	for location, part := range published(t).parts {
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
				if kind == "string" || kind == "integer" || kind == "number" {
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
	t.Parallel()
	found := map[string]bool{}
	for _, part := range compiled().parts {
		for name, p := range part.Properties {
			if id := idOf[name]; id != "" && p.Items2020 != nil {
				found[name] = true
				if name != "faults" { // a fault without a name is one more
					assert.Contains(t, p.Items2020.Ref.Required, id, name)
				}
			}
		}
	}
	assert.Len(t, found, len(idOf))
}
