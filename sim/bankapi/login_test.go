package bankapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// issued are the tokens of an answer.
type issued struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// issue asks for tokens by a form.
func issue(t *testing.T, b *simtest.Bank, form string) (issued, simtest.Answer) {
	res := exampleCall(contract.TokensIssue).WithForm(form).Send(b)
	if res.StatusCode != 200 {
		return issued{}, res
	}
	all := simtest.Decode[map[string]string](t, res)
	return issued{all["access_token"], all["refresh_token"]}, res
}

const byPassword = "grant_type=password&username=avery&password="

// Within the time of grace, a used refresh token gives the same tokens again. Later it is refused and, if the scenario
// says so, ends its grant.
func TestUsedRefreshTokens(t *testing.T) {
	t.Parallel()
	for _, reuse := range []string{"refuse", "endGrant"} {
		b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {tokens: {refreshGrace: 30s, refreshReuse: "+reuse+"}}\n")
		first, _ := issue(t, b, byPassword+"demo")
		again := "grant_type=refresh_token&refresh_token=" + first.Refresh
		second, _ := issue(t, b, again)
		b.Advance(29 * time.Second)
		lost, res := issue(t, b, again)
		require.Equal(t, 200, res.StatusCode, res.Body)
		assert.Equal(t, second, lost)
		assert.Contains(t, res.Body, `"expires_in":"86371"`, "29 seconds are gone")
		assert.Equal(t, contract.TokensIssueRefreshGrace.ID, b.Last().Decision.Entries[0])
		exampleCall(contract.TokensRevoke).WithForm("refresh_token=" + first.Refresh).Send(b)
		simtest.GetDisclosures.WithToken(second.Access).Expect(b, 200, "a used refresh token holds no tokens any more")
		b.Advance(time.Second)
		_, res = issue(t, b, again)
		assert.Equal(t, "CMN_90016", res.Code())
		_, third := issue(t, b, "grant_type=refresh_token&refresh_token="+second.Refresh)
		assert.Equal(t, map[string]int{"refuse": 200, "endGrant": 400}[reuse], third.StatusCode, reuse)
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	first, _ := issue(t, b, byPassword+"demo")
	again := "grant_type=refresh_token&refresh_token=" + first.Refresh
	_, res := issue(t, b, again)
	assert.Equal(t, 200, res.StatusCode)
	_, res = issue(t, b, again)
	assert.Equal(t, "CMN_90016", res.Code(), "by default a refresh token works once")
}

// Wrong passwords are counted until the right one comes. So many in a row lock the user, who then gets no token.
func TestWrongPasswordsLockAUser(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {tokens: {lockAfter: 3}}\n")
	status := func() string { return exampleCall(contract.UsersGetStatus).Send(b).Body }
	for range 2 {
		_, res := issue(t, b, byPassword+"wrong")
		assert.Equal(t, "CMN_90015", res.Code())
	}
	assert.Contains(t, status(), `"failedLoginCount":2`)
	_, res := issue(t, b, byPassword+"demo")
	assert.Equal(t, 200, res.StatusCode)
	assert.Contains(t, status(), `"failedLoginCount":0`)
	for range 3 {
		_, res = issue(t, b, byPassword+"wrong")
		assert.Equal(t, "CMN_90015", res.Code())
	}
	assert.Contains(t, status(), `"locked":true`)
	_, res = issue(t, b, byPassword+"demo")
	assert.Equal(t, 401, res.StatusCode)
	assert.Equal(t, "CMN_90015", res.Code())
	assert.Equal(t, "user-locked", b.Last().Decision.Rule)
	why := b.ControlSandbox(200, "GET /journal/"+b.Last().ID+"/why", "").Body
	assert.Contains(t, why, `"label":"Unlock user 1001","method":"PATCH"`)
	b.ControlSandbox(200, "PATCH /institutions/02688/users/1001", `{"locked":false}`)
	_, res = issue(t, b, byPassword+"demo")
	assert.Equal(t, 200, res.StatusCode)
}
