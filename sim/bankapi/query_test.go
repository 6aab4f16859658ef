package bankapi

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Queries are read as net/url reads them.
func TestQueriesAreReadAsByNetURL(t *testing.T) {
	t.Parallel()
	pieces := []string{"size", "page", "=", "=", "&", "&", "20", "a", "%20", "%zz", "+", ";", "ü", "\x00", strings.Repeat("x", 200)}
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		want, err := url.ParseQuery(raw)
		got, broken := parseQuery(raw, nil)
		assert.Equal(t, want, got.values(), raw)
		assert.Equal(t, err != nil, broken, raw)
		for name, values := range want {
			assert.Equal(t, values[0], got.Get(name), raw)
			assert.Equal(t, len(values), got.Count(name), raw)
			assert.True(t, got.Has(name), raw)
		}
		assert.Empty(t, got.Get("none"))
		assert.False(t, got.Has("none"))
	})
}
