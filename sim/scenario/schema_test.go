package scenario

import (
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

// Every list whose items are told apart is in the schema, and so are the keys that do it.
func TestKeysOfTheSchema(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, definition := range format() {
		for name, p := range definition.Properties {
			id, isKeyed := keyed[name]
			if !isKeyed || p.Items == nil {
				continue
			}
			found[name] = true
			for _, key := range slices.Concat(id.by...) {
				item := p.Items.resolved()
				for step := range strings.SplitSeq(strings.TrimSuffix(key, "?"), ".") {
					item = item.Properties[step].resolved()
					require.NotNil(t, item, "%s: %s", name, key)
				}
			}
		}
	}
	assert.Len(t, found, len(keyed))
}
