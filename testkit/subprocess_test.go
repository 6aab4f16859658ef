package testkit_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// insideVariable is set in a test binary that a test runs. What it runs there would fail, or look at all goroutines.
const insideVariable = "BANKSIM_TESTKIT_INSIDE"

// inside runs one of the tests that skip outside in a test binary of its own, with more variables of the environment, and returns
// its output and whether it passed.
func inside(t *testing.T, test string, environment ...string) (output string, passed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.v", "-test.timeout=1m")
	cmd.Env = append(append(os.Environ(), insideVariable+"=1"), environment...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func skipOutside(t *testing.T) {
	t.Helper()
	if os.Getenv(insideVariable) == "" {
		t.Skip("another test runs it in a test binary of its own")
	}
}

func TestInsidePanics(t *testing.T) {
	skipOutside(t)
	bank := testkit.Start(t, testkit.InProcess())
	createGroup(t, bank, "Night owls")
	var app *App
	app.sent++ // as an app with a bug does
}

// The log of a test that panics has the exchanges, too, before the panic.
func TestPanicsReport(t *testing.T) {
	out, passed := inside(t, "TestInsidePanics")
	assert.False(t, passed)
	assert.Regexp(t,
		`(?s)the bank's last exchanges.*request:  \{"groupName":"Night owls"\}.*panic: runtime error: invalid memory address`, out)
}

// goroutines returns the stacks of all goroutines but its own, those of package testing and those of some functions.
func goroutines(ignored []string) []string {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	return slices.DeleteFunc(strings.Split(string(text), "\n\n"), func(stack string) bool {
		return slices.ContainsFunc(append([]string{"github.com/digitalbanking-sim/banksim/testkit_test.goroutines", "testing.tRunner",
			"testing.(*M).Run"}, ignored...), func(function string) bool {
			return strings.Contains(stack, "\n"+function+"(")
		})
	})
}

func TestInsideLeavesNothing(t *testing.T) {
	skipOutside(t)
	t.Cleanup(func() {
		ignored := testkit.IgnoreGoroutines()
		assert.Eventually(t, func() bool { return len(goroutines(ignored)) == 0 }, 10*time.Second, time.Millisecond)
		for _, stack := range goroutines(ignored) {
			t.Log(stack)
		}
		for i := range ignored {
			assert.NotEmpty(t, goroutines(slices.Delete(slices.Clone(ignored), i, i+1)), "there is no %s to ignore", ignored[i])
		}
	})
	for n := range 20 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.InProcess(), testkit.AsHost(fixedHost))
			require.Equal(t, 200, createGroup(t, bank, "Night owls"))
			require.Equal(t, 200, createGroup(t, bank.Fork(), "Early birds"))
			res, _ := send(t, bank.Client(), "GET", "https://"+fixedHost+groupsPath, "")
			require.Equal(t, 200, res.StatusCode)
			bank.Await(t.Context(), func(testkit.Exchange) bool { return true })
			_, err := testkit.Started(t.Context(), testkit.Scenario("retial"))
			require.Error(t, err)
		})
	}
}

// What a leak detector has to ignore is what IgnoreGoroutines says, and nothing else stays when the banks have ended.
func TestIgnoreGoroutines(t *testing.T) {
	out, passed := inside(t, "TestInsideLeavesNothing")
	assert.True(t, passed, out)
	assert.Contains(t, out, "--- PASS: TestInsideLeavesNothing")
}
