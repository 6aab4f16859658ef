package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Messages lead to what makes the file right, or say no remedy. fixtures/bad has more of them.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const commaSplits = `a "," separates entries in { }`
	tests := map[string]struct{ source, says, not string }{
		"comma of seconds":        {"clock: {start: 2026-01-15T09:00:00,5Z}\n" + bank(""), commaSplits, "RFC 3339"},
		"year beyond four digits": {"clock: {start: 9999-12-31T23:59:59Z}\n" + bank(""), "start is out of range", ""},
		"alias as a key":          {"a: &a b\n*a : c\n", "an alias can't be a key", ""},
		"item without a space": {
			bank("    users:\n      - hostUserId: a\n      -hostUserId: b\n      - hostUserId: c\n"),
			`file.yaml:5:7: a list item starts with "- "`,
			"fit",
		},
		"apostrophe": {bank("    groups:\n      - groupName: 'Anna's group'\n"), "file.yaml:4:", "indentation"},
		"text that isn't indented": {"faults:\n  - path: /x\n    then:\n      body: |\n      hello\n",
			`file.yaml:5:7: a text after "|" or ">" is indented`, "missing"},
		"no institutions": {"institutions: []\n", "institutions is empty: list at least one", "remove"},
		"anchors at the top": {
			"defaults: &d {active: true}\n" + bank(""),
			"write &d where its value is used first",
			"did you mean",
		},
		"user who isn't generated": {bank("    clients: [{sharedKey: a, secretKey: b}]\n    generate: {users: 3}\n" +
			"    tokens: [{accessToken: t, client: a, hostUserId: \"9\"}]\n"), "generate makes 1000001 to 1000003",
			"add one"},
		"scenarios in a text": {"extends: retail, flaky\n", "write [retail, flaky]", "did you mean"},
		"unknown parent": {
			"extends: retial\nsed: 1\n" + bank("    users: [{hostUserId: 7}]\n    tokens: [{accessToken: t, "+
				"client: demo-app, refreshExpiresIn: 1h}]\n"),
			"not 7: write",
			"client of",
		},
		"alias of itself": {
			"x: {" + strings.Repeat("d: 1, ", 900) + "}\ny: &a {" + strings.Repeat("d: 1, ", 900) + "k: *a}\n",
			"duplicate key",
			"",
		},
		"built-in file":       {"extends: retail.yaml\n", "only a scenario that is a file itself", ""},
		"nothing is extended": {"extends:\n", "extends must name a scenario", "institutions"},
		"Kubernetes": {
			"apiVersion: v1\nspec:\n  a: b\n",
			`unknown key "spec": the keys here are`,
			"did you mean",
		},
		"user of a wrong list": {bank("    users: {a: b}\n    clients: [{sharedKey: a, secretKey: b}]\n" +
			"    tokens: [{accessToken: t, client: a, hostUserId: \"1\"}]\n"), "users must be a list", "add one"},
		"texts that aliases repeat": {"x: &x " + strings.Repeat("a", 600_000) + "\ny: [*x, *x]\n",
			"more than 1 MiB of text, counting what aliases repeat", ""},
		"long expression": {
			"faults: [{when: {request: {hostUserId: '~" + strings.Repeat("a{2}", 3000) + "'}}, then: {delay: 1s}}]\n" +
				bank(""),
			"hostUserId: the regular expression has more than 10000 bytes: simplify it",
			"",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scenario.Parse("file.yaml", []byte(test.source))
			var problems scenario.Problems
			require.ErrorAs(t, err, &problems)
			assert.Contains(t, err.Error(), test.says)
			if test.not != "" {
				assert.NotContains(t, err.Error(), test.not)
			}
		})
	}
}

// A file that isn't there is said with what is there.
func TestMistakenNames(t *testing.T) {
	t.Chdir(folder(t, map[string]string{"bank.yaml.txt": bank(""), "notes.yaml": bank(""), "emptydir/x.txt": ""}))
	for name, want := range map[string]string{
		"bank":        `unknown scenario "bank", and no file of this name: "bank.yaml.txt" is there`,
		"bank.yaml":   `there is no file "bank.yaml": "bank.yaml.txt" is there`,
		"note.yaml":   `there is no file "note.yaml": did you mean "notes.yaml"?`,
		"emptydir":    `"emptydir" is a folder: name a scenario file in it`,
		"nofolder/a/": "no such folder",
	} {
		_, err := scenario.Load(name)
		assert.ErrorContains(t, err, want, name)
	}
	sc, err := scenario.Load("bank.yaml.txt")
	require.NoError(t, err)
	assert.Equal(t, "bank.yaml", sc.Name)
	require.NoError(t, os.WriteFile("over.yaml", []byte("extends: emptydir\n"), 0o600))
	_, err = scenario.Load("over.yaml")
	assert.ErrorContains(t, err, `"emptydir" is a folder: name a scenario file in it`)
	require.NoError(t, os.WriteFile("emptydir/over.yaml", []byte("extends: ../bank.yaml.txt\n"), 0o600))
	_, err = scenario.Load("emptydir/over.yaml")
	assert.ErrorContains(t, err, "outside of its own folder, a scenario extends only files that end in .yaml or .yml")
}
