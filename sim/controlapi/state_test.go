package controlapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A part of the state has the rows that are asked for, as they are in the whole.
func TestPartOfState(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	part := func(query string) api.Institution {
		t.Helper()
		found := simtest.Decode[api.State](
			t, b.ControlSandbox(200, "GET /state?institution=02688"+query, ""),
		).Institutions
		require.Len(t, found, 1)
		return found[0]
	}
	whole, one := part(""), part("&user=1001")
	assert.Len(t, part("&limit=1").Users, 1)
	assert.Equal(t, whole.Users[:1], one.Users)
	assert.Empty(t, one.Groups, "no group is a user's")
	var reach []api.Token
	for _, token := range whole.Tokens {
		if token.HostUserID == "" || token.HostUserID == "1001" {
			reach = append(reach, token)
		}
	}
	assert.Equal(t, reach, one.Tokens)
	assert.Len(t, part("&user=1002").Tokens, len(reach)-1, "avery's token is only for 1001")

	found := part("&text=ACC-1003")
	require.Len(t, found.Users, 1, "by an account, in any case")
	assert.Equal(t, "1003", found.Users[0].HostUserID)
	assert.Empty(t, found.Groups)
	assert.Len(t, part("&text="+whole.Tokens[0].AccessToken).Tokens, 1, "by its fingerprint")
	assert.Equal(t, whole.Groups[:1], part("&text="+whole.Groups[0].GroupID).Groups)
	assert.NotContains(t, b.ControlSandbox(200, "GET /state?institution=05523", "").Body, "02688")
}

// The summaries of the default scenario say what its comments say, and follow what changes.
func TestUsers(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	users := func() api.Users { return simtest.Decode[api.Users](t, b.ControlSandbox(200, "GET /users", "")) }
	list := users()
	assert.Equal(
		t,
		"active, has not accepted the account-level disclosure of acc-1004-savings, electronic statements for "+
			"acc-1004-checking",
		list.Users[3].Summary,
	)
	assert.Contains(
		t,
		get(b, "/users"),
		`"customerId":"7A2C94E1B05D48F39C6E1D8A5B3F7042","username":"avery","password":"demo","active":true,`,
	)
	assert.Equal(t, []string{"demo-token", "demo-token-2", "avery-token"}, list.Users[0].Tokens)
	status := "/v1/user-status/" + list.Users[1].CustomerID + "?userIdType=CUSTOMER_ID"
	res := simtest.Calls[contract.UsersGetStatus.Name].At("/digitalbanking/db-users" + status).Send(b)
	assert.Equal(t, 200, res.StatusCode, "users.getStatus takes the customerId that the list shows")
	assert.Equal(
		t, []string{"demo-token", "demo-token-2"}, list.Users[1].Tokens, "avery-token is bound to another user",
	)
	assert.Contains(
		t, list.Clients, api.BankClient{InstitutionID: "02688", SharedKey: "partner-app", SecretKey: "partner-secret"},
	)

	b.ControlSandbox(200, "PATCH "+userPath, `{"active":false}`)
	require.Equal(t, 200, simtest.RevokeTokens.Send(b).StatusCode)
	require.Equal(t, 200, simtest.IssueTokens.WithBody(`{"grant_type":"client_credentials"}`).Send(b).StatusCode)
	avery := users().Users[0]
	assert.Equal(t, "inactive, everything accepted", avery.Summary)
	assert.Equal(t, []string{"demo-token", "avery-token"}, avery.Tokens, "one is revoked, and one was issued meanwhile")
	b.Advance(8760 * 3600e9)
	assert.Contains(t, users().Users[0].Summary, ", no token of the scenario reaches it")
}

// saved returns the state as a scenario, after it was compared with what it loads to.
func saved(t *testing.T, b *simtest.Bank) string {
	t.Helper()
	require.NoError(t, simtest.CheckSaved(b.Sandbox.Known().Bank()))
	answer := b.ControlSandbox(200, "GET /state?format=scenario", "")
	assert.Equal(t, "application/yaml", answer.Header.Get("Content-Type"))
	return answer.Body + "\n"
}

// A state that is saved as a scenario is, put into another sandbox, the same state.
func TestSavedStateIsPut(t *testing.T) {
	t.Parallel()
	b, other := simtest.NewBank(t, simtest.FrozenRetail), simtest.NewBank(t, simtest.FrozenRetail)
	for _, call := range []simtest.Call{simtest.CreateGroup, simtest.CreateAlert, simtest.UpdateUser} {
		assert.Less(t, call.Send(b).StatusCode, 300)
	}
	b.ControlSandbox(200, "PATCH "+userPath, `{"active":false,"disclosureStatus":"NOT_ACCEPTED"}`)
	b.Advance(36 * time.Hour)
	b.ControlSandbox(200, "PATCH "+accountPath, `{"disclosureStatus":"NOT_ACCEPTED"}`)
	source := saved(t, b)
	other.ControlSandbox(200, "PUT /scenario", source)
	assert.Equal(t, b.State(), other.State())
	assert.Equal(t, get(b, "/clock"), get(other, "/clock"))
	assert.Equal(t, source, saved(t, other), "saved again, it is the same")
	hidden := strings.Replace(simtest.CreateAlert.Body, "{}", `{"password":"s3cret"}`, 1)
	assert.Less(t, simtest.CreateAlert.WithBody(hidden).Send(b).StatusCode, 300)
	assert.NotContains(t, saved(t, b), "s3cret")
}

// Fault rules are kept with windows that open and close as they would have, unless they hold what is hidden.
func TestSavedFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"faults:\n"+
		"- {name: later, operation: groups.list, when: {during: {from: 2m, for: 1m}}, then: {status: 500}}\n"+
		"- {name: at-first, operation: groups.list, when: {during: {for: 90s}}, then: {status: 500}}\n"+
		"- {name: until, operation: groups.list, when: {during: {until: 1h30m}}, then: {delay: {p50: 1ms, p95: 2ms}}}\n"+
		"- {name: at, operation: alerts.*, when: {during: {from: 2026-01-15T10:00:00Z}}, then: {connection: {truncate: 0}}}\n"+
		"- {name: given, operation: alerts.*, when: {request: {header: {authorization: Bearer s3cret}}}, then: {status: 500}}\n")
	b.Advance(60e9)
	simtest.ListGroups.Send(b)
	b.ControlSandbox(
		201,
		"POST /faults",
		`{"name":"hidden","operation":"groups.create","when":{"request":{"header":{"x-key":"s4cret"}}},"then":{"status":500,`+
			`"error":{"message":"it's # {down}"}}}`,
	)
	b.ControlSandbox(
		201,
		"POST /faults",
		`{"name":"added","operation":["groups.create","alerts.*"],"when":{"first":2,"request":{"body":{"groupName":"~^x: `+
			`.*#$"}}},"then":{"status":503,"body":"<a>\u0001","headers":{"Retry-After":"2"}}}`,
	)
	b.ControlSandbox(201, "POST /faults", `{"name":"tested","required":true,"from":"a_test.go:7","operation":"groups.list",`+
		`"when":{"during":{"for":"1m"}},"then":{"status":500}}`)
	source := saved(t, b)
	assert.NotContains(t, source, "required", "that of a test")
	assert.Contains(
		t, source,
		"- {name: later, operation: groups.list, when: {during: {from: \"2026-01-15T09:02:00Z\", for: 1m0s}}, then: {status: 500}}\n",
	)
	assert.Contains(t, source, `{header: {authorization: Bearer s3cret}}`)
	assert.Contains(t, source, "x-key: s4cret")

	other := simtest.NewBank(t, source)
	rules := func(b *simtest.Bank) (all []string) {
		for _, c := range b.Sandbox.Known().Faults.Counts() {
			if c.When.During == nil {
				all = append(all, simtest.JSON(c.Rule))
			}
		}
		return all
	}
	assert.Equal(t, rules(b), rules(other))
}
