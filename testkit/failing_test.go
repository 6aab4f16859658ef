package testkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// failing is a test that may fail without failing the test that runs it.
type failing struct {
	ended
	failed bool
	text   strings.Builder
}

// stopped unwinds a failing test that ends early.
type stopped struct{}

func (f *failing) Failed() bool              { return f.failed }
func (f *failing) Log(args ...any)           { fmt.Fprintln(&f.text, args...) }
func (f *failing) Logf(s string, a ...any)   { fmt.Fprintf(&f.text, s+"\n", a...) }
func (f *failing) Errorf(s string, a ...any) { f.failed = true; f.Logf(s, a...) }
func (f *failing) Fatalf(s string, a ...any) { f.Errorf(s, a...); panic(stopped{}) }

// fails runs a test to its end and returns what it logs, and whether it failed.
func fails(t *testing.T, test func(t testing.TB, bank *testkit.Bank), opts ...testkit.Option) (string, bool) {
	f := &failing{ended: ended{TB: t}}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(stopped{}) {
				panic(p)
			}
		}()
		test(f, testkit.Start(f, append(opts, testkit.InProcess())...))
	}()
	f.end()
	return f.text.String(), f.failed
}

// A failed test logs the exchanges of its bank; one that passed logs nothing.
func TestFailedTestsReport(t *testing.T) {
	story := func(t testing.TB, bank *testkit.Bank) {
		createGroup(t, bank, "Night owls")
		createGroup(t, bank, "Night owls")
		ask(t, bank, "GET", "/digitalbanking/group/v3/groups", "", "")
		bank.Inject(testkit.Fault{Name: "gone", Then: testkit.Then{Connection: testkit.Connection{Kind: testkit.ConnectionClose}},
			Phase: testkit.AfterOperation})
		_, _, _ = try(bank, "POST", groupsPath, "secret-token", `{"groupName":"`+strings.Repeat("x", 1000)+`"}`)
	}
	text, failed := fails(t, story)
	assert.False(t, failed)
	assert.Empty(t, text)
	text, failed = fails(t, func(t testing.TB, bank *testkit.Bank) { story(t, bank); t.Errorf("it failed") })
	assert.True(t, failed)
	for _, part := range []string{
		"1  POST /digitalbanking/groups/v3/groups -> 200 OK\n\taccepted by groups.create (basis: choice)",
		"2  POST /digitalbanking/groups/v3/groups -> 400 Bad Request\n\trefused by group-exists on groups/02688/",
		"3  GET /digitalbanking/group/v3/groups -> 404 Not Found\n\trefused by path-unknown: " +
			"/digitalbanking/group/v3/groups is not simulated: did you mean groups.list,",
		"-> no answer", `"answeredBy":"gone"`, "lint: ", "… (", `request:  {"groupName":"Night owls"}`,
	} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "secret-token")
	assert.Less(t, len(text), 6000)
	text, _ = fails(t, func(t testing.TB, _ *testkit.Bank) { t.Errorf("it failed") })
	assert.Contains(t, text, "the bank had no request: does the app use its BaseURL?")
}

func TestRequirements(t *testing.T) {
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
		token := bank.Token()
		ask(t, bank, "GET", groupsPath, token, "")
		bank.RequireNoLints()
		bank.RequireDocumented()
		ask(t, bank, "GET", groupsPath, token, "")
		bank.RequireNoLints()
	})
	assert.True(t, failed)
	assert.Contains(t, text, "testkit: the bank's journal has lints:\n\texchange 2, groups.list: request-id-reused: ")
	text, failed = fails(t, func(t testing.TB, bank *testkit.Bank) {
		ask(t, bank, "GET", groupsPath, bank.Token(), "")
		ask(t, bank, "GET", groupsPath, "", "")
		bank.Inject(testkit.Fault{Operation: "groups.list", Then: testkit.Then{Status: 503, Error: testkit.FaultError{Code: "X"}}})
		ask(t, bank, "GET", groupsPath, bank.Token(), "")
		bank.RequireDocumented()
	})
	assert.True(t, failed)
	assert.NotContains(t, text, "exchange 1, groups.list: 200 rests")
	assert.Contains(t, text, "exchange 2, groups.list: 200 rests on choice (groups.auth)")
	assert.Contains(t, text, "exchange 3, groups.list: 503 rests on choice")
	assert.Contains(t, text, "and its status is injected and undocumented")
}

// A call that the control API refuses ends the test with the reason.
func TestRefusals(t *testing.T) {
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
		bank.Inject(testkit.Fault{Operation: "groups.lst", Then: testkit.Then{Status: 500}})
		panic("it went on")
	})
	assert.True(t, failed)
	assert.Contains(t, text, `/faults: 422 the faults have a problem, and nothing was changed`)
	assert.Contains(t, text, `unknown operation "groups.lst": did you mean "groups.list"?`)
	for _, opts := range [][]testkit.Option{{testkit.Scenario("retial")}, {testkit.ScenarioYAML("extends: retial")}} {
		text, failed = fails(t, func(testing.TB, *testkit.Bank) {}, opts...)
		assert.True(t, failed)
		assert.Contains(t, text, `did you mean "retail"?`)
	}
	text, _ = fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.Token(testkit.AtInstitution("99999")) })
	assert.Contains(t, text, "the bank has no institution 99999")
	text, _ = fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.Restore("nope") })
	assert.Contains(t, text, "there is no snapshot of this name")
}

// An app that retries without end fails the test, with the request.
func TestRetriesWithoutEnd(t *testing.T) {
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
		bank.Inject(testkit.Fault{Operation: "groups.create", Then: testkit.Then{Status: 500}})
		for createGroup(t, bank, "Night owls") != 200 {
		}
	})
	assert.True(t, failed)
	assert.Contains(t, text, "/digitalbanking/groups/v3/groups 1000 times in a row, and each time it failed: it retries without end")
}
