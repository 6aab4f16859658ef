package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// What is given to authors as an example has nothing doubtful: the embedded scenarios, the first ones that are written for them, and
// those in the documentation.
func TestExamplesHaveNoWarnings(t *testing.T) {
	whole(t)
	t.Parallel()
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		sc, err := Parse(name+".yaml", source) // as if it were the author's
		assert.Empty(t, warningsOf(t, sc, err))
		starter, err := Starter("mine.yaml", name)
		require.NoError(t, err)
		sc, err = Parse("mine.yaml", starter)
		assert.Empty(t, warningsOf(t, sc, err))
	}
	starter, err := Starter("mine.yaml", "")
	require.NoError(t, err)
	sc, err := Parse("mine.yaml", starter)
	assert.Empty(t, warningsOf(t, sc, err))

	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	loaded := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		folder := t.TempDir()
		blocks := regexp.MustCompile("(?s)\n```yaml title=\"([^\"]+)\"\n(.*?)\n```\n").FindAllStringSubmatch(string(text), -1)
		for _, block := range blocks { // all first, as one may extend another
			file := filepath.Join(folder, block[1])
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(block[2]+"\n"), 0o600))
		}
		for _, block := range blocks {
			sc, err := Load(filepath.Join(folder, block[1]))
			if err != nil {
				continue // an example of a mistake, or no scenario
			}
			loaded++
			assert.Empty(t, warningsOf(t, sc, nil), page)
		}
	}
	assert.Greater(t, loaded, 5)
}

// The number of warnings is bounded, and each is about the author's files.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	source := "extends: retail\ninstitutions:\n  - institutionId: \"02688\"\n    groups:\n"
	for n := range maxProblems + 50 {
		source += fmt.Sprintf("      - groupName: \"group %d \"\n", n)
	}
	sc, err := Parse("many.yaml", []byte(source))
	warnings := warningsOf(t, sc, err)
	require.Len(t, warnings, maxProblems+1)
	assert.Equal(t, "many.yaml:1005:20: 50 more warnings from here on: mend those above first [odd-character]", warnings[maxProblems].String())
}

// Comments that silence warnings are found whatever the line breaks are, and in a file that was given as text.
func TestIgnoresWithOtherLineBreaks(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(doubtfulFolder + "near-id-silenced.yaml")
	require.NoError(t, err)
	for _, lineBreak := range []string{"\n", "\r\n", "\r"} {
		text := strings.ReplaceAll(string(source), "\n", lineBreak)
		sc, err := Parse("given.yaml", []byte("\ufeff"+text))
		assert.Empty(t, warningsOf(t, sc, err), "%q", lineBreak)
		sc, err = Parse("given.yaml", []byte(strings.ReplaceAll(text, "near-id", "no-token")))
		warnings := warningsOf(t, sc, err)
		require.Len(t, warnings, 2, "%q", lineBreak)
		assert.Equal(t, []int{5, 5}, []int{warnings[0].Line, warnings[1].Line}, "%q", lineBreak)
	}
}

// What looks like a comment in a text is none, and a text ends where YAML ends it.
func TestCommentsAndTexts(t *testing.T) {
	t.Parallel()
	const source = `extends: retail
description: &text |
  # banksim:ignore near-id
   # banksim:ignore near-id
# banksim:ignore near-id -- for 6
name: 'it''s # banksim:ignore near-id
  # banksim:ignore near-id
  .' # banksim:ignore near-id -- for 8
institutions:
  - institutionId: "02688"
    groups:
      - groupName: "a \" # banksim:ignore
          near-id" # banksim:ignore near-id -- for 13
        groupDescription: >
        # banksim:ignore near-id -- for 16
        participants: ["1001"]
      - groupDescription: *text
        # banksim:ignore near-id -- for 19
        groupName: b # banksim:ignore near-id -- for 19
      - groupDescription: >2-
            deeper
          # banksim:ignore near-id
        # banksim:ignore near-id -- for 24
        groupName: c#banksim:ignore
      - groupDescription: &other |+

          text
         # banksim:ignore near-id -- for 29
        groupName: d
`
	sc, err := Parse("texts.yaml", []byte(source))
	var silenced []int
	for _, w := range warningsOf(t, sc, err) {
		require.Equal(t, unusedIgnoreCode, w.Code, w)
		silenced = append(silenced, w.Line)
	}
	assert.Equal(t, []int{5, 8, 13, 15, 18, 19, 23, 28}, silenced)
}
