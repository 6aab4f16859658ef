package scenario

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemaIsFresh(t *testing.T) {
	t.Parallel()
	generated(t, "scenario.schema.json", string(generate(t)))
}

// published returns the whole schema, validated with its metaschema, which compiled doesn't do.
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

// An editor can explain every property, and show what to write.
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
				assert.NotEmpty(t, value.Title, "%s: %s: messages explain a pattern by the title", location, name)
			}
		}
		if part.Properties != nil {
			assert.Equal(t, false, part.AdditionalProperties, location)
		}
	}
	assert.Greater(t, properties, 70)
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
					item = resolved(item.Properties[step])
					require.NotNil(t, item, "%s: %s", name, key)
				}
			}
		}
	}
	assert.Len(t, found, len(keyed))
}
