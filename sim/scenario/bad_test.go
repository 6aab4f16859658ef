package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badFolder holds scenarios with mistakes, each with the messages that it gets in a .txt file beside it.
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
			_, err := Load(file)
			var problems Problems
			require.ErrorAs(t, err, &problems)
			generated(t, strings.TrimSuffix(file, ".yaml")+".txt", strings.ReplaceAll(problems.Error(), badFolder, "")+"\n")
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

func TestTooManyValues(t *testing.T) {
	t.Parallel()
	list := "institutions: [" + strings.Repeat("1,", maxValues) + "]"
	_, err := Parse("many.yaml", []byte(list))
	require.EqualError(t, err, "many.yaml:1:15: more than 200000 values, counting what aliases repeat: shorten the file")
}

// The cost of a bad file is bounded, because anybody can post one to the control API.
func TestHugeFilesWithMistakes(t *testing.T) {
	t.Parallel()
	institution := "institutions:\n  - institutionId: \"02688\"\n"
	tests := map[string]struct{ source, last string }{
		"a mistake in every line": {
			institution + "    users:\n" + strings.Repeat("      - {hostUserId: \"1\", actve: true}\n", 12000),
			"huge.yaml:1004:27: more problems from here on: solve those above first",
		},
		"references to nothing": {
			institution + "    users:\n" + strings.Repeat("      - {hostUserId: \"1000000\"}\n", 12000) +
				"    tokens:\n" + strings.Repeat("      - {accessToken: a, client: b, hostUserId: \"2000001\"}\n", 9000),
			"",
		},
		"a syntax error at the end": {
			strings.Repeat("a: b\n", 60_000) + "c: d: e\n",
			`huge.yaml:60001:1: a ":" can't stand here: put the value in quotes if it is a text; if this is a key, check its indentation, and that nothing follows the key above`,
		},
		"a long value in many places": {
			"a: &a \"" + strings.Repeat("x", 400_000) + "\"\n" + institution + "    groups: [" +
				strings.Repeat("{groupName: b, groupStatus: *a}, ", 99) + "]\n",
			"",
		},
		"a long key":     {strings.Repeat("k", 1000) + ": 1\n" + institution, ""},
		"brackets":       {"a: " + strings.Repeat("[", 900_000), "huge.yaml:1:1: nested deeper than 50 levels: flatten it"},
		"question marks": {strings.Repeat("? ", 500_000), "huge.yaml:1:1: nested deeper than 50 levels: flatten it"},
		"dashes":         {strings.Repeat("- ", 500_000), "huge.yaml:1:1: nested deeper than 50 levels: flatten it"},
		"a quote never closed": {"a: \"" + strings.Repeat("b c\n", 200_000),
			"huge.yaml:200001:1: a quote is opened here and never closed: close it at the end of the text"},
		"a bracket never closed": {"a: [" + strings.Repeat("\n  b,", 150_000),
			"huge.yaml:150001:1: a value is missing here, or a bracket is not closed: write it, or put the value in quotes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("huge.yaml", []byte(test.source))
			var problems Problems
			require.ErrorAs(t, err, &problems)
			assert.LessOrEqual(t, len(problems), maxProblems+1)
			assert.Less(t, len(err.Error()), 300*len(problems))
			if test.last != "" {
				assert.Equal(t, test.last, problems[len(problems)-1].String())
			}
		})
	}
}
