package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// doubtfulFolder holds valid scenarios with what warnings are for, each with its warnings in a .txt file beside it. The names
// begin with the code; those of files whose comments silence it end with silenced.
const doubtfulFolder = "../../fixtures/doubtful/"

func warningsOf(t *testing.T, sc *Scenario, err error) []Warning {
	t.Helper()
	require.NoError(t, err)
	warnings, err := sc.Warnings()
	require.NoError(t, err)
	return warnings
}

func TestDoubtfulScenarios(t *testing.T) {
	t.Parallel()
	for _, code := range WarningCodes() {
		files, err := filepath.Glob(doubtfulFolder + code.Code + "-*.yaml")
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(files), 2, "%s needs a file that is warned of, and one that silences it", code.Code)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				sc, err := Load(file)
				warnings := warningsOf(t, sc, err)
				if strings.HasSuffix(file, "-silenced.yaml") {
					assert.Empty(t, warnings)
					warnings = withoutIgnores(t, file)
				}
				text, has := "", false
				for _, w := range warnings {
					text += strings.ReplaceAll(w.String(), doubtfulFolder, "") + "\n"
					has = has || w.Code == code.Code
				}
				require.True(t, has, "no warning has the code: %s", text)
				generated(t, strings.TrimSuffix(file, ".yaml")+".txt", text)
			})
		}
	}
}

// withoutIgnores returns the warnings of a file without its comments that silence them, or those that silence them in turn.
func withoutIgnores(t *testing.T, file string) []Warning {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(source), "banksim:ignore", "not ignored:")
	if strings.Contains(file, unusedIgnoreCode) {
		text = strings.ReplaceAll(string(source), ", "+unusedIgnoreCode, "")
	}
	sc, err := load(inFolder(file, []byte(text)))
	return warningsOf(t, sc, err)
}
