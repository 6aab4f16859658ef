package controlapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func users(t *testing.T, b *simtest.Bank) api.Users {
	t.Helper()
	return simtest.Decode[api.Users](t, b.ControlSandbox(200, "GET /users", ""))
}

// The summaries of the default scenario say what its comments say, and follow what changes.
func TestUsers(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	summaries := func() map[string]string {
		all := map[string]string{}
		for _, u := range users(t, b).Users {
			assert.Equal(t, u.Summary, strings.Join(u.GoodFor, ", "))
			all[u.HostUserID] = u.Summary
		}
		return all
	}
	assert.Equal(t, map[string]string{
		"1001": "active, everything accepted, can log in",
		"1002": "inactive, everything accepted",
		"1003": "active, has not accepted the user-level disclosure",
		"1004": "active, has not accepted the account-level disclosure of acc-1004-savings, electronic statements for acc-1004-checking",
		"2001": "active, everything accepted, multistatement is not configured for the institution",
	}, summaries())
	list := users(t, b)
	assert.Equal(t, api.UserSummary{InstitutionID: "02688", HostUserID: "1001",
		CustomerID: "7A2C94E1B05D48F39C6E1D8A5B3F7042", Username: "avery", Password: "demo", Active: true,
		GoodFor: []string{"active", "everything accepted", "can log in"}, Summary: "active, everything accepted, can log in", Accounts: 2,
		Tokens: []string{"demo-token", "demo-token-2", "avery-token"}}, list.Users[0])
	status := "/v1/user-status/" + list.Users[1].CustomerID + "?userIdType=CUSTOMER_ID"
	res := simtest.Calls[contract.UsersGetStatus.Name].At("/digitalbanking/db-users" + status).Send(b)
	assert.Equal(t, 200, res.StatusCode, "users.getStatus takes the customerId that the list shows")
	assert.Equal(t, []string{"demo-token", "demo-token-2"}, list.Users[1].Tokens, "avery-token is bound to another user")
	assert.Equal(t, []api.BankClient{{InstitutionID: "02688", SharedKey: "demo-app", SecretKey: "demo-secret"},
		{InstitutionID: "02688", SharedKey: "partner-app", SecretKey: "partner-secret"},
		{InstitutionID: "05523", SharedKey: "second-app", SecretKey: "second-secret"}}, list.Clients)
	assert.Equal(t, 5, list.Total)
	assert.Zero(t, list.Generated)

	b.ControlSandbox(200, "PATCH "+userPath, `{"active":false}`)
	require.Equal(t, 200, simtest.RevokeTokens.Send(b).StatusCode)
	require.Equal(t, 200, simtest.IssueTokens.WithBody(`{"grant_type":"client_credentials"}`).Send(b).StatusCode)
	assert.Equal(t, "inactive, everything accepted", summaries()["1001"])
	assert.Equal(t, []string{"demo-token", "avery-token"}, users(t, b).Users[0].Tokens, "one is revoked, and one was issued meanwhile")
	b.Advance(8760 * 3600e9)
	assert.Empty(t, users(t, b).Users[0].Tokens)
	assert.Contains(t, summaries()["1001"], ", no token of the scenario reaches it")
}
