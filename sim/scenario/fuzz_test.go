package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse feeds anything to the loader. It must refuse with problems, each at a place and with a message, or
// return a scenario that loads the same again.
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
