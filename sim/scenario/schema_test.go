package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	for location, part := range compiled().parts {
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
					assert.NotEmpty(t, examples(value), "%s: %s has no example", location, name)
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
	for _, part := range compiled().parts {
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
