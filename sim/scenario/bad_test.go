package scenario

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// remedy matches the end of a message that says what to write in the place that it is about.
var remedy = regexp.MustCompile(`: (?:write|did you mean|add its unit, as in) ("[^"]*"|\[.*\]|\{.*\}|[^ "]+?)(?: or .*)?\??$`)

// aboutKeys matches problems with a key whose place is its value, or whose rest is in the value.
var aboutKeys = regexp.MustCompile(`^(the key contains|unknown header|unknown query parameter)`)

// A file with a remedy in it has no problem in that place any more.
func TestRemediesLoad(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, file := range badScenarios(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, err = Load(file)
		var problems Problems
		require.ErrorAs(t, err, &problems)
		for _, p := range problems {
			match := remedy.FindStringSubmatch(p.Message)
			if match == nil || strings.Contains(match[1], "…") || aboutKeys.MatchString(p.Message) || filepath.Base(p.File) != filepath.Base(file) {
				continue
			}
			mended, ok := replaceAt(string(text), p, match[1])
			if !ok {
				continue
			}
			tried++
			_, err := Parse(file, []byte(mended), WithoutWorld())
			var left Problems
			if errors.As(err, &left) {
				for _, other := range left {
					isThere := other.Line == p.Line && other.Column == p.Column
					assert.False(t, isThere, "%v\nbut then: %v", p, other)
				}
			}
		}
	}
	assert.Greater(t, tried, 100)
}

// replaceAt returns a file with another text in the place of the value or the key that a problem is about.
func replaceAt(text string, p Problem, instead string) (string, bool) {
	lines := strings.Split(text, "\n")
	line := []rune(lines[p.Line-1])
	rest := string(line[min(p.Column-1, len(line)):])
	written := regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:[^\s,{}\[\]#:]|:[^\s])+(?: (?:[^\s,{}\[\]#:]|:[^\s])+)*)`).FindString(rest)
	if strings.Contains(p.Message, "unknown key") && !strings.HasPrefix(rest, "\"") {
		instead = strings.Trim(instead, `"`)
	}
	lines[p.Line-1] = string(line[:len(line)-len([]rune(rest))]) + instead + rest[len(written):]
	return strings.Join(lines, "\n"), written != ""
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

}
