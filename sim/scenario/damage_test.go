package scenario

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDamagedScenarios damages the catalogue at one place each, by a character that YAML has a meaning for. Where the result can't
// be parsed, there is one problem, in the damaged line, almost always: the rest is at what the damage opened, or where it shows.
func TestDamagedScenarios(t *testing.T) {
	whole(t)
	t.Parallel()
	const characters = "\"':-[]{} \t,#"
	random := rand.New(rand.NewPCG(18, 3))
	broken, exact := 0, 0
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		for range 250 {
			at := random.IntN(len(source))
			damaged := append(bytes.Clone(source[:at]), characters[random.IntN(len(characters))])
			if random.IntN(2) == 0 {
				damaged = append(damaged, source[at:]...)
			} else {
				damaged = append(damaged[:at], source[at+1:]...)
			}
			if _, err := decode(damaged); err == nil {
				continue // legal YAML: the structure may be wrong, or a text differs
			}
			_, err := Examine("damaged.yaml", damaged)
			var problems Problems
			require.ErrorAs(t, err, &problems, "%s", damaged)
			require.Len(t, problems, 1, "%s", damaged)
			require.NotContains(t, problems[0].Message, notYAML, "%s", damaged)
			broken++
			if line, _ := position(damaged, at); problems[0].Line == line {
				exact++
			}
		}
	}
	t.Logf("%d of %d problems are in the damaged line", exact, broken)
	assert.Greater(t, broken, 300)
	assert.Greater(t, float64(exact), 0.98*float64(broken))
}

// A valid scenario gives no reason to blame anything above a mistake at its end.
func TestMistakeAtTheEnd(t *testing.T) {
	t.Parallel()
	sources := map[string][]byte{
		"texts": []byte("name: \"it's\"\ndescription: 'two\n\n  lines: ''and'' more'\nclock: {run: false, # a comment's \"text\"\n  start: 2026-01-15T09:00:00Z\n}\n" +
			"institutions:\n- institutionId: \"02688\"\n  groups:\n  - &one\n    groupName: |\n      - a: \"b\n      c\n  -\n    groupName: plain text\n      goes on - here\n  - *one\n  alertTypes: [A,\n B]\n"),
	}
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		sources[name] = source
	}
	for name, source := range sources {
		_, err := decode(source)
		require.NoError(t, err, name)
		_, err = Examine(name, append(bytes.Clone(source), "\ndescription: b: c\n"...))
		var problems Problems
		require.ErrorAs(t, err, &problems, name)
		assert.Equal(t, Problem{name, bytes.Count(source, []byte("\n")) + 2, 15, secondColon}, problems[0], name)
	}
}

// Messages say what is wrong with a line that has a secret without showing it.
func TestDamagedSecrets(t *testing.T) {
	whole(t)
	t.Parallel()
	source := []byte(`institutions:
  - institutionId: "02688"
    clients:
      - {sharedKey: app, secretKey: zqxjkzqxjkzqxjk}
      - sharedKey: other
        secretKey: zqxjkzqxjkzqxjk
    tokens:
      - {accessToken: zqxjkzqxjkzqxjk, client: app, refreshToken: "qxjkzqxjkzqxjkz"}
    users:
      - hostUserId: "1"
        password: 'zqxjkzqxjkzqxjk'
`)
	_, err := Examine("secrets.yaml", source)
	require.NoError(t, err)
	characters := []rune("\"':-[]{} \t,#*&!|>%@=:;\n“：\u00a0")
	random := rand.New(rand.NewPCG(18, 4))
	found := 0
	for range 2500 {
		at := random.IntN(len(source))
		damaged := append(bytes.Clone(source[:at]), string(characters[random.IntN(len(characters))])...)
		damaged = append(damaged, source[at+random.IntN(2):]...)
		if _, err := Examine("damaged.yaml", damaged); err != nil {
			found++
			require.NotContains(t, err.Error(), "qxjk", "%s", damaged)
		}
	}
	assert.Greater(t, found, 800)
}
