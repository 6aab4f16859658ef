package testkit_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

const groupsPath = "/digitalbanking/groups/v3/groups"

// request sends a request as an app does, and returns the answer with its body.
func request(client *http.Client, method, url, token, body string) (*http.Response, string, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	for name, value := range map[string]string{
		"transactionId": "t-1", "correlationid": "c-1", "Content-Type": "application/json",
	} {
		r.Header.Set(name, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return res, string(data), err
}

// get sends a request that has to be answered.
func get(t testing.TB, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	res, body, err := request(client, http.MethodGet, url, "", "")
	require.NoError(t, err)
	return res, body
}

// createGroup creates a group as an app does, and returns the status, or 0 without an answer.
func createGroup(bank *testkit.Bank, name string) int {
	body := fmt.Sprintf(`{"groupName":%q}`, name)
	return status(request(bank.Client(), http.MethodPost, bank.BaseURL()+groupsPath, "", body))
}

// listGroups lists the groups as an app with a token does, and returns the status, or 0 without an answer.
func listGroups(bank *testkit.Bank, token string) int {
	return status(request(bank.Client(), http.MethodGet, bank.BaseURL()+groupsPath, token, ""))
}

func status(res *http.Response, _ string, err error) int {
	if err != nil {
		return 0
	}
	return res.StatusCode
}

func groupNames(bank *testkit.Bank) (names []string) {
	for _, g := range bank.State().Institutions[0].Groups {
		names = append(names, g.GroupName)
	}
	slices.Sort(names)
	return names
}

// failing is a test that may fail without failing the test that runs it.
type failing struct {
	testing.TB
	cleanups []func()
	failed   bool
	text     strings.Builder
}

// stopped unwinds a failing test that ends early.
type stopped struct{}

func (f *failing) Cleanup(end func())        { f.cleanups = append(f.cleanups, end) }
func (f *failing) Failed() bool              { return f.failed }
func (f *failing) Log(args ...any)           { fmt.Fprintln(&f.text, args...) }
func (f *failing) Logf(s string, a ...any)   { fmt.Fprintf(&f.text, s+"\n", a...) }
func (f *failing) Errorf(s string, a ...any) { f.failed = true; f.Logf(s, a...) }
func (f *failing) Fatalf(s string, a ...any) { f.Errorf(s, a...); panic(stopped{}) }

// outcome runs a test to its end and returns what it logs, and whether it failed.
func outcome(t testing.TB, test func(t testing.TB)) (text string, failed bool) {
	f := &failing{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(stopped{}) {
				panic(p)
			}
		}()
		test(f)
	}()
	for _, end := range slices.Backward(f.cleanups) {
		end()
	}
	return f.text.String(), f.failed
}

// failure runs a test that has to fail, and returns what it logs.
func failure(t testing.TB, test func(t testing.TB)) string {
	t.Helper()
	text, failed := outcome(t, test)
	assert.True(t, failed, "it passes: %s", text)
	return text
}

// insideVariable is set in a test binary that a test runs.
const insideVariable = "BANKSIM_TESTKIT_INSIDE"

// inside runs tests that skip outside in a test binary of their own, as go test -run does, with more variables of the
// environment. It returns the output, and whether they passed.
func inside(pattern string, environment ...string) (output string, passed bool) {
	cmd := exec.Command(os.Args[0], "-test.run="+pattern, "-test.v", "-test.timeout=5m")
	cmd.Env = append(append(os.Environ(), insideVariable+"=1"), environment...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil && !strings.Contains(string(out), "no tests to run")
}

// skipOutside skips a test that would fail, or looks at all goroutines, unless a test binary of its own runs it.
func skipOutside(t *testing.T) {
	t.Helper()
	if os.Getenv(insideVariable) == "" {
		t.Skip("another test runs it in a test binary of its own")
	}
}

// night skips a test that is too long for every day, unless BANKSIM_NIGHT=1 asks for it.
func night(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("BANKSIM_NIGHT") != "1" {
		t.Skip(why + ": it runs with BANKSIM_NIGHT=1")
	}
}
