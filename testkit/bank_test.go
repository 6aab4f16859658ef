package testkit_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

const (
	groupsPath = "/digitalbanking/groups/v3/groups"
	checking   = "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001"
)

// ask sends a request as an app would, and returns the status and the body.
func ask(t testing.TB, bank *testkit.Bank, method, path, token, body string) (int, string) {
	t.Helper()
	status, text, err := try(bank, method, path, token, body)
	require.NoError(t, err)
	return status, text
}

func try(bank *testkit.Bank, method, path, token, body string) (int, string, error) {
	r, err := http.NewRequest(method, bank.BaseURL()+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for name, value := range map[string]string{"transactionId": "t-1", "correlationid": "c-1", "Content-Type": "application/json"} {
		r.Header.Set(name, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := bank.Client().Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

func createGroup(t testing.TB, bank *testkit.Bank, name string) int {
	t.Helper()
	status, _ := ask(t, bank, http.MethodPost, groupsPath, "", fmt.Sprintf(`{"groupName":%q}`, name))
	return status
}

func groupNames(bank *testkit.Bank) (names []string) {
	for _, g := range bank.State().Institutions[0].Groups {
		names = append(names, g.GroupName)
	}
	slices.Sort(names)
	return names
}

func TestScenarios(t *testing.T) {
	assert.Len(t, groupNames(testkit.Start(t, testkit.InProcess())), 23, "retail is the default")
	bank := testkit.Start(t, testkit.InProcess(),
		testkit.ScenarioYAML("extends: empty\ninstitutions: [{institutionId: '02688', groups: [{groupName: Mine}]}]\n"))
	assert.Contains(t, groupNames(bank), "Mine")
	token := func(seed uint64) string {
		return testkit.Start(t, testkit.InProcess(), testkit.Seed(seed)).Token()
	}
	assert.Equal(t, token(5), token(5))
	assert.NotEqual(t, token(5), token(6))
}

func TestTokens(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	get := func(path, token string) int { status, _ := ask(t, bank, "GET", path, token, ""); return status }
	assert.Equal(t, 200, get(checking, bank.Token()))
	assert.Equal(t, 200, get(checking, bank.Token(testkit.ForUser("1001"), testkit.ForClient("demo-app"))))
	assert.Equal(t, 404, get(checking, bank.Token(testkit.AtInstitution("05523"))), "user 1001 is another institution's")
}

func TestClock(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	frozen := bank.Freeze()
	assert.Equal(t, frozen, bank.Now())
	assert.Equal(t, frozen.Add(90*time.Minute), bank.Advance(90*time.Minute))
	there := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	bank.SetClock(there)
	assert.Equal(t, there, bank.Now())
	bank.Unfreeze()
	require.Eventually(t, func() bool { return bank.Now().After(there) }, time.Minute, time.Millisecond)
}

func TestWorlds(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess(), testkit.Scenario("base"))
	bank.Freeze()
	createGroup(t, bank, "First")
	bank.Snapshot("one")
	createGroup(t, bank, "Second")
	fork := bank.Fork()
	require.Len(t, bank.Diff("one"), 1)
	assert.Contains(t, bank.Diff("one")[0].Row, "groups/02688/")
	assert.Len(t, bank.Diff(""), 2)
	bank.Restore("one")
	assert.Equal(t, []string{"First"}, groupNames(bank))
	assert.Equal(t, []string{"First", "Second"}, groupNames(fork))
	off, on := false, true
	bank.PatchUser("02688", "1001", testkit.UserPatch{Active: &off, DisclosureStatus: "NOT_ACCEPTED"})
	bank.PatchAccount("02688", "1001", "acc-1001-checking", testkit.AccountPatch{ActivateEstatement: &on, DisclosureStatus: "NOT_ACCEPTED"})
	bank.PatchInstitution("02688", testkit.InstitutionPatch{Multistatement: &off})
	institution := bank.State().Institutions[0]
	assert.False(t, institution.Multistatement)
	user := institution.Users[0]
	assert.False(t, user.Active)
	assert.Equal(t, "NOT_ACCEPTED", user.Disclosures[0].Status)
	assert.True(t, user.Accounts[0].ActivateEstatement)
	assert.Equal(t, "NOT_ACCEPTED", user.Accounts[0].Disclosures[0].Status)
	bank.Reset()
	assert.Empty(t, groupNames(bank))
	assert.True(t, bank.State().Institutions[0].Users[0].Active)
}

func BenchmarkStart(b *testing.B) {
	testkit.Start(b, testkit.InProcess()) // starts the simulator
	for b.Loop() {
		b.StopTimer()
		t := &ended{TB: b}
		b.StartTimer()
		testkit.Start(t, testkit.InProcess())
		b.StopTimer()
		t.end()
		b.StartTimer()
	}
}

// ended is a test that ends when its end method is called.
type ended struct {
	testing.TB
	cleanups []func()
}

func (e *ended) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *ended) end() {
	for _, f := range e.cleanups {
		f()
	}
}
