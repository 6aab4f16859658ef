package testkit_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A failed test logs the exchanges of its bank; one that passed logs nothing.
func TestFailedTestsReport(t *testing.T) {
	story := func(t testing.TB) {
		bank := testkit.Start(t)
		createGroup(bank, "Night owls")
		bank.Inject(testkit.Fault{Name: "gone", Then: testkit.Close, AfterCommit: true})
		_, _, err := request(bank.Client(), http.MethodPost, bank.BaseURL()+groupsPath, "secret-token",
			`{"groupName":"`+strings.Repeat("x", 1000)+`"}`)
		assert.Error(t, err)
	}
	text, failed := outcome(t, story)
	assert.False(t, failed)
	assert.Empty(t, text)
	text = failure(t, func(t testing.TB) {
		story(t)
		t.Errorf("it failed")
	})
	for _, part := range []string{
		"1  POST /digitalbanking/groups/v3/groups -> 200 OK\n\taccepted by groups.create (basis: choice)",
		"-> no answer", `"answeredBy":"gone"`, "lint: ", "… (", `request:  {"groupName":"Night owls"}`,
	} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "secret-token")
	assert.Less(t, len(text), 6000)
}

// A request to the simulator that names no bank reaches none. A failed test whose bank had no request mentions it.
func TestRequestsThatNameNoBank(t *testing.T) {
	text := failure(t, func(t testing.TB) {
		bank := testkit.Start(t)
		_, info := get(t, bank.Client(), strings.SplitAfter(bank.ControlURL(), "/v1/")[0]+"info")
		service := regexp.MustCompile(`"baseUrl":"(.*?)/sandboxes/`).FindStringSubmatch(info)[1]
		res, body := get(t, bank.Client(), service+groupsPath)
		assert.Equal(t, http.StatusMisdirectedRequest, res.StatusCode)
		assert.Contains(t, body, `a base URL is `+service+`/sandboxes/NAME; has the client dropped its path?`)
		t.Errorf("it failed")
	})
	assert.Contains(t, text, "the bank had no request. A request to the simulator named no bank: GET http://")
	assert.Contains(t, text, "Does the app use the bank's BaseURL?")
}

// A call that the simulator refuses, or that would pass by a slip, ends the test. The reason has no address of the
// control API.
func TestRefusals(t *testing.T) {
	for want, call := range map[string]func(bank *testkit.Bank){
		`Journal: `:                              func(b *testkit.Bank) { b.Journal("groups.lst") },
		`Token: there is no institution "99999"`: func(b *testkit.Bank) { b.Token(testkit.AtInstitution("99999")) },
		`Token: the hostUserID is empty`:         func(b *testkit.Bank) { b.Token(testkit.ForUser("")) },
		`TokenStatus: "Bearer x" is no`:          func(b *testkit.Bank) { b.TokenStatus("Bearer x") },
		`the bank has no user "9999"`:            func(b *testkit.Bank) { b.User("9999") },
		`PatchUser: an argument is empty: ["02688" ""]`: func(b *testkit.Bank) {
			b.PatchUser("02688", "", testkit.UserPatch{Active: testkit.Bool(false)})
		},
		`Token: an option is nil`:       func(b *testkit.Bank) { b.Token(nil) },
		`PatchUser: the patch is empty`: func(b *testkit.Bank) { b.PatchUser("02688", "1001", testkit.UserPatch{}) },
		`NewUser: `:                     func(b *testkit.Bank) { b.NewUser("02688", "1001") },
		`does a struct export its fields?`: func(b *testkit.Bank) {
			b.Verify(testkit.Expect{Body: struct{ groupName string }{"Day birds"}})
		},
		`an Expect is not valid JSON`: func(b *testkit.Bank) { b.Eventually(1, testkit.Expect{Body: `{"groupName"`}) },
	} {
		text := failure(t, func(t testing.TB) {
			call(testkit.Start(t))
			panic("it went on")
		})
		reason, _, _ := strings.Cut(text, "\n")
		assert.Contains(t, reason, "testkit: ")
		assert.Contains(t, reason, want)
		assert.NotRegexp(t, `/v1/|127\.0\.0\.1`, reason)
	}
}

// In a bubble of testing/synctest there is no network: Start doesn't hang.
func TestStartInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := failure(t, func(t testing.TB) { testkit.Start(t) })
		assert.Equal(t, "testkit: Start: a bubble of testing/synctest has no network: use testkit.InMemory()\n", text)
	})
}
