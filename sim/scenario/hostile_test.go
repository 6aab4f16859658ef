package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// repeated returns n texts, each made of a format with its number.
func repeated(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// Anybody can post a file. Each of these took from 2 s to minutes while the work on it grew with the square of its
// size; now the slowest takes about one. The bound is generous, for busy machines.
func TestHostileScenarios(t *testing.T) {
	simtest.Night(t, "it computes for seconds")
	t.Parallel()
	const bank = `institutions: [{institutionId: "02688", clients: [{sharedKey: a, secretKey: b}], `
	long := strings.Repeat("x", 60)
	for name, source := range map[string]string{
		"an open quote before spaces": `description: "` + strings.Repeat(" ", 900_000),
		"texts with colons in a line": `x: [` + repeated(60_000, `"a: %d", `) + `]`,
		"keys":                        `x: {` + repeated(60_000, `k%d: 1, `) + `}`,
		"keys to merge":               "extends: base\nbehavior: {messages: {" + repeated(9_999, `k%d: a, `) + "}}\n" + bank + `}]`,
		"empty items":                 bank + `alertTypes: [` + repeated(40_000, `"", `) + `]}]`,
		"aliases of a long text":      "a: &a " + strings.Repeat("k", 9_000) + "\nb: [" + repeated(99, "*a, ") + "]",
		"aliases of a long key": "a: &a " + strings.Repeat("k", 900_000) + "\nfaults: [" +
			repeated(98, "{then: {headers: {*a : b}}}, ") + "]",
		"a long expression": "a: &a ~" + strings.Repeat("(a|b)*", 150_000) +
			"\nfaults: [{when: {request: {hostUserId: *a}}, then: {delay: 1s}}]",
		"alert types": bank + `alertTypes: [` + repeated(5_000, `A%d, `) + `], alertPreferences: [` +
			repeated(3_000, `{alertPreferenceDetails: {alertTypeName: B%d}}, `) + `]}]`,
		"faults of users": bank + `users: [` + repeated(10_000, `{hostUserId: "%d"}, `) + `]}]` + "\nfaults: [" +
			repeated(999, `{when: {request: {hostUserId: "u%d"}}, then: {delay: 1s}}, `) + "]",
		"long ids that don't exist": bank + `users: [` + repeated(5_000, `{hostUserId: "`+long+`%d"}, `) + `], tokens: [` +
			repeated(4_000, `{accessToken: a%d, client: a, hostUserId: "y`+long+`"}, `) + `]}]`,
		"removals of what isn't there": "extends: base\n" + `institutions: [{institutionId: "02688", users: [` +
			repeated(20_000, `{hostUserId: "u%d", remove: true}, `) + `]}]`,
		"quoted ids in a line":       bank + `users: [` + repeated(40_000, `{hostUserId: "%d"}, `) + `]}]`,
		"participants":               bank + `groups: [{groupName: a, participants: [` + repeated(90_000, `a%d, `) + `a]}]}]`,
		"scenarios that don't exist": `extends: [` + repeated(60_000, `"x%d", `) + "]\n" + bank + `}]`,
		"aliases with a comment":     "a: &a x #y\nb: [" + strings.Repeat("*a, ", 190_000) + "]\n" + bank + `}]`,
		"faults without a user": "institutions: [" + repeated(28_000, `{institutionId: "%d"}, `) + "]\nfaults: [" +
			repeated(999, `{when: {request: {header: {a: b}}}, then: {delay: 1s}}, `) + "]",
		"a syntax error at the end": strings.Repeat("a: b\n", 25_000) + "c: d: e\n",
		"brackets":                  "a: " + strings.Repeat("[", 900_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := scenario.Parse("hostile.yaml", []byte(source))
			assert.Less(t, time.Since(start), time.Minute, "%.200v", err) // what grows with the square takes longer
			t.Log(time.Since(start))
		})
	}
}

// The paths of a merge are deep and their keys long.
func TestHostileMerge(t *testing.T) {
	simtest.Night(t, "it computes for seconds")
	t.Parallel()
	deep := strings.Repeat("{"+strings.Repeat("k", 990)+": ", 40) + "{" + repeated(
		900, "a%d: 1, ",
	) + "}" + strings.Repeat("}", 40)
	folder := t.TempDir()
	parents := make([]string, 18)
	for i := range parents {
		parents[i] = fmt.Sprintf("p%d.yaml", i)
		require.NoError(t, os.WriteFile(filepath.Join(folder, parents[i]), []byte("x: "+deep+"\n"), 0o600))
	}
	file := filepath.Join(folder, "top.yaml")
	require.NoError(t, os.WriteFile(file, []byte("extends: ["+strings.Join(parents, ", ")+"]\nx: "+deep+"\n"), 0o600))
	start := time.Now()
	_, err := scenario.Load(file)
	assert.ErrorContains(t, err, `unknown key "x"`)
	assert.Less(t, time.Since(start), time.Minute)
}
