package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// large matches numbers of rows that take long to generate.
var large = regexp.MustCompile(`(users|groups|accountsPerUser)["']?\s*:\s*[^\s,}]{5}`)

// FuzzParse loads arbitrary sources, seeded with the catalogue, the bad scenarios and testdata. The loader must either
// return problems, each with a position and a message, or a scenario that loads the same again.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(f, err)
		f.Add(source)
	}
	files, err := filepath.Glob("../../fixtures/bad/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		if large.Match(source) {
			t.Skip("a bank of a million users is valid, but takes seconds to generate")
		}
		s, err := Parse("fuzz.yaml", source)
		if err == nil {
			again, err := Parse("fuzz.yaml", source)
			require.NoError(t, err)
			require.True(t, s.World.Equal(again.World))
			return
		}
		var problems Problems
		require.True(t, errors.As(err, &problems), "%v", err)
		require.NotEmpty(t, problems)
		for _, p := range problems {
			require.NotEmpty(t, p.Message)
			require.Positive(t, p.Line)
			require.Positive(t, p.Column)
		}
	})
}
