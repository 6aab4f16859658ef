package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// publicForm returns a call to a token operation in the public dialect.
func publicForm(op *contract.Operation, form string) simtest.Call {
	op = op.In(sim.DialectPublic)
	return simtest.NewCall(op.Method, op.Path, "", "transactionId: "+aRequestID, "institutionId: 02688").
		With("authorization", "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=").WithForm(form)
}

// A token that one dialect issues works in the other, until either revokes it.
func TestTokensOfBothDialects(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	res := publicForm(contract.TokensIssue, "grant_type=password&username=avery&password=demo").Send(b)
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.NotContains(t, res.Body, "di_")
	got := simtest.Decode[simtest.Tokens](t, res)
	assert.Equal(t, "86399", got.ExpiresIn)
	assert.Equal(t, "15551999", got.RefreshExpiresIn)
	mine := getDisclosures.WithToken(got.AccessToken)
	assert.Equal(t, 200, mine.Send(b).StatusCode)

	b.ControlSandbox(200, "POST /clock", `{"advance":"23h59m59s"}`)
	assert.Equal(t, 200, mine.Send(b).StatusCode, "it works for a second more than it says")

	revoke := publicForm(contract.TokensRevoke, "token="+got.RefreshToken)
	res = revoke.Without("institutionId").Send(b)
	assert.Equal(t, 204, res.StatusCode, res.Body)
	assert.Empty(t, res.Body)
	assert.Equal(t, "UXESTMT_10002", mine.Send(b).Code(), "a refresh token takes its access token along")
	assert.Equal(t, "CMN_90016", revoke.Send(b).Code(), "the second time there is nothing to revoke")

	client := simtest.Decode[simtest.Tokens](t, issueTokens.WithForm("grant_type=client_credentials").Send(b))
	assert.Equal(t, 204, publicForm(contract.TokensRevoke, "token="+client.AccessToken).Send(b).StatusCode)
	assert.Equal(t, 401, getDisclosures.WithToken(client.AccessToken).Send(b).StatusCode)
}

// Another institution's client with keys of its own holds none of the first one's tokens, and nothing is revoked.
func TestRevocationOfAnotherClientsToken(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	res := publicForm(contract.TokensRevoke, "token=demo-token").With("authorization", "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0").Send(b)
	assert.Equal(t, "CMN_90016", res.Code())
	assert.Equal(t, 200, getDisclosures.Send(b).StatusCode)
}

// Without multistatement, the update of all accounts changes the user's own disclosures and nothing else.
func TestUpdateUserWithoutMultistatement(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	state := func() (user, account bool) {
		u, ok := b.World().User("05523", "2001")
		require.True(t, ok)
		a, ok := b.World().Account("05523", "2001", "acc-2001-checking")
		require.True(t, ok)
		return u.Disclosures[0].PaperWaiver, a.ActivateEstatement || a.Disclosures[0].PaperWaiver
	}
	user, account := state()
	require.False(t, user || account)
	update := publicly(contract.EstatementsUpdateUser, `{"activateEstatement":true}`).WithQuery("hostUserId=2001").WithToken("second-token")
	res := update.Send(b)
	require.Equal(t, 204, res.StatusCode, res.Body)
	user, account = state()
	assert.True(t, user)
	assert.False(t, account)
	b.ControlSandbox(200, "PATCH /institutions/05523", `{"multistatement":true}`)
	require.Equal(t, 204, update.Send(b).StatusCode)
	_, account = state()
	assert.True(t, account, "with it, the accounts change")
}

// disclosureStatusUpdatedAt has no effect unless the scenario stores it, and none at all in the document's dialect.
func TestStatusTimeOfUpdates(t *testing.T) {
	t.Parallel()
	const body = `{"activateEstatement":true,"accountId":"acc-1001-checking","disclosureStatusUpdatedAt":"2026-01-10T00:00:00-07:00"}`
	for switched, want := range map[string]string{"ignore": "2025-11-03T14:12:08+00:00", "store": "2026-01-10T07:00:00+00:00"} {
		b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {estatements: {statusUpdatedAt: "+switched+"}}\n")
		read := publicly(contract.EstatementsGetDisclosures, "").WithQuery("hostUserId=1001")
		require.Equal(t, 200, updateAccount.WithBody(body).Send(b).StatusCode)
		assert.Contains(t, read.Send(b).Body, "2025-11-03T14:12:08+00:00", "the document's dialect has no such member")
		res := publicly(contract.EstatementsUpdateAccount, body).WithQuery("hostUserId=1001").Send(b)
		require.Equal(t, 204, res.StatusCode, res.Body)
		assert.Contains(t, read.Send(b).Body, want, switched)
	}
}
