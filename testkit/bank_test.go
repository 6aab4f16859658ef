package testkit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestScenarios(t *testing.T) {
	assert.Empty(t, groupNames(testkit.Start(t, testkit.Scenario("base"))))
	token := func(seed uint64) string { return testkit.Start(t, testkit.Seed(seed)).Token() }
	assert.NotEqual(t, token(5), token(6))
	assert.Equal(t, testkit.Start(t).Token(), token(7), "7 is the default")
}

// Each bank has a host of its own, so that a client that drops a path of the base URL still reaches it.
func TestBaseURLs(t *testing.T) {
	bank := testkit.Start(t)
	seen := map[string]bool{}
	for _, b := range []*testkit.Bank{bank, bank.Fork(), testkit.Start(t)} {
		assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, b.BaseURL())
		assert.False(t, seen[b.BaseURL()])
		seen[b.BaseURL()] = true
		_, body := get(t, b.Client(), b.BaseURL()+groupsPath+"?size=2")
		assert.Contains(t, body, `{"rel":"next","href":"`+b.BaseURL()+groupsPath+`?page=1&size=2"}`)
		require.Len(t, b.Journal(""), 1)
		assert.Equal(t, b.BaseURL()+groupsPath+"?size=2", b.Journal("")[0].Request.URL)
	}
	res, _ := get(t, bank.Client(), bank.BaseURL()+"/sandboxes/default"+groupsPath)
	assert.Equal(t, http.StatusNotFound, res.StatusCode, "there is no way to another bank")
}

func TestTokens(t *testing.T) {
	bank := testkit.Start(t)
	path := "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001"
	for want, token := range map[int]string{
		200: bank.Token(testkit.ForUser("1001"), testkit.ForClient("demo-app")),
		404: bank.Token(testkit.AtInstitution("05523")), // user 1001 is another institution's
	} {
		assert.Equal(t, want, status(request(bank.Client(), http.MethodGet, bank.BaseURL()+path, token, "")))
	}
	grant := bank.Login("1001")
	assert.Equal(t, []string{"demo-app", "1001"}, []string{grant.Client, grant.HostUserID})
	assert.Equal(t, testkit.TokenActive, bank.TokenStatus(grant.AccessToken))
	assert.Equal(t, testkit.TokenUnknown, bank.TokenStatus("nobody"))
}

func TestPatchAccount(t *testing.T) {
	bank := testkit.Start(t)
	const checking = "acc-1001-checking"
	bank.PatchAccount("02688", "1001", checking, testkit.AccountPatch{
		ActivateEstatement: testkit.Bool(true), DisclosureStatus: testkit.NotAccepted, UpdateFails: testkit.Bool(true),
	})
	account := bank.Account(checking)
	assert.True(t, account.ActivateEstatement && account.UpdateFails)
	assert.Equal(t, testkit.NotAccepted, account.Disclosures[0].Status)
}

func TestMoments(t *testing.T) {
	bank := testkit.Start(t, testkit.ScenarioYAML("extends: base\nclock: {run: false}\n"))
	createGroup(bank, "First")
	one, began := bank.Snapshot(), bank.Now()
	createGroup(bank, "Second")
	assert.Equal(t, began.Add(time.Hour), bank.Advance(time.Hour))
	fork := bank.Fork()
	changes := one.Diff()
	require.Len(t, changes, 1)
	assert.Contains(t, changes[0].Row, "groups/02688/")
	assert.Nil(t, changes[0].Before)
	assert.Equal(t, "Second", changes[0].After["groupName"])
	one.Restore()
	assert.Equal(t, []string{"First"}, groupNames(bank))
	assert.Equal(t, began, bank.Now())
	assert.Len(t, bank.Journal(""), 2, "the journal stays")
	assert.Equal(t, []string{"First", "Second"}, groupNames(fork))
	assert.Empty(t, fork.Journal(""))
}

// An exchange says what was asked, what was answered, and why.
func TestJournal(t *testing.T) {
	bank := testkit.Start(t)
	listGroups(bank, "")
	createGroup(bank, "Night owls")
	bank.Inject(testkit.Fault{Name: "lost", Then: testkit.Close, AfterCommit: true})
	createGroup(bank, "Night owls")
	x := bank.Journal(testkit.GroupsCreate)[1]
	assert.Equal(t, []any{"3", testkit.GroupsCreate, "refused", "group-exists", "published", []string{"lost"}},
		[]any{x.ID, x.Operation, x.Outcome, x.Rule, x.Basis, x.Faults})
	assert.Contains(t, x.Row, "groups/02688/")
	assert.Contains(t, x.Reason, "Night owls")
	assert.Contains(t, x.Lints[0], "request-id-reused: ")
	assert.Equal(t, []any{http.MethodPost, groupsPath, `{"groupName":"Night owls"}`, "t-1"},
		[]any{x.Request.Method, x.Request.Path, x.Request.Body, x.Request.Header.Get("TRANSACTIONID")})
	assert.Equal(t, 0, x.Response.Status)
	assert.Contains(t, bank.Journal("groups.*")[0].Response.Body, "Early adopters")
}
