package wire_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"{\r\n\t\"a\": \"é😀 b\"}":                   "{\r\n\t\"a\": \"é😀 b\"}",
		"\"\u009b31m\u202e\u007f\U000e0001\ufeff\"": `"\u009b31m\u202e\u007f\udb40\udc01\ufeff"`,
	} {
		assert.Equal(t, want, wire.Visible(text))
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\u009b31m\u202e\U000e0001\x00\xff")
	f.Fuzz(func(t *testing.T, content string) {
		text := string(wire.MustEncode(content))
		visible := wire.Visible(text)
		var before, after string
		require.NoError(t, json.Unmarshal([]byte(text), &before))
		require.NoError(t, json.Unmarshal([]byte(visible), &after))
		assert.Equal(t, before, after)
		for _, c := range visible {
			assert.True(t, unicode.IsGraphic(c), "%q", c)
		}
	})
}
