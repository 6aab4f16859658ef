package bankapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

const aRequestID = "6f1f2d1e-3c1a-4a53-9d0c-1c9b7d5a0001"

// publicly returns a call to an operation in the public dialect.
func publicly(op *contract.Operation, body string) simtest.Call {
	op = contract.Public().Operation(op.Name)
	path := strings.NewReplacer("{groupId}", simtest.RetailGroup, "{accountId}", "acc-1001-checking").Replace(op.Path)
	c := simtest.NewCall(op.Method, path, body, "authorization: Bearer demo-token", op.Family.RequestID+": "+aRequestID)
	if body != "" {
		c = c.With("content-type", "application/json")
	}
	return c
}

// Both dialects are about the same bank: what one creates, the other lists.
func TestDialectsShareTheBank(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	res := publicly(contract.GroupsCreate, `{"groupName":"Night owls"}`).Send(b)
	require.Equal(t, 200, res.StatusCode, res.Body)
	res = simtest.CreateGroup.WithBody(`{"groupName":"Night owls"}`).Send(b)
	assert.Equal(t, 400, res.StatusCode)
	assert.Equal(t, "2004", contract.ErrorCode([]byte(res.Body)))
	last := publicly(contract.GroupsList, "").WithQuery("size=1&page=23").Send(b)
	assert.Contains(t, last.Body, `"Night owls"`)
	assert.Equal(t, "public", b.ExchangeOf(last).Dialect)
	assert.Contains(t, last.Body, b.BaseURL()+"/v3/groups?page=0&size=1", "links have the path that was asked")
}

// What the description settles, no switch changes in the public dialect; other switches count in both.
func TestSwitchesInThePublicDialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+
		`behavior: {groups: {auth: optional, createStatus: 201, experience: emit, nameLimit: 30}, messages: {"2000": "no"}}`+"\n")
	assert.Equal(t, 401, publicly(contract.GroupsList, "").Without("authorization").Send(b).StatusCode)
	res := publicly(contract.GroupsCreate, `{"groupName":"Owls"}`).Send(b)
	assert.Equal(t, 200, res.StatusCode, res.Body)
	assert.NotContains(t, res.Body, "groupExperience")
	res = publicly(contract.GroupsCreate, `{"groupName":"Night owls that wake when all others sleep"}`).Send(b)
	assert.Equal(t, `{"code":"2000","message":"no"}`, res.Body)
	assert.Equal(t, 201, simtest.CreateGroup.WithBody(`{"groupName":"Bats"}`).Send(b).StatusCode)
}

// A fault means both dialects unless it names one, and answers in the body of the request's.
func TestFaultsOfADialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults",
		`{"name":"public-only","operation":"groups.list","when":{"request":{"dialect":"public"}},"then":{"status":500}}`)
	b.ControlSandbox(201, "POST /faults", `{"name":"both","operation":"estatements.getDisclosures","then":{"status":403}}`)
	assert.Equal(t, 200, simtest.ListGroups.Send(b).StatusCode)
	res := publicly(contract.GroupsList, "").Send(b)
	assert.Equal(t, 500, res.StatusCode)
	assert.Equal(t, []string{"public-only"}, b.ExchangeOf(res).Fault.Fired)
	assert.Contains(t, b.ExchangeOf(res).Decision.Entries, contract.EverywhereOtherCodes.ID)
	for _, call := range []simtest.Call{simtest.GetDisclosures,
		publicly(contract.EstatementsGetDisclosures, "").WithQuery("hostUserId=1001")} {
		res := call.Send(b)
		assert.Equal(t, 403, res.StatusCode)
		assert.Equal(t, "UXESTMT_10003", contract.ErrorCode([]byte(res.Body)))
	}
	refused := b.ControlSandbox(422, "POST /faults",
		`{"operation":"groups.list","when":{"request":{"dialect":"publik"}},"then":{"status":500}}`)
	assert.Contains(t, refused.Body, "dialect must be")
}

// A journal query and a verification mean both dialects unless they name one.
func TestJournalOfADialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	publicly(contract.GroupsList, "").Send(b)
	publicly(contract.GroupsList, "").Send(b)
	for query, want := range map[journal.Query]int{{}: 3, {Dialect: "public"}: 2, {Dialect: "document"}: 1} {
		assert.Len(t, slices.Collect(b.Journal().Select(query).Exchanges()), want, "%v", query)
	}
	assert.Contains(t, b.ControlSandbox(200, "GET /journal?dialect=document", "").Body, `"dialect":"document"`)
	assert.NotContains(t, b.ControlSandbox(200, "GET /journal?dialect=document", "").Body, `"dialect":"public"`)
	assert.Contains(t, b.ControlSandbox(400, "GET /journal?dialect=bare", "").Body, "dialect")
	verdict := b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.list","dialect":"public","exactly":2}`)
	assert.Contains(t, verdict.Body, `"verified":true`)
	assert.Contains(t, b.ControlSandbox(400, "POST /journal/verify", `{"operation":"tokens.*","dialect":"bare"}`).Body, "dialect")
}

// An unknown path is answered with the one of its dialect that differs from it by a segment, and no other.
func TestUnknownBarePath(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	res := publicly(contract.GroupsList, "").At("/v3/group").Send(b)
	assert.Equal(t, 404, res.StatusCode)
	assert.Contains(t, res.Body, "/v3/group is not simulated: did you mean groups.list, GET /v3/groups?")
	assert.Contains(t, publicly(contract.GroupsList, "").At("/v1/accounts").Send(b).Body,
		"/v1/accounts is not simulated: add a fault with method: GET, path: /v1/accounts")
	assert.Empty(t, b.ExchangeOf(res).Dialect)
}
