package bankapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A status alone brings the error body of the operation's family, in the shape, with the code and with the challenge
// that the contract says, whichever way the fault is asked for; and nothing is carried out.
func TestInjectedStatuses(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	before := b.World()
	for _, op := range contract.Document().Operations {
		for status := 400; status <= 599; status++ {
			res := simtest.Calls[op.Name].With("Banksim-Fault", fmt.Sprintf("status=%d", status)).Send(b)
			want := op.Family.Injection(status)
			require.Equal(t, status, res.StatusCode, op.Name)
			require.Equal(t, string(op.Family.Error(status, want.Code, want.Message)), res.Body, op.Name)
			require.Equal(t, status == 401, res.Header.Get("WWW-Authenticate") != "", op.Name)
			require.Equal(t, !op.Lists(status), b.Last().Fault.Undocumented, "%s %d", op.Name, status)
		}
	}
	assert.True(t, before.Equal(b.World()))
}

// A code that the family has comes with its message, its challenge and the entry that it rests on.
func TestInjectedCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op            *contract.Operation
		status        int
		code, message string
		challenge     string
		entry         *contract.Entry
	}{
		{op: contract.EstatementsGetDisclosures, status: 401, code: "UXESTMT_10001", message: "header Authorization is missing",
			challenge: `Bearer realm="banksim"`, entry: contract.EstatementsBearerFailure},
		{op: contract.EstatementsGetDisclosures, status: 401, code: "UXESTMT_10004", message: "the access token has expired",
			challenge: `Bearer realm="banksim", error="invalid_token"`, entry: contract.EstatementsBearerFailure},
		{op: contract.GroupsCreate, status: 400, code: "2004", message: "a group of this name exists",
			entry: contract.GroupsCreateDuplicateName},
		{op: contract.AlertsCreatePreference, status: 400, code: "PRMVAL_10015",
			message: "the alert type is not active, or not for this channel", entry: contract.AlertsTypesNotOpted},
		{op: contract.EstatementsUpdateUser, status: 503, code: "UXESTMT_30002", message: "a service outside failed",
			entry: contract.EverywhereOtherCodes},
		{op: contract.TokensIssue, status: 401, code: "CMN_90001", message: "the client may not use the resource",
			challenge: `Basic realm="banksim", charset="UTF-8"`, entry: contract.EverywhereOtherCodes},
		{op: contract.TokensRevoke, status: 500, code: "CMN_90001", message: "the quota of requests is used up",
			entry: contract.EverywhereRateLimits},
		{op: contract.GroupsList, status: 500, code: "SOMETHING", message: "an unexpected fault occurred inside the service",
			entry: contract.EverywhereFaults},
		{op: contract.EstatementsUpdateUser, status: 400, code: "UXESTMT_10003", message: "the access token doesn't permit the request",
			entry: contract.EverywhereFaults},
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		b.ControlSandbox(201, "POST /faults", fmt.Sprintf(`{"name":"f","operation":%q,"then":{"status":%d,"error":{"code":%q}}}`,
			test.op.Name, test.status, test.code))
		res := simtest.Calls[test.op.Name].Send(b)
		assert.Equal(t, test.status, res.StatusCode, test.code)
		assert.Equal(t, string(test.op.Family.Error(test.status, test.code, test.message)), res.Body)
		assert.Equal(t, test.challenge, res.Header.Get("WWW-Authenticate"), test.code)
		assert.Equal(t, test.entry.ID, b.Last().Decision.Entries[0], test.code)
		assert.Equal(t, string(test.entry.Basis), b.Last().Decision.Basis, test.code)
	}
}

// A scenario's text for a code stands in every answer with it: in the bank's own refusals, in injected ones and in both
// members of a revocation's error. The journal says as before why the bank refused. A message of the fault's own wins.
func TestMessagesOfAScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`behavior:
  faultHeader: true
  messages:
    "2004": That name is taken.
    "2001": "Sorry: <try> again."
    CMN_90004: Who are you?
    UXESTMT_30003: Come back later.
    UXESTMT_88888: ¿Quién?
`)
	ask := func(call simtest.Call, header string) string { return call.With("Banksim-Fault", header).Send(b).Body }

	assert.Equal(t, 200, createGroup.Send(b).StatusCode)
	assert.Equal(t, `{"code":"2004","message":"That name is taken."}`, createGroup.Send(b).Body)
	assert.Equal(t, `a group named "Night owls" exists`, b.Last().Decision.Message)
	assert.Equal(t, `{"code":"2004","message":"That name is taken."}`, ask(listGroups, "status=400; code=2004"))

	assert.Equal(t, `{"code":"2001","message":"Sorry: <try> again."}`, ask(listGroups, "status=500"))
	assert.Contains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	assert.Equal(t, `{"code":"2001","message":"mine"}`, ask(listGroups, "status=500; message=mine"))
	assert.NotContains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	assert.Equal(t, `{"code":"2001","message":"Sorry: <try> again."}`, listGroups.WithQuery("sort=nope").Send(b).Body)

	const twice = `{"statusMessage":"Who are you?","errorInfo":{"errorType":"USER_ERROR","errorCode":"CMN_90004","errorMessage":"Who ` +
		`are you?"}}`
	assert.Equal(t, twice, revokeTokens.With("Authorization", simtest.BasicWrong).Send(b).Body)
	assert.Equal(t, `{"code":"CMN_90004","message":"Who are you?"}`, issueTokens.With("Authorization", simtest.BasicWrong).Send(b).Body,
		"every family that has the code")

	assert.Equal(t, `{"status":503,"code":"UXESTMT_30003","message":"Come back later."}`, ask(getDisclosures, "status=503"))
	assert.Equal(t, `{"status":404,"code":"UXESTMT_88888","message":"¿Quién?"}`, updateUser.At(simtest.UpdateUserPath+"999").Send(b).Body)
	assert.Equal(t, `{"status":403,"code":"UXESTMT_10003","message":"the access token doesn't permit the request"}`,
		ask(getDisclosures, "status=403"), "others stay")
}
