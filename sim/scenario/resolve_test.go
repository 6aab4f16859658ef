package scenario

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResolveBuiltIn(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		s, err := Load(name)
		require.NoError(t, err)
		requireResolves(t, s)
	}
}

// randomLayer returns a random scenario that extends another one: a file or a built-in one.
func randomLayer(random *rand.Rand, extends string) string {
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	sometimes := func(text string) string { return pick(text, "") }
	id := func() string { return pick(`"1001"`, "'1002'", `"1005"`, "u-é", `"a: b"`) }
	var users strings.Builder
	taken := map[string]bool{}
	for range random.IntN(4) {
		name := id()
		if taken[name] {
			continue
		}
		taken[name] = true
		users.WriteString(pick(
			"\n    # about "+strings.Trim(name, `"'`)+"\n    - hostUserId: "+name+" # the user\n      active: "+pick("true", "false")+"\n      accounts:\n      - accountId: a\n        activateEstatement: true\n",
			"\n    - {hostUserId: "+name+", disclosures: [*accepted]}\n",
			"\n    - hostUserId: "+name+"\n      password: "+pick("|\n        two\n        lines\n", ">-\n        folded\n        text\n\n        more", "'single''s'", `"tab\t\u0085 end"`, "'a\n\n        b'", "plain\n        over lines", "2026-01-15T09:00:00Z", "!!str 7")+"\n      disclosures: &d"+fmt.Sprint(random.Uint32())+" [*accepted]\n",
		))
	}
	list := ""
	if users.Len() > 0 {
		list = "  users:" + users.String()
	}
	return "# head\nextends: " + extends + " # which\n" + sometimes("name: n\n") + sometimes("description: >\n  long\n  text\n") + sometimes("seed: "+pick("7", "0x1F", "18446744073709551615")+"\n") +
		sometimes("clock: {start: "+pick("2026-02-01T00:00:00Z", `"2026-02-01T00:00:00+01:00"`)+", run: false}\n") +
		sometimes("behavior:\n  # switches\n  groups: {duplicateName: allow}\n  tokens: {accessLifetime: 15m}\n") +
		sometimes("faults:\n- {name: f, operation: [groups.list], then: {status: 500, body: \"x\\ny\"}}\n- name: g\n  when: {during: {from: 2026-01-15T09:00:00Z}} # timed\n  then: {delay: 1ms}\n") +
		"institutions:\n- institutionId: \"02688\"\n" + sometimes("  alertTypes: &types [A, B]\n") +
		"  groups:\n  - groupName: &name " + pick("G", "'H'", "I # not a comment?", "123abc") + "\n    groupDescription: *name\n" +
		sometimes("  clients: null\n  tokens: null\n") + list + sometimes("# foot\n- institutionId: '2'\n  generate: {users: 2, groups: 1}\n") + "# end\n"
}

// Whatever scenarios extend one another, the resolved one loads to the same.
func TestResolveLayers(t *testing.T) {
	whole(t)
	t.Parallel()
	const sequences = 150
	random := rand.New(rand.NewPCG(2688, 1))
	folder := t.TempDir()
	valid := 0
	for n := range sequences {
		extends := Names()[random.IntN(len(Names()))]
		if extends == "crowd" {
			extends = "base"
		}
		file := ""
		for depth := range 1 + random.IntN(3) {
			name := fmt.Sprintf("s%d-%d.yaml", n, depth)
			file = filepath.Join(folder, name)
			source := strings.ReplaceAll(randomLayer(random, extends), "*accepted", "{institutionDisclosureStatus: ACCEPTED}")
			require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
			extends = name
		}
		s, err := Load(file)
		if err != nil {
			continue // null that removes nothing, for example
		}
		valid++
		requireResolves(t, s)
	}
	require.Greater(t, valid, sequences/5, "too few were valid")
	t.Logf("%d of %d were valid", valid, sequences)
}
