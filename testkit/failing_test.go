package testkit_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		var info struct{ BaseURL string }
		_, text := get(t, bank.Client(), strings.SplitAfter(bank.ControlURL(), "/v1/")[0]+"info")
		require.NoError(t, json.Unmarshal([]byte(text), &info))
		service, _, _ := strings.Cut(info.BaseURL, "/sandboxes/")
		res, body := get(t, bank.Client(), service+groupsPath)
		assert.Equal(t, http.StatusMisdirectedRequest, res.StatusCode)
		assert.Contains(t, body, `a base URL is `+service+`/sandboxes/NAME; has the client dropped its path?`)
		t.Errorf("it failed")
	})
	assert.Contains(t, text, "the bank had no request: does the app use its BaseURL? "+
		"A request to the simulator named no bank: GET http://")
}

func TestRequireNoLints(t *testing.T) {
	text := failure(t, func(t testing.TB) {
		bank := testkit.Start(t)
		listGroups(bank, bank.Token())
		bank.RequireNoLints()
		listGroups(bank, bank.Token())
		bank.RequireNoLints()
	})
	assert.Contains(t, text, "testkit: the bank's journal has lints:\n\texchange 2, groups.list: request-id-reused: ")
}

// A call that the simulator refuses ends the test. The reason names the method, and no address of the control API.
func TestRefusals(t *testing.T) {
	for want, call := range map[string]func(bank *testkit.Bank){
		`testkit: Journal: `: func(bank *testkit.Bank) { bank.Journal("groups.lst") },
		`testkit: Token: the bank has no institution "99999"`: func(bank *testkit.Bank) {
			bank.Token(testkit.AtInstitution("99999"))
		},
		`testkit: the bank has no user "9999"`: func(bank *testkit.Bank) { bank.User("9999") },
		`testkit: PatchUser: institution 02688 has no user with hostUserId "9999"`: func(bank *testkit.Bank) {
			bank.PatchUser("02688", "9999", testkit.UserPatch{Active: testkit.Bool(true)})
		},
		`testkit: PatchAccount: `: func(bank *testkit.Bank) {
			bank.PatchAccount("02688", "1001", "acc-9", testkit.AccountPatch{UpdateFails: testkit.Bool(true)})
		},
		`testkit: NewUser: `:  func(bank *testkit.Bank) { bank.NewUser("02688", "1001") },
		`testkit: NewGroup: `: func(bank *testkit.Bank) { bank.NewGroup("99999", "Night owls") },
	} {
		text := failure(t, func(t testing.TB) {
			call(testkit.Start(t))
			panic("it went on")
		})
		reason, _, _ := strings.Cut(text, "\n")
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
