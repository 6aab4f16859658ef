package match_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/match"
)

// Words are what the regular expression finds.
func TestWords(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z0-9]+(-[A-Za-z0-9]+)*`)
	mark := func(s string) string { return "<" + s + ">" }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([aZ09z\-@{ é]{0,3}){0,6}`).Draw(t, "text")
		assert.Equal(t, word.ReplaceAllStringFunc(text, mark), match.ReplaceWords(text, mark))
		assert.Equal(t, word.FindAllString(text, -1), match.Words(text))
	})
}
