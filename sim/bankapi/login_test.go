package bankapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// tokensBy returns a request for tokens by a form.
func tokensBy(form string) simtest.Call { return exampleCall(contract.TokensIssue).WithForm(form) }

// refreshing returns a request for tokens by the refresh token of an answer.
func refreshing(t *testing.T, tokens simtest.Answer) simtest.Call {
	t.Helper()
	refresh := simtest.Decode[map[string]string](t, tokens)["refresh_token"]
	return tokensBy("grant_type=refresh_token&refresh_token=" + refresh)
}

const byPassword = "grant_type=password&username=avery&password="

// Within the time of grace, a used refresh token gives the same tokens again. Later it is refused and, if the scenario
// says so, ends its grant.
func TestUsedRefreshTokens(t *testing.T) {
	t.Parallel()
	for reuse, status := range map[string]int{"refuse": 200, "endGrant": 400} {
		b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {tokens: {refreshGrace: 30s, refreshReuse: "+reuse+"}}\n")
		again := refreshing(t, tokensBy(byPassword+"demo").Send(b))
		renewed := again.Expect(b, 200)
		second := simtest.Decode[map[string]string](t, renewed)
		b.Advance(29 * time.Second)
		lost := simtest.Decode[map[string]string](t, again.Expect(b, 200))
		assert.Equal(t, "86371", lost["expires_in"], "29 seconds are gone")
		for _, token := range []string{"access_token", "refresh_token"} {
			assert.Equal(t, second[token], lost[token])
		}
		assert.Equal(t, contract.TokensIssueRefreshGrace.ID, b.Last().Decision.Entries[0])
		tokensBy(strings.Replace(again.Body, "=refresh_token", "=client_credentials", 1)).Expect(b, 200)
		assert.NotContains(t, b.Last().Decision.Entries, contract.TokensIssueRefreshGrace.ID, "it uses none")
		exampleCall(contract.TokensRevoke).WithForm(strings.TrimPrefix(again.Body, "grant_type=refresh_token&")).Send(b)
		simtest.GetDisclosures.WithToken(second["access_token"]).
			Expect(b, 200, "a used refresh token holds no tokens any more")
		b.Advance(time.Second)
		assert.Equal(t, "CMN_90016", again.Send(b).Code())
		refreshing(t, renewed).Expect(b, status, reuse)
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	again := refreshing(t, tokensBy(byPassword+"demo").Send(b))
	again.Expect(b, 200)
	assert.Equal(t, "CMN_90016", again.Send(b).Code(), "by default a refresh token works once")
}

// Wrong passwords are counted until the right one comes. So many in a row lock the user, who then gets no token.
func TestWrongPasswordsLockAUser(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {tokens: {lockAfter: 3}}\n")
	status := func() string { return exampleCall(contract.UsersGetStatus).Send(b).Body }
	wrong, right := tokensBy(byPassword+"wrong"), tokensBy(byPassword+"demo")
	for range 2 {
		assert.Equal(t, "CMN_90015", wrong.Send(b).Code())
	}
	assert.Contains(t, status(), `"failedLoginCount":2`)
	right.Expect(b, 200)
	assert.Contains(t, status(), `"failedLoginCount":0`)
	for range 3 {
		assert.Equal(t, "CMN_90015", wrong.Send(b).Code())
	}
	assert.Contains(t, status(), `"locked":true`)
	assert.Equal(t, "CMN_90015", right.Expect(b, 401).Code())
	assert.Equal(t, "user-locked", b.Last().Decision.Rule)
	why := b.ControlSandbox(200, "GET /journal/"+b.Last().ID+"/why", "").Body
	assert.Contains(t, why, `"label":"Unlock user 1001","method":"PATCH"`)
	b.ControlSandbox(200, "PATCH /institutions/02688/users/1001", `{"locked":false}`)
	right.Expect(b, 200)
}
