package testkit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
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
func welcome(t *testing.T, bank *testkit.Bank) {
	app := &Onboarding{BaseURL: bank.BaseURL(), Token: bank.Token(), HTTP: newClient()}
	err := app.Welcome("1003")
	if bank.Failure() == nil {
		require.NoError(t, err)
	}
}

func TestInsideOnboarding(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, welcome, testkit.RequireAllOrNothing(), testkit.EachWithin(5*time.Second))
}

func newCarefulOnboarding(bank *testkit.Bank) *CarefulOnboarding {
	login := func() string { return bank.Token() }
	return &CarefulOnboarding{Onboarding{BaseURL: bank.BaseURL(), Token: login(), HTTP: newClient()}, login}
}

func TestCarefulOnboarding(t *testing.T) {
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
		err := newCarefulOnboarding(bank).Welcome("1003")
		if bank.Failure() == nil {
			require.NoError(t, err)
		}
	}, testkit.RequireAllOrNothing())
}

// insideWith runs tests in a test binary of its own, as go test -run does, and returns its output and whether they passed. With
// -test.v, package testing writes lines of tests that run at the same time in between.
func insideWith(t testing.TB, pattern string) (output string, passed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern, "-test.timeout=5m")
	cmd.Env = append(os.Environ(), insideVariable+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// findings returns the subtests that failed, sorted, without those of which they are subtests.
func findings(output string) (names []string) {
	for _, match := range regexp.MustCompile(`(?m)^ *--- FAIL: (\S+/\S+) `).FindAllStringSubmatch(output, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

var reproductions = regexp.MustCompile(`go test -run '([^']+)' github.com/digitalbanking-sim/banksim/testkit\n`)

// onboarding is what the exploration of the app prints.
var onboarding = sync.OnceValues(func() (string, error) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestInsideOnboarding$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), insideVariable+"=1")
	out, err := cmd.Output()
	return string(out), err
})

// The mistakes that are planted are found, each with what reproduces it.
func TestExploreFindsMistakes(t *testing.T) {
	night(t, "an exploration waits until an app that hangs is given up")
	t.Parallel()
	out, err := onboarding()
	require.Error(t, err, "it has findings")
	for name, wants := range map[string][]string{
		"alerts.createPreference#1/answer-lost-after-commit": {"done twice", "besides: a new row of alertPreferences/02688/1003 {",
			"the app retried with a new request id", "phase: after"},
		"estatements.updateUser#1/40": {"left half done",
			"missing: accounts/02688/1003/acc-1003-checking with activateEstatement true"},
		"disclosures.createUser#1/timeout": {"it hung: it didn't end in its time.", "it had not ended after 5s", "hang"},
		// It is a failure of a call that the app makes only after another failure.
		"alerts.createPreference#1/400_PRMSYS_10002/alerts.createPreference#2/answer-lost-after-commit": {"done twice"},
	} {
		name = matching(t, findings(out), "TestInsideOnboarding/"+name)
		t.Run(name, func(t *testing.T) {
			again := alone(t, name)
			assert.Equal(t, []string{name}, findings(again))
			text := logged(t, again, name)
			for _, want := range append(wants, "then:") {
				assert.Contains(t, text, want)
			}
			match := reproductions.FindStringSubmatch(text)
			require.NotNil(t, match, text)
			assert.Equal(t, aloneIs(name), match[1])
		})
	}
}

// aloneIs returns the pattern of go test -run for a subtest alone.
func aloneIs(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// alone makes a failing run of an exploration alone, and returns its output: among others, one of a cause that another run has found
// before names only that.
func alone(t *testing.T, name string) string {
	t.Helper()
	output, passed := insideWith(t, aloneIs(name))
	assert.False(t, passed, output)
	return output
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
	out += alone(t, "TestInsideOnboarding/alerts.createPreference#1/answer-lost-after-commit")
	out = strings.NewReplacer("TestInsideOnboarding", "TestOnboarding", "github.com/digitalbanking-sim/banksim/testkit",
		"example.com/app").Replace(out)
	count := regexp.MustCompile(`[0-9.]+`) // of what was found: it is another one with each failure that is added
	out = count.ReplaceAllString(out, "N")
	for _, block := range blocks {
		if block[1] == "go" {
			assert.Contains(t, source.String(), block[2])
			continue
		}
		for line := range strings.Lines(block[2]) {
			assert.Contains(t, out, strings.TrimSpace(count.ReplaceAllString(line, "N")))
		}
	}
}

// matching returns the name that begins with a text.
func matching(t *testing.T, names []string, begin string) string {
	t.Helper()
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, begin) })
	require.GreaterOrEqual(t, i, 0, "%s is not among %s", begin, strings.Join(names, "\n"))
	return names[i]
}

func TestInsideWrongOptions(t *testing.T) {
	skipOutside(t)
	for name, opt := range map[string]testkit.ExploreOption{
		"runs":      testkit.MaxRuns(2),
		"within":    testkit.Within(-time.Second),
		"each":      testkit.EachWithin(0),
		"invariant": testkit.Invariant("", nil),
		"brackets":  testkit.OnlyFailures("groups.create#1/[5"),
		"none":      testkit.OnlyFailures(),
		"report":    testkit.ReportTo(""),
		"scenario":  testkit.Scenario("retial"),
		"nil":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, func(t *testing.T, _ *testkit.Bank) { t.Log("it was run") }, opt)
		})
	}
	t.Run("no function", func(t *testing.T) { testkit.Explore(t, nil) })
}

// A wrong option ends the test before anything is run, and the message says what is right.
func TestExploreRefusesWrongOptions(t *testing.T) {
	t.Parallel()
	out, passed := inside(t, "TestInsideWrongOptions")
	assert.False(t, passed)
	assert.Equal(t, 10, strings.Count(out, "    --- FAIL:"), out)
	assert.NotContains(t, out, "it was run")
	for _, message := range []string{
		"MaxRuns(2): it takes at least 3", "Within(-1s): it takes a time above 0", "EachWithin(0s): it takes",
		`Invariant("", …): it takes a name and a function`, `OnlyFailures: "groups.create#1/[5" is not a pattern`,
		"OnlyFailures takes at least a pattern", "ReportTo takes the name of a directory", `did you mean "retail"?`,
		"an option is nil", "the test function is nil",
	} {
		assert.Contains(t, out, message)
	}
}

// list asks for the groups.
func listGroups(bank *testkit.Bank) error {
	status, _, err := try(bank, http.MethodGet, groupsPath, "", "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("it is answered with %d", status)
	}
	return err
}

func TestInsideUndisturbed(t *testing.T) {
	skipOutside(t)
	for name, test := range map[string]func(*testing.T, *testkit.Bank){
		"fails":    func(t *testing.T, bank *testkit.Bank) { _ = listGroups(bank); t.Fatal("an assertion") },
		"skips":    func(t *testing.T, _ *testkit.Bank) { t.Skip("not today") },
		"no calls": func(*testing.T, *testkit.Bank) {},
		"hangs":    func(_ *testing.T, bank *testkit.Bank) { _ = listGroups(bank); select {} },
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
	out, passed := inside(t, "TestInsideUndisturbed")
	assert.False(t, passed)
	assert.NotContains(t, out, "it went on")
	assert.Equal(t, 3, strings.Count(out, "    --- FAIL:"), out)
	assert.Contains(t, out, "--- SKIP: TestInsideUndisturbed/skips")
	assert.Contains(t, out, "an assertion")
	assert.Contains(t, out, "the test fails without a failure of the bank: nothing was explored")
	assert.Contains(t, out, "the test takes longer than 2s without a failure of the bank, after 1 requests")
}

func TestInsideNothingToExplore(t *testing.T) {
	skipOutside(t)
	for name, opt := range map[string]testkit.ExploreOption{
		"other call":    testkit.OnlyFailures("groups.list#2/*", "groups.list#1/reset"),
		"other failure": testkit.OnlyFailures("*/time-out"),
		"no time":       testkit.Within(1),
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Explore(t, func(_ *testing.T, bank *testkit.Bank) { _ = listGroups(bank) }, opt)
		})
	}
	t.Run("skipped", func(t *testing.T) {
		testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
			if _ = listGroups(bank); bank.Failure() != nil {
				t.Skip("not today")
			}
		}, testkit.EachWithin(4*time.Second))
	})
}

// An exploration that can't find anything doesn't pass.
func TestNoVacuousExplorations(t *testing.T) {
	t.Parallel()
	out, passed := insideWith(t, "^TestInsideNothingToExplore$")
	assert.False(t, passed)
	assert.Equal(t, 4, strings.Count(out, "    --- FAIL:"), out)
	for _, message := range []string{
		`"groups.list#2/*" selects no failure of the calls groups.list#1`, `"*/time-out" selects no failure`,
		"no run with a failure was made: the time of 1ns was over", "no run with a failure was made: all of them were skipped",
	} {
		assert.Contains(t, out, message)
	}
}

// An invariant is about the state at the end of each run.
func TestInsideInvariants(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
		_, _, _ = try(bank, "POST", groupsPath, "", `{"groupName":"Night owls"}`)
	},
		testkit.Scenario("empty"), testkit.OnlyFailures("groups.create#1/reset", "groups.create#1/answer-lost-after-commit"),
		testkit.Invariant("there is a group", func(s testkit.State) error {
			if len(s.Institutions[0].Groups) != 1 {
				return errors.New("there is none")
			}
			return nil
		}))
}

func TestInvariants(t *testing.T) {
	t.Parallel()
	out, passed := insideWith(t, "^TestInsideInvariants$")
	assert.False(t, passed)
	assert.Equal(t, []string{"TestInsideInvariants/groups.create#1/reset"}, findings(out))
	assert.Contains(t, logged(t, out, findings(out)[0]),
		"After groups.create#1 failed with reset, the end breaks an invariant: there is a group: there is none")
}

func TestInsideTriesForEver(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
		err := listGroups(bank)
		for err != nil {
			err = listGroups(bank)
		}
		bank.Outcome(err)
	}, testkit.OnlyFailures("*/500_2001"))
}

// An app that repeats a call as long as it fails is found by a failure that stays. The run is made alone by its name.
func TestRetriesForEver(t *testing.T) {
	t.Parallel()
	out, passed := insideWith(t, "^TestInsideTriesForEver$")
	assert.False(t, passed)
	names := findings(out)
	require.Equal(t, []string{"TestInsideTriesForEver/groups.list#1/500_2001-stays"}, names)
	text := logged(t, out, names[0])
	assert.Contains(t, text, "it retries without end: it sent groups.list 50 times, and each time it failed.")
	assert.Contains(t, text, `when: {"first":50}`)
	match := reproductions.FindStringSubmatch(text)
	require.NotNil(t, match, text)
	again, _ := insideWith(t, match[1])
	assert.Equal(t, names, findings(again))
	assert.Contains(t, again, "3 runs in ")
}

func TestInsideReports(t *testing.T) {
	skipOutside(t)
	t.Run("by option", func(t *testing.T) {
		testkit.Explore(t, welcome, testkit.RequireAllOrNothing(), testkit.OnlyFailures("estatements.updateUser#1/reset"),
			testkit.ReportTo(os.Getenv("BANKSIM_REPORT")+"/else/where"))
	})
	t.Run("by variable", func(t *testing.T) {
		testkit.Explore(t, welcome, testkit.OnlyFailures("estatements.updateUser#1/reset"))
	})
}

// The report has what was found, with the command that makes a run again.
func TestExploreReports(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "reports")
	t.Setenv("BANKSIM_REPORT", folder)
	_, passed := inside(t, "TestInsideReports")
	assert.False(t, passed)
	for name, findings := range map[string]int{"explore-TestInsideReports-by_variable": 0,
		"else/where/explore-TestInsideReports-by_option": 1} {
		name = filepath.Join(folder, name)
		var report struct {
			Explorations []struct {
				Name    string
				Results []struct {
					Name, Run string
					Findings  []string
				}
			}
		}
		text, err := os.ReadFile(name + ".json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &report))
		require.Len(t, report.Explorations, 1)
		require.Len(t, report.Explorations[0].Results, 1)
		result := report.Explorations[0].Results[0]
		assert.Equal(t, "estatements.updateUser#1/reset", result.Name)
		assert.Len(t, result.Findings, findings)
		assert.Equal(t, "go test -run '^TestInsideReports$/^"+strings.TrimPrefix(report.Explorations[0].Name, "TestInsideReports/")+
			`$/^estatements\.updateUser#1$/^reset$' github.com/digitalbanking-sim/banksim/testkit`, result.Run)
		for _, ending := range []string{".html", ".xml"} {
			text, err := os.ReadFile(name + ending)
			require.NoError(t, err)
			assert.Contains(t, string(text), "estatements.updateUser#1/reset", name+ending)
		}
	}
	files, err := filepath.Glob(folder + "/*")
	require.NoError(t, err)
	assert.Len(t, files, 4, "and nothing besides")
}

// logged returns what a subtest that failed has logged.
func logged(t *testing.T, output, name string) string {
	t.Helper()
	output = regexp.MustCompile(`(?m)^(=== (RUN|NAME|CONT|PAUSE) .*|\s*--- .*)$`).ReplaceAllString(output, "$0\x00")
	_, run, _ := strings.Cut(name, "/")
	_, text, found := strings.Cut(output, "testkit: "+regexp.MustCompile(`/([^/]+#)`).ReplaceAllString(run, "+$1")+"\n")
	require.True(t, found, "%s in %s", name, output)
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// night skips a test that is too long for every day, unless BANKSIM_NIGHT=1 asks for it.
func night(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("BANKSIM_NIGHT") != "1" {
		t.Skip(why + ": it runs with BANKSIM_NIGHT=1")
	}
}

var oneAlert = []testkit.ExploreOption{
	testkit.Invariant("user 1003 has one alert at most", func(s testkit.State) error {
		for _, user := range s.Institutions[0].Users {
			if n := len(user.AlertPreferences); user.HostUserID == "1003" && n > 1 {
				return fmt.Errorf("there are %d", n)
			}
		}
		return nil
	}),
}

// What the app does can be asserted failure by failure.
func TestExploreWithAssertions(t *testing.T) {
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
		welcomeAndAssert(t, bank, newCarefulOnboarding(bank))
	}, append(oneAlert, testkit.OnlyFailures("*/401_*", "*/reset"))...)
}

func welcomeAndAssert(t *testing.T, bank *testkit.Bank, app *CarefulOnboarding) {
	err := app.Welcome("1003")
	switch f := bank.Failure(); {
	case f == nil:
		require.NoError(t, err)
	case f.Name == "401_expired":
		require.NoError(t, err, "it has signed in again")
	case f.Stays:
		require.Error(t, err, "it gives up")
	}
}
