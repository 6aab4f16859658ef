package bankapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// publicly returns a call to an operation in the public dialect, without parameters in the query.
func publicly(op *contract.Operation, body string) simtest.Call {
	call := exampleCall(contract.Public().Operation(op.Name)).WithBody(body)
	path, _, _ := strings.Cut(call.Path, "?")
	return call.At(path)
}

// Both dialects are about the same bank: what one creates, the other lists.
func TestDialectsShareTheBank(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 200, publicly(contract.GroupsCreate, `{"groupName":"Night owls"}`).Send(b).StatusCode)
	assert.Equal(t, "2004", createGroup.Send(b).Code())
	last := publicly(contract.GroupsList, "").WithQuery("size=1&page=23").Send(b)
	assert.Contains(t, last.Body, `"Night owls"`)
	assert.Contains(t, last.Body, b.BaseURL()+"/v3/groups?page=0&size=1", "links have the path that was asked")
}

// What the description settles, no switch changes in the public dialect; other switches count in both.
func TestSwitchesInThePublicDialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+
		`behavior: {groups: {auth: optional, createStatus: 201, experience: emit, nameLimit: 30}}`+"\n")
	assert.Equal(t, 401, publicly(contract.GroupsList, "").Without("authorization").Send(b).StatusCode)
	res := publicly(contract.GroupsCreate, `{"groupName":"Owls"}`).Send(b)
	assert.Equal(t, 200, res.StatusCode, res.Body)
	assert.NotContains(t, res.Body, "groupExperience")
	assert.Equal(t, 201, createGroup.WithBody(`{"groupName":"Bats"}`).Send(b).StatusCode)
	long := publicly(contract.GroupsCreate, `{"groupName":"Night owls that wake when all others sleep"}`)
	assert.Equal(t, 400, long.Send(b).StatusCode)
}

// A fault, a query of the journal and a verification mean both dialects unless they name one.
func TestFaultsAndTheJournalOfADialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {operation: groups.list, when: {request: {dialect: public}}, then: {status: 500}}\n"+
			"- {operation: estatements.getDisclosures, then: {status: 403}}\n"))
	assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	assert.Equal(t, 500, publicly(contract.GroupsList, "").Send(b).StatusCode)
	assert.Equal(t, "UXESTMT_10003", getDisclosures.Send(b).Code())
	assert.Equal(t, "UXESTMT_10003",
		publicly(contract.EstatementsGetDisclosures, "").WithQuery("hostUserId=1001").Send(b).Code())

	for search, want := range map[string]int{"": 4, "dialect:public": 2, "dialect:document": 2} {
		assert.Len(t, b.Search(search), want, search)
	}
	assert.NotContains(t, b.ControlSandbox(200, "GET /journal?q=dialect:document", "").Body, `"dialect":"public"`)
	verdict := b.ControlSandbox(200, "POST /journal/verify",
		`{"operation":"groups.list","dialect":"public","exactly":1}`)
	assert.Contains(t, verdict.Body, `"verified":true`)
	assert.Contains(t, b.ControlSandbox(400, "GET /journal?dialect=bare", "").Body, "dialect")
	refused := b.ControlSandbox(422, "POST /faults",
		`{"operation":"groups.list","when":{"request":{"dialect":"publik"}},"then":{"status":500}}`)
	assert.Contains(t, refused.Body, "dialect must be")
}

// A required object without members is as good as none, in both operations that store it.
func TestRequiredObjectsHaveMembers(t *testing.T) {
	t.Parallel()
	for member, filled := range map[string]string{
		"alertPreferenceDetails":        `{"alertTypeName":"LOW_BALANCE"}`,
		"alertPreferenceAccountDetails": `{"accountId":"1"}`,
		"additionalInfo":                `{"a":{}}`,
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {alerts: {requiredFields: ["+member+"]}}\n")
		for _, in := range contract.Interfaces() {
			for _, op := range []*contract.Operation{contract.AlertsCreatePreference, contract.AlertsUpdatePreference} {
				call := exampleCall(in.Operation(op.Name))
				res := call.WithBody(`{"` + member + `":{ }}`).Send(b)
				assert.Equal(t, 400, res.StatusCode, "%s: %s", call, res.Body)
				assert.Equal(t, "PRMVAL_10012", res.Code())
				res = call.WithBody(`{"` + member + `":` + filled + `}`).Send(b)
				assert.Equal(t, op.Answers[0].Status, res.StatusCode, "%s: %s", call, res.Body)
			}
		}
	}
}
