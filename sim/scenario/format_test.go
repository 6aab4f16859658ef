package scenario_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ before, after string }{
		"indentation": {"a:\n    b:\n            c: 1\n    d:\n    - e: 1\n      f: 2\n    - g\n",
			"a:\n  b:\n    c: 1\n  d:\n    - e: 1\n      f: 2\n    - g\n"},
		"lists at the column of their key": {"users:\n- a: 1\n  b:\n  - c\n- d\nnext: 1\n", "users:\n  - a: 1\n    b:\n      - c\n  - d\nnext: 1\n"},
		"lists in lists":                   {"-   - a\n    -   b\n-\n  - c\n", "- - a\n  - b\n-\n  - c\n"},
		"spaces":                           {"a:    1\nb :  { x: 1,   y:   2 , \"z\":3}  \nc:  [ 1,2 , 3 ]\n", "a: 1\nb: {x: 1, y: 2, \"z\": 3}\nc: [1, 2, 3]\n"},
		"comments":                         {"# top\na: 1   # one\n# before b\nb:    #   two\n", "# top\na: 1   # one\n# before b\nb:    #   two\n"},
		"comments of items": {"a:\n    - b: 1\n      # still b\n    # before c\n    - c\n    # the end of a\n# before d\nd:\n    # nothing yet\n",
			"a:\n  - b: 1\n    # still b\n  # before c\n  - c\n  # the end of a\n# before d\nd:\n  # nothing yet\n"},
		"comments at the margin": {"a:\n    b:\n#      c: 1\n       d: 2\n", "a:\n  b:\n#      c: 1\n    d: 2\n"},
		"empty lines":            {"\n\n\na: 1\n\n\n\nb: 2\n  \n\n", "a: 1\n\nb: 2\n"},
		"line ends":              {"\ufeffa: 1\r\nb: \"x\r\n  y\"\r\n", "a: 1\nb: \"x\n  y\"\n"},
		"no last line end":       {"a: 1", "a: 1\n"},
		"quotes":                 {"a: 'it''s'   # b\nc: \"\\\"#\\\\\"\n'd: e': \"x: y\"\n", "a: 'it''s'   # b\nc: \"\\\"#\\\\\"\n'd: e': \"x: y\"\n"},
		"texts of several lines": {"a:\n    b: one\n          two\n\n\n       three\n    c: 'x\n\n       y'\n    d: \"x \\\n      y\"\n",
			"a:\n  b: one\n    two\n\n\n    three\n  c: 'x\n\n    y'\n  d: \"x \\\n    y\"\n"},
		"texts as blocks": {"a:\n    b: |\n           one\n             two\n\n\n           three  \n\n\n    c: >-   # folded\n     x\n     y\n    d: |2\n        z\n    e: |+\n      keep\n\n\n    f: 1\n",
			"a:\n  b: |\n    one\n      two\n\n\n    three  \n\n  c: >-   # folded\n    x\n    y\n  d: |2\n      z\n  e: |+\n    keep\n\n\n  f: 1\n"},
		"a text without a line end": {"a: |\n    x", "a: |\n  x"},
		"brackets on several lines": {"a: [\n     {b: 1,\n c: 2},   # one\n   # two\n\n\n     {d: [\n 3\n ]}\n   ]\nitems:\n- {\n x: 1 }\n- [\n1]\n",
			"a: [\n  {b: 1,\n    c: 2},   # one\n  # two\n\n  {d: [\n    3\n  ]}\n]\nitems:\n  - {\n      x: 1}\n  - [\n      1]\n"},
		"anchors":   {"a:   &x\n    b:  &y  1\nc:   *x\nd:  !!str   5\n*y : 2\n", "a: &x\n  b: &y 1\nc: *x\nd: !!str 5\n*y : 2\n"},
		"documents": {"---\na:   1\n---   # two\nb:   2\n...\n", "---\na: 1\n---   # two\nb: 2\n...\n"},
		"values on their own line": {"a:\n        one\nb:\n      {c: 1}\nd:\n   - \n       e\n",
			"a:\n  one\nb:\n  {c: 1}\nd:\n  -\n    e\n"},
		"nothing":       {"", ""},
		"only comments": {"\n  # a\n", "# a\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			formatted, err := scenario.Format("a.yaml", []byte(test.before))
			require.NoError(t, err)
			assert.Equal(t, test.after, string(formatted))
		})
	}
}

// Scenarios and the examples of the documentation are in their normal form.
func TestFormatKeeps(t *testing.T) {
	t.Parallel()
	for _, source := range examples(t) {
		formatted, err := scenario.Format("a.yaml", source)
		if assert.NoError(t, err, "%s", source) {
			assert.Equal(t, string(source), string(formatted))
		}
	}
}

var yamlBlock = regexp.MustCompile("(?m)^```yaml.*\n((?s:.*?))^```$")

// examples returns the embedded scenarios and the YAML blocks of the documentation.
func examples(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, name := range scenario.Names() {
		source, err := scenario.Source(name)
		require.NoError(t, err)
		all = append(all, source)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
			if block[1][0] != ' ' && !bytes.HasPrefix(block[0], []byte("```yaml title=\"crooked")) { // an excerpt, or no normal form
				all = append(all, block[1])
			}
		}
	}
	require.Greater(t, len(all), 40, "the documentation has examples")
	return all
}

// What can't be formatted is refused with its place.
func TestFormatRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ source, problem string }{
		"no YAML":       {"a: 1\n  b: 2\n", "a.yaml:2:3: the line is indented by 2 spaces"},
		"not UTF-8":     {"a: \xff\n", "a.yaml:1:4: the byte 0xff is not UTF-8"},
		"a key is list": {"a: 1\n[b]: 2\n", "a.yaml:2:1: a key that is a list or a mapping"},
		"a marked key":  {"a: 1\n? b\n: 2\n", "a.yaml:2:1: a key that is a list or a mapping"},
		"too deep":      {strings.Repeat("[\n", 60) + strings.Repeat("]", 60), "a.yaml:51:1: nested deeper than 50 levels"},
		"a directive":   {"%YAML 1.1\n---\na: 1\n", "a.yaml:1:1: a line that begins with \"%\""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scenario.Format("a.yaml", []byte(test.source))
			require.ErrorContains(t, err, test.problem)
			var problems scenario.Problems
			require.ErrorAs(t, err, &problems)
		})
	}
}

// FuzzFormat formats arbitrary texts. What is formatted has the same values, and is its own normal form; everything else is
// refused with a place.
func FuzzFormat(f *testing.F) {
	for _, source := range examples(f) {
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
		formatted, err := scenario.Format("fuzz.yaml", source)
		if err != nil {
			var problems scenario.Problems
			require.ErrorAs(t, err, &problems)
			require.NotEmpty(t, problems)
			return
		}
		again, err := scenario.Format("fuzz.yaml", formatted)
		require.NoError(t, err)
		require.Equal(t, string(formatted), string(again))
		require.Equal(t, values(t, source), values(t, formatted))
	})
}

// values returns the values of the documents of a text.
func values(t *testing.T, source []byte) (all []any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	for {
		var value yaml.Node
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, plainTree(&value))
	}
}

func plainTree(n *yaml.Node) any {
	tree := []any{n.Kind, n.ShortTag(), n.Value, n.Anchor}
	for _, inner := range n.Content {
		tree = append(tree, plainTree(inner))
	}
	return tree
}
