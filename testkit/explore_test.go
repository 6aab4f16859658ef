package testkit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// welcome is the test of an app that the documentation shows.
func welcome(t *testing.T, run *testkit.Run) {
	app := &Onboarding{BaseURL: run.BaseURL(), Token: run.Token(), HTTP: newClient()}
	err := app.Welcome("1003")
	if run.Failure == nil {
		require.NoError(t, err)
	}
}

func TestInsideOnboarding(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, welcome, testkit.RequireAllOrNothing(), testkit.EachWithin(5*time.Second))
}

// What the app does can be asserted failure by failure.
func TestCarefulOnboarding(t *testing.T) {
	testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
		login := func() string { return run.Token() }
		app := &CarefulOnboarding{Onboarding{BaseURL: run.BaseURL(), Token: login(), HTTP: newClient()}, login}
		err := app.Welcome("1003")
		switch f := run.Failure; {
		case f == nil:
			require.NoError(t, err)
		case f.Name == "401_expired":
			require.NoError(t, err, "it has signed in again")
		case f.Stays:
			require.Error(t, err, "it gives up")
		}
	}, testkit.RequireAllOrNothing(), oneAlert)
}

var oneAlert = testkit.Invariant("user 1003 has one alert at most", func(s testkit.State) error {
	for _, user := range s.Institutions[0].Users {
		if n := len(user.AlertPreferences); user.HostUserID == "1003" && n > 1 {
			return fmt.Errorf("there are %d", n)
		}
	}
	return nil
})

// findings returns the subtests that failed, sorted, without those of which they are subtests.
func findings(output string) (names []string) {
	for _, match := range regexp.MustCompile(`(?m)^ *--- FAIL: (\S+/\S+) `).FindAllStringSubmatch(output, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

// logged returns what a subtest that failed has logged.
func logged(t *testing.T, output, name string) string {
	t.Helper()
	output = regexp.MustCompile(`(?m)^\s*--- .*$`).ReplaceAllString(output, "$0\x00")
	_, run, _ := strings.Cut(name, "/")
	_, text, found := strings.Cut(output, "testkit: "+regexp.MustCompile(`/([^/]+#)`).ReplaceAllString(run, "+$1")+"\n")
	require.True(t, found, "%s in %s", name, output)
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

var reproductions = regexp.MustCompile(`go test -run '([^']+)' github.com/digitalbanking-sim/banksim/testkit\n`)

// aloneIs returns the pattern of go test -run for a subtest alone.
func aloneIs(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// onboarding is what the exploration of the app prints.
var onboarding = sync.OnceValues(func() (string, bool) { return inside("^TestInsideOnboarding$") })

// The mistakes that are planted are found, each with what reproduces it.
func TestExploreFindsMistakes(t *testing.T) {
	night(t, "an exploration waits until an app that hangs is given up")
	t.Parallel()
	out, passed := onboarding()
	require.False(t, passed)
	for begin, wants := range map[string][]string{
		"alerts.createPreference#1/answer-lost-after-commit": {"done twice", "the app retried with a new request id",
			"besides: a new row of alertPreferences/02688/1003 {", "phase: after"},
		"estatements.updateUser#1/40": {"left half done",
			"missing: accounts/02688/1003/acc-1003-checking with activateEstatement true"},
		"disclosures.createUser#1/timeout": {"it hung: it didn't end in its time.", "it had not ended after 5s"},
		// It is a failure of a call that the app makes only after another failure.
		"alerts.createPreference#1/400_PRMSYS_10002/alerts.createPreference#2/answer-lost-after-commit": {"done twice"},
	} {
		names, begin := findings(out), "TestInsideOnboarding/"+begin
		i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, begin) })
		require.GreaterOrEqual(t, i, 0, "%s is not among %s", begin, strings.Join(names, "\n"))
		again, passed := inside(aloneIs(names[i]))
		assert.False(t, passed, again)
		assert.Equal(t, []string{names[i]}, findings(again))
		text := logged(t, again, names[i])
		for _, want := range append(wants, "then:") {
			assert.Contains(t, text, want)
		}
		match := reproductions.FindStringSubmatch(text)
		require.NotNil(t, match, text)
		assert.Equal(t, aloneIs(names[i]), match[1])
	}
}

// The documentation shows the app, its tests, and what an exploration of them prints.
func TestDocumentedExploration(t *testing.T) {
	night(t, "an exploration waits until an app that hangs is given up")
	t.Parallel()
	var source strings.Builder
	for _, file := range []string{"onboarding_test.go", "carefulonboarding_test.go", "explore_test.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source.Write(text)
	}
	text, err := os.ReadFile("../docs/exploring.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```(go|text)\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	assert.NotEmpty(t, blocks)
	out, _ := onboarding()
	again, _ := inside(aloneIs("TestInsideOnboarding/alerts.createPreference#1/answer-lost-after-commit"))
	out = strings.NewReplacer("TestInsideOnboarding", "TestOnboarding", "github.com/digitalbanking-sim/banksim/testkit",
		"example.com/app").Replace(out + again)
	count := regexp.MustCompile(`[0-9.]+`) // of what was found: it is another one with each failure that is added
	out = count.ReplaceAllString(out, "N")
	for _, block := range blocks {
		if block[1] == "go" {
			assert.True(t, strings.Contains(source.String(), block[2]), block[2])
			continue
		}
		for line := range strings.Lines(block[2]) {
			assert.True(t, strings.Contains(out, strings.TrimSpace(count.ReplaceAllString(line, "N"))), line)
		}
	}
}

func TestInsideUndisturbed(t *testing.T) {
	skipOutside(t)
	for name, test := range map[string]func(*testing.T, *testkit.Run){
		"fails":    func(t *testing.T, run *testkit.Run) { listGroups(run.Bank, ""); t.Fatal("an assertion") },
		"skips":    func(t *testing.T, _ *testkit.Run) { t.Skip("not today") },
		"no calls": func(*testing.T, *testkit.Run) {},
		"hangs":    func(_ *testing.T, run *testkit.Run) { listGroups(run.Bank, ""); select {} },
		"is nil":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, test, testkit.EachWithin(2*time.Second))
			t.Log("it went on")
		})
	}
}

// A test that doesn't work without a failure isn't explored.
func TestExploreNeedsATestThatPasses(t *testing.T) {
	t.Parallel()
	out, passed := inside("^TestInsideUndisturbed$")
	assert.False(t, passed)
	assert.NotContains(t, out, "it went on")
	assert.Equal(t, 4, strings.Count(out, "    --- FAIL:"), out)
	assert.NotContains(t, out, "FAIL: TestInsideUndisturbed/skips")
	for _, message := range []string{
		"an assertion", "the test fails without a failure of the bank: nothing was explored",
		"the test function is nil",
		"the test takes longer than 2s without a failure of the bank, after 1 requests",
	} {
		assert.Contains(t, out, message)
	}
}

func TestInsideNothingToExplore(t *testing.T) {
	skipOutside(t)
	for name, opt := range map[string]testkit.Option{
		"other call":    testkit.OnlyFailures("groups.list#2/*", "groups.list#1/reset"),
		"other failure": testkit.OnlyFailures("*/time-out"),
		"no time":       testkit.Within(1),
		"skipped":       testkit.EachWithin(4 * time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
				if listGroups(run.Bank, ""); run.Failure != nil && name == "skipped" {
					t.Skip("not today")
				}
			}, opt)
		})
	}
}

// An exploration that can't find anything doesn't pass.
func TestNoVacuousExplorations(t *testing.T) {
	t.Parallel()
	out, passed := inside("^TestInsideNothingToExplore$")
	assert.False(t, passed)
	assert.Equal(t, 4, strings.Count(out, "    --- FAIL:"), out)
	for _, message := range []string{
		`"groups.list#2/*" selects no failure of the calls groups.list#1`, `"*/time-out" selects no failure`,
		"no run with a failure was made: the time of 1ns was over",
		"no run with a failure was made: all of them were skipped",
	} {
		assert.Contains(t, out, message)
	}
}

func TestInsideInvariant(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(t *testing.T, run *testkit.Run) { createGroup(run.Bank, "Night owls") },
		testkit.Scenario("empty"), testkit.OnlyFailures("*/reset", "*/answer-lost-after-commit"),
		testkit.Invariant("there is a group", func(s testkit.State) error {
			if len(s.Institutions[0].Groups) != 1 {
				return errors.New("there is none")
			}
			return nil
		}))
}

// An invariant is about the state at the end of each run.
func TestInvariants(t *testing.T) {
	t.Parallel()
	out, _ := inside("^TestInsideInvariant$")
	names := findings(out)
	require.Equal(t, []string{"TestInsideInvariant/groups.create#1/reset"}, names)
	assert.Contains(t, logged(t, out, names[0]),
		"After groups.create#1 failed with reset, the end breaks an invariant: there is a group: there is none")
}

func TestInsideTriesForEver(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
		for listGroups(run.Bank, "") != 200 {
		}
		run.Outcome(nil)
	}, testkit.OnlyFailures("*/500_2001"))
}

// An app that repeats a call as long as it fails is found by a failure that stays. The run is made alone by its name.
// A report has the run, with the command that makes it again.
func TestRetriesForEver(t *testing.T) {
	t.Parallel()
	const run = "TestInsideTriesForEver/groups.list#1/500_2001-stays"
	folder := filepath.Join(t.TempDir(), "reports")
	out, _ := inside("^TestInsideTriesForEver$", "BANKSIM_EXPLORE_REPORT="+folder)
	require.Equal(t, []string{run}, findings(out))
	text := logged(t, out, run)
	assert.Contains(t, text, "it retries without end: it sent groups.list 50 times, and each time it failed.")
	assert.Contains(t, text, `when: {"first":50}`)
	match := reproductions.FindStringSubmatch(text)
	require.NotNil(t, match, text)
	again, _ := inside(match[1])
	assert.Equal(t, []string{run}, findings(again))
	assert.Contains(t, again, "3 runs in ")

	type result struct {
		Name, Run string
		Findings  []string
	}
	var report struct{ Explorations []struct{ Results []result } }
	file := filepath.Join(folder, "explore-TestInsideTriesForEver")
	content, err := os.ReadFile(file + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &report))
	results := report.Explorations[0].Results
	i := slices.IndexFunc(results, func(r result) bool { return len(r.Findings) > 0 })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, "groups.list#1/500_2001-stays", results[i].Name)
	assert.Equal(t, strings.TrimSpace(match[0]), results[i].Run)
	for _, ending := range []string{".html", ".xml"} {
		content, err := os.ReadFile(file + ending)
		require.NoError(t, err)
		assert.Contains(t, string(content), results[i].Name, ending)
	}
}

func TestInsideOutcome(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
		run.PatchUser("02688", "1001", testkit.UserPatch{Active: testkit.Bool(false)}) // it arranges the bank
		createGroup(run.Bank, "Night owls")
		run.Outcome(nil)
	}, testkit.OnlyFailures("*/reset", "*/answer-lost-after-commit"))
}

// An app that reports success though nothing happened is a finding.
func TestOutcome(t *testing.T) {
	t.Parallel()
	out, _ := inside("^TestInsideOutcome$")
	names := findings(out)
	require.Equal(t, []string{"TestInsideOutcome/groups.create#1/reset"}, names)
	assert.Contains(t, logged(t, out, names[0]), "it reported success, but the bank says: nothing happened.")
}
