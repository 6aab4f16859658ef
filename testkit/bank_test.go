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
	assert.Len(t, groupNames(testkit.Start(t)), 23, "retail is the default")
	assert.Empty(t, groupNames(testkit.Start(t, testkit.Scenario("base"))))
	token := func(seed uint64) string { return testkit.Start(t, testkit.Seed(seed)).Token() }
	assert.Equal(t, token(5), token(5))
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

func TestBanksEndWithTheirTests(t *testing.T) {
	var address string
	t.Run("a test", func(t *testing.T) { address = testkit.Start(t).BaseURL() })
	_, err := http.Get(address + groupsPath)
	assert.ErrorContains(t, err, "connection refused")
}

func TestTokens(t *testing.T) {
	bank := testkit.Start(t)
	ask := func(opts ...testkit.TokenOption) int {
		path := "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001"
		return status(request(bank.Client(), http.MethodGet, bank.BaseURL()+path, bank.Token(opts...), ""))
	}
	assert.Equal(t, 200, ask())
	assert.Equal(t, 200, ask(testkit.ForUser("1001"), testkit.ForClient("demo-app")))
	assert.Equal(t, 404, ask(testkit.AtInstitution("05523")), "user 1001 is another institution's")

	grant := bank.Login("1001")
	assert.Equal(t, []string{"demo-app", "1001"}, []string{grant.Client, grant.HostUserID})
	assert.Equal(t, testkit.TokenActive, bank.TokenStatus(grant.AccessToken))
	bank.Advance(25 * time.Hour)
	assert.Equal(t, testkit.TokenExpired, bank.TokenStatus(grant.AccessToken))
	assert.Equal(t, testkit.TokenActive, bank.TokenStatus(grant.RefreshToken))
	assert.Equal(t, testkit.TokenUnknown, bank.TokenStatus("nobody"))
}

func TestClock(t *testing.T) {
	bank := testkit.Start(t, testkit.ScenarioYAML("extends: empty\nclock: {run: false}\n"))
	assert.Equal(t, bank.Now().Add(90*time.Minute), bank.Advance(90*time.Minute))
}

func TestPatchAccount(t *testing.T) {
	bank := testkit.Start(t)
	const checking = "acc-1001-checking"
	bank.PatchAccount("02688", "1001", checking, testkit.AccountPatch{
		ActivateEstatement: testkit.Bool(true), DisclosureStatus: testkit.NotAccepted, UpdateFails: testkit.Bool(true),
	})
	account := bank.Account(checking)
	assert.True(t, account.ActivateEstatement)
	assert.True(t, account.UpdateFails)
	assert.Equal(t, testkit.NotAccepted, account.Disclosures[0].Status)
}

func TestMoments(t *testing.T) {
	bank := testkit.Start(t, testkit.ScenarioYAML("extends: base\nclock: {run: false}\n"))
	createGroup(bank, "First")
	one := bank.Snapshot()
	began := bank.Now()
	createGroup(bank, "Second")
	bank.Advance(time.Hour)
	two, fork := bank.Snapshot(), bank.Fork()
	changes := one.Diff()
	require.Len(t, changes, 1)
	assert.Contains(t, changes[0].Row, "groups/02688/")
	assert.Nil(t, changes[0].Before)
	assert.Equal(t, "Second", changes[0].After["groupName"])
	assert.Empty(t, two.Diff())
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
	require.Len(t, bank.Journal(testkit.GroupsList), 1)
	x := bank.Journal(testkit.GroupsCreate)[1]
	assert.Equal(t, []any{"3", testkit.GroupsCreate, "refused", "group-exists", "published", []string{"lost"}},
		[]any{x.ID, x.Operation, x.Outcome, x.Rule, x.Basis, x.Faults})
	assert.Contains(t, x.Row, "groups/02688/")
	assert.Contains(t, x.Reason, "Night owls")
	assert.Contains(t, x.Lints[0], "request-id-reused: ")
	assert.Equal(t, []any{http.MethodPost, groupsPath, `{"groupName":"Night owls"}`, "t-1"},
		[]any{x.Request.Method, x.Request.Path, x.Request.Body, x.Request.Header.Get("TRANSACTIONID")})
	assert.Equal(t, 0, x.Response.Status)
	first := bank.Journal("groups.*")[0].Response
	assert.Equal(t, "t-1", first.Header.Get("transactionid"))
	assert.Contains(t, first.Body, "Early adopters")
}

func BenchmarkStart(b *testing.B) {
	testkit.Start(b) // starts the simulator
	for b.Loop() {
		outcome(b, func(t testing.TB) { testkit.Start(t) })
	}
}
