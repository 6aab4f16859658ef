package scenario_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// layers draws scenarios that extend one another and built-in ones, and writes them.
type layers struct {
	t      *rapid.T
	folder string
	files  []string // those that were written
	bad    int      // how many were drawn that were bad
}

func (l *layers) pick(what string, of ...string) string { return rapid.SampledFrom(of).Draw(l.t, what) }

func (l *layers) sometimes(text string) string {
	if rapid.Bool().Draw(l.t, "there") {
		return text
	}
	return ""
}

// item returns an item with an id: one that changes what is inherited, or that takes it away.
func (l *layers) item(key, id string, changes ...string) string {
	switch l.pick("item", "change", "change", "change", "remove", "replace") {
	case "remove":
		return fmt.Sprintf("{%s: %s, remove: true}", key, id)
	case "replace":
		return fmt.Sprintf("{%s: %s, replace: true%s}", key, id, l.pick("changes", changes...))
	}
	return fmt.Sprintf("{%s: %s%s}", key, id, l.pick("changes", changes...))
}

// list returns a list of items, with different ids, or null.
func (l *layers) list(key string, indent int, ids []string, item func(id string) string) string {
	space := strings.Repeat(" ", indent)
	switch l.pick("list", "items", "items", "items", "items", "replace", "null") {
	case "null":
		return space + key + ": null\n"
	case "replace":
		return space + key + ":\n" + space + "- replace: true\n" + space + "- " + strings.ReplaceAll(
			item(ids[0]), ", remove: true", "",
		) +
			"\n"
	}
	text := space + key + ":\n"
	for _, id := range rapid.Permutation(ids).Draw(l.t, "ids")[:rapid.IntRange(1, 2).Draw(l.t, "items")] {
		text += space + "- " + item(id) + "\n"
	}
	return text
}

func (l *layers) disclosure(string) string {
	return "{institutionDisclosureStatus: " + l.pick("status", "ACCEPTED", "NOT_ACCEPTED") +
		l.sometimes(
			", institutionDisclosureName: "+l.pick("name", "OLS", "ESIGN"),
		) + l.sometimes(", paperWaiver: true") + "}"
}

// write writes a good scenario that extends others, and returns its name. It counts the bad ones that come before,
// whose problems must be in a file that was written.
func (l *layers) write(extends ...string) string {
	const attempts = 4 // the last one only extends
	name := fmt.Sprintf("s%d.yaml", len(l.files))
	for attempt := range attempts {
		text := fmt.Sprintf("extends: [%s]\n", strings.Join(extends, ", "))
		if attempt < attempts-1 {
			text = l.draw(extends)
		}
		_, err := l.load(name, text)
		if err == nil {
			l.files = append(l.files, text)
			break
		}
		var problems scenario.Problems
		require.ErrorAs(l.t, err, &problems)
		l.bad++
		for _, p := range problems {
			require.Regexp(
				l.t,
				`^s\d\.yaml$`,
				filepath.Base(p.File),
				"%s\n%s---\n%s",
				p,
				strings.Join(l.files, "---\n"),
				text,
			)
		}
	}
	return name
}

// draw returns a scenario.
func (l *layers) draw(extends []string) string {
	text := fmt.Sprintf("extends: [%s]\n", strings.Join(extends, ", "))
	text += l.sometimes("seed: "+l.pick("seed", "1", "9", "null")+"\n") +
		l.sometimes("clock: {run: "+l.pick("run", "true", "false", "null")+"}\n") +
		l.sometimes(
			"behavior: {groups: {createStatus: "+l.pick("status", "200", "201", "null")+", nameLimit: "+l.pick(
				"limit", "40", "60",
			)+"}}\n",
		) +
		l.sometimes(l.list("faults", 0, []string{"busy-bank", "f", "g"}, func(name string) string {
			return l.item("name", name, ", then: {delay: 1ms}", ", then: {status: 500}",
				", operation: groups.list, then: {status: 500, delay: {uniform: [1ms, 2ms]}}",
				", when: {request: {hostUserId: '1001'}}, then: {delay: 1ms}")
		}))
	users := l.list("users", 2, []string{"'1001'", "'1002'", "'7'"}, func(id string) string {
		return l.item(
			"hostUserId",
			id,
			"",
			", active: false",
			", username: avery, password: x",
			", accounts: [{accountId: acc-1001-checking, remove: true}]",
			", disclosures: ["+l.disclosure(
				"",
			)+"]",
			", accounts: [{accountId: a, disclosures: ["+l.disclosure("")+"]}]",
			", alertPreferences: [{alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: "+l.pick(
				"channel", "EMAIL", "PUSH",
			)+"}, alertOpted: "+l.pick("opted", "true", "false")+"}]",
		)
	})
	groups := l.list("groups", 2, []string{"Early adopters", "VIP"}, func(name string) string {
		return l.item("groupName", name, "", ", groupStatus: DELETED", ", groupParticipantCount: 5",
			", jobs: [{jobId: 6a0f7d1c-2f6e-4c55-9d0e-9a1b6f0c7e21, jobStatus: FAILED}]")
	})
	tokens := l.list("tokens", 2, []string{"demo-token", "avery-token", "t"}, func(token string) string {
		return l.item("accessToken", token, ", client: demo-app", ", client: demo-app, expiresIn: 1h",
			", expiresAt: 2027-01-01T00:00:00Z, expiresIn: null", ", client: demo-app, hostUserId: '1001'")
	})
	text += "institutions:\n- institutionId: '02688'\n" + l.sometimes(
		"  multistatement: false\n",
	) + l.sometimes(
		"  clients: null\n",
	) +
		l.sometimes(
			users,
		) + l.sometimes(
		groups,
	) + l.sometimes(
		tokens,
	)
	return text
}

// load writes a file and loads it.
func (l *layers) load(name, source string) (*scenario.Scenario, error) {
	file := filepath.Join(l.folder, name)
	require.NoError(l.t, os.WriteFile(file, []byte(source), 0o600))
	return scenario.Load(file)
}

// Whatever scenarios extend one another, one loads to the same when it is resolved, when it is extended twice, and when
// it is merged into itself. More sequences: -rapid.checks. The problems of a bad one are in a file that its author can
// mend, never in a built-in one.
func TestMerging(t *testing.T) {
	t.Parallel()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(simtest.Times(10, 100))))
	}
	folder := t.TempDir()
	bad := 0
	rapid.Check(t, func(t *rapid.T) {
		l := layers{t: t, folder: folder}
		same := func(want *scenario.Scenario, name, source string) {
			got, err := l.load(name, source)
			require.NoError(t, err)
			scenario.RequireSame(t, want, got, strings.Join(l.files, "---\n"))
		}
		built := l.pick("built-in", "base", "retail", "slow", "empty")
		left := l.write(built)
		top := l.write(left)
		switch l.pick("shape", "chain", "diamond", "list") {
		case "diamond":
			top = l.write(left, l.write(built))
		case "list":
			top = l.write(top, "base", left)
		}
		s, err := l.load(top, l.files[len(l.files)-1])
		require.NoError(t, err)
		bad += l.bad
		resolved, err := s.Resolved()
		require.NoError(t, err)
		same(s, "alone.yaml", string(resolved))
		kept, err := scenario.Stored("kept.yaml", s.Version, resolved)
		require.NoError(t, err)
		merged, err := kept.Merged()
		require.NoError(t, err)
		same(s, "plain.yaml", string(merged))
		same(s, "twice.yaml", fmt.Sprintf("extends: [%s, %s]\n", top, top))
		same(s, "itself.yaml", "extends: "+top+"\n"+string(resolved))
	})
	t.Logf("%d bad scenarios were drawn, too", bad)
	require.Positive(t, bad)
}

func TestWithOrigins(t *testing.T) {
	t.Parallel()
	sc, err := scenario.Parse("ours.yaml", []byte("extends: base\nbehavior: {strict: true}\n"))
	require.NoError(t, err)
	text, err := sc.WithOrigins([]string{"https://app.example"})
	require.NoError(t, err)
	assert.Contains(t, string(text), "\nbehavior:\n  strict: true\n  cors:\n    origins:\n      - https://app.example\n")
}
