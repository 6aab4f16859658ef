package controlapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
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
	assert.Equal(t, api.UserSummary{InstitutionID: "02688", HostUserID: "1001", Username: "avery", Password: "demo", Active: true,
		GoodFor: []string{"active", "everything accepted", "can log in"}, Summary: "active, everything accepted, can log in", Accounts: 2,
		Tokens: []string{"demo-token", "demo-token-2", "avery-token"}}, list.Users[0])
	assert.Equal(t, []string{"demo-token", "demo-token-2"}, list.Users[1].Tokens, "avery-token is bound to another user")
	assert.Equal(t, []api.BankClient{{InstitutionID: "02688", SharedKey: "demo-app", SecretKey: "demo-secret"}, {InstitutionID: "05523", SharedKey: "second-app", SecretKey: "second-secret"}}, list.Clients)
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

func TestUsersInWords(t *testing.T) {
	t.Parallel()
	const yes, no = "disclosures: [{institutionDisclosureStatus: ACCEPTED}]", "disclosures: [{institutionDisclosureStatus: ACCEPTED}, {institutionDisclosureStatus: NOT_ACCEPTED}]"
	for account, summary := range map[string]string{
		"{}":                           "active, no disclosure, no accounts",
		"{" + yes + "}":                "active, user-level disclosure accepted, no accounts",
		"{" + no + "}":                 "active, has not accepted the user-level disclosure, no accounts",
		"{accounts: [{accountId: a}]}": "active, no disclosure",
		"{" + yes + ", username: x}":   "active, user-level disclosure accepted, no accounts",
		"{username: x, password: y}":   "active, no disclosure, no accounts, can log in",
		"{active: false, username: x, password: y, " + yes + "}":                                                        "inactive, user-level disclosure accepted, no accounts",
		"{" + yes + ", accounts: [{accountId: a}, {accountId: b, " + yes + "}]}":                                        "active, no disclosure of a",
		"{accounts: [{accountId: a, " + yes + "}]}":                                                                     "active, no user-level disclosure",
		"{" + yes + ", accounts: [{accountId: a, " + no + "}, {accountId: b, " + no + "}, {accountId: c, " + no + "}]}": "active, has not accepted the account-level disclosure of a, b and c",
		"{" + yes + ", accounts: [{accountId: a, " + no + "}, {accountId: b, " + no + "}, {accountId: c, " + no + "}, {accountId: d, " + no + "}, {accountId: e, " + yes + "}]}": "active, has not accepted the account-level disclosure of 4 of 5 accounts",
		"{" + yes + ", accounts: [{accountId: a, updateFails: true, activateEstatement: true, " + yes + "}]}":                                                                    "active, everything accepted, electronic statements for a, an update of all accounts fails for a",
	} {
		b := simtest.NewBank(t, "behavior: {estatements: {partialUpdate: allow}}\ninstitutions:\n- institutionId: '1'\n  clients: [{sharedKey: c, secretKey: s}]\n  tokens: [{accessToken: t, client: c}]\n"+
			"  users:\n  - {hostUserId: u, "+strings.TrimPrefix(account, "{")+"\n")
		assert.Equal(t, summary, users(t, b).Users[0].Summary, account)
	}
}

// A list is bounded: written users come first, then generated ones, and so many tokens of each.
func TestUsersOfLargeBank(t *testing.T) {
	t.Parallel()
	var tokens, clients strings.Builder
	for n := range 300 {
		fmt.Fprintf(&tokens, "  - {accessToken: t%d, client: c0}\n", n)
		fmt.Fprintf(&clients, "  - {sharedKey: c%d, secretKey: s}\n", n)
	}
	b := simtest.NewBank(t, "institutions:\n- {institutionId: '1', generate: {users: 500}}\n- institutionId: '2'\n  generate: {users: 50}\n  users: [{hostUserId: z}, {hostUserId: '1000003', username: x}]\n"+
		"  clients:\n"+clients.String()+"  tokens:\n"+tokens.String())
	list := users(t, b)
	assert.Len(t, list.Users, 200)
	assert.Equal(t, 551, list.Total)
	assert.Equal(t, 549, list.Generated)
	assert.Equal(t, "1000003", list.Users[0].HostUserID)
	assert.Equal(t, "z", list.Users[1].HostUserID)
	assert.Equal(t, "1000001", list.Users[2].HostUserID)
	assert.Equal(t, "demo", list.Users[2].Password)
	assert.Equal(t, []string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"}, list.Users[0].Tokens)
	assert.Len(t, list.Clients, 200)

	// In a large bank, a part is asked for: any user can be found.
	get := func(query string) api.Users {
		return simtest.Decode[api.Users](t, b.ControlSandbox(200, "GET /users"+query, ""))
	}
	last := get("?text=1000500")
	require.Len(t, last.Users, 1)
	assert.Equal(t, 1, last.Total)
	assert.Equal(t, "1000500", last.Users[0].HostUserID)
	assert.NotEmpty(t, last.Users[0].Summary)
	assert.Equal(t, 51, get("?institution=2").Total)
	assert.Equal(t, "z", get("?institution=2&user=z").Users[0].HostUserID)
	b.ControlSandbox(400, "GET /users?user=z", "")
	b.ControlSandbox(404, "GET /users?institution=3", "")
	b.ControlSandbox(404, "GET /users?institution=1&user=z", "")
}
