package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badFolder holds scenarios with mistakes. The .txt file beside a scenario has its messages; go generate writes it.
const badFolder = "../../fixtures/bad/"

func badScenarios(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(badFolder + "*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 60)
	return files
}

func TestBadScenarios(t *testing.T) {
	t.Parallel()
	for _, file := range badScenarios(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".txt")
			require.NoError(t, err)
			_, err = Load(file)
			var problems Problems
			require.ErrorAs(t, err, &problems)
			got := strings.ReplaceAll(problems.Error(), badFolder, "") + "\n"
			require.Equal(t, string(want), got, "if the new messages are better: go generate ./sim/scenario")
		})
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	source := []byte("institutions: [{institutionId: \"02688\"}]\n")
	fill := func(size int) []byte {
		return append(bytes.Repeat([]byte("#"), size-len(source)-1), append([]byte("\n"), source...)...)
	}
	_, err := Parse("large.yaml", fill(MaxBytes))
	require.NoError(t, err)
	_, err = Parse("large.yaml", fill(MaxBytes+1))
	require.EqualError(t, err, "large.yaml:1:1: the file is larger than 1 MiB: split the scenario, or shorten it")

	file := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(file, fill(3*MaxBytes), 0o600))
	_, err = Load(file)
	require.EqualError(t, err, file+":1:1: the file is larger than 1 MiB: split the scenario, or shorten it")
}
