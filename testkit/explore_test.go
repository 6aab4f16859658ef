package testkit_test

import (
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

func TestInsideUseless(t *testing.T) {
	skipOutside(t)
	list := func(_ *testing.T, run *testkit.Run) { listGroups(run.Bank, "") }
	for name, e := range map[string]struct {
		test func(*testing.T, *testkit.Run)
		opts []testkit.Option
	}{
		"fails":   {func(t *testing.T, run *testkit.Run) { listGroups(run.Bank, ""); t.Fatal("an assertion") }, nil},
		"hangs":   {func(_ *testing.T, run *testkit.Run) { listGroups(run.Bank, ""); select {} }, nil},
		"is nil":  {nil, nil},
		"no call": {list, []testkit.Option{testkit.OnlyFailures("groups.list#2/*", "groups.list#1/reset")}},
		"no time": {list, []testkit.Option{testkit.Within(1)}},
		"skips": {func(t *testing.T, run *testkit.Run) {
			if listGroups(run.Bank, ""); run.Failure != nil {
				t.Skip("not today")
			}
		}, nil},
		"arranges late": {func(_ *testing.T, run *testkit.Run) {
			listGroups(run.Bank, "")
			run.NewGroup("02688", "Night owls")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, e.test, append(e.opts, testkit.EachWithin(2*time.Second))...)
			t.Log("it went on")
		})
	}
}

// An exploration that can't find anything fails: the test doesn't work without a failure, or no failure is tried.
func TestNoVacuousExplorations(t *testing.T) {
	t.Parallel()
	out, _ := inside("^TestInsideUseless$")
	for _, message := range []string{
		"an assertion", "the test fails without a failure of the bank: nothing was explored",
		"the test takes longer than 2s without a failure of the bank, after 1 requests",
		"the test function is nil",
		`"groups.list#2/*" selects no failure of the calls groups.list#1`,
		"no run with a failure was made: the time of 1ns was over",
		"no run with a failure was made: all of them were skipped",
		"a change of the bank comes after the app's first request",
	} {
		assert.Contains(t, out, message)
	}
	assert.Equal(t, 7, strings.Count(out, "    --- FAIL:"), out)
}

func TestInsideClaims(t *testing.T) {
	skipOutside(t)
	hasGroup := testkit.Invariant("there is a new group", func(s testkit.State) error {
		if len(s.Institutions[0].Groups) != 24 {
			return errors.New("there is none")
		}
		return nil
	})
	for name, opts := range map[string][]testkit.Option{"outcome": nil, "invariant": {hasGroup}} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, func(t *testing.T, run *testkit.Run) {
				run.PatchUser("02688", "1001", testkit.UserPatch{Active: testkit.Bool(false)}) // it arranges the bank
				createGroup(run.Bank, "Night owls")
				if name == "outcome" {
					run.Outcome(nil)
				}
			}, append(opts, testkit.OnlyFailures("*/reset", "*/answer-lost-after-commit"))...)
		})
	}
}

// An app that reports success though nothing happened is a finding, and so is an end that breaks an invariant.
func TestClaims(t *testing.T) {
	t.Parallel()
	out, _ := inside("^TestInsideClaims$")
	assert.Contains(t, out, "it reported success, but the bank says: nothing happened.")
	assert.Contains(t, out, "the end breaks an invariant: there is a new group: there is none")
	assert.Equal(t, 2, strings.Count(out, "/groups.create#1/reset ("), out)
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

	file := filepath.Join(folder, "explore-TestInsideTriesForEver")
	report, err := os.ReadFile(file + ".json")
	require.NoError(t, err)
	assert.Contains(t, string(report), `"name": "groups.list#1/500_2001-stays"`)
	assert.Contains(t, string(report), strings.ReplaceAll(strings.TrimSpace(match[0]), `\`, `\\`))
	assert.FileExists(t, file+".html")
	assert.FileExists(t, file+".xml")
}
