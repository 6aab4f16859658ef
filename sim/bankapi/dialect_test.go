package bankapi_test

import (
	"strconv"
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
	publicly(contract.GroupsCreate, `{"groupName":"Night owls"}`).Expect(b, 200)
	assert.Equal(t, "2004", createGroup.Send(b).Code())
	last := publicly(contract.GroupsList, "").WithQuery("size=1&page=23").Send(b)
	assert.Contains(t, last.Body, `"Night owls"`)
	assert.Contains(t, last.Body, b.BaseURL()+"/v3/groups?page=0&size=1", "links have the path that was asked")
	publicly(contract.GroupsList, "").WithQuery("size=1&page=24").Expect(b, 200)
	assert.Contains(t, b.Last().Decision.Entries, contract.GroupsListPastTheEnd.ID, "24 groups have pages 0 to 23")
}

// Each switch whose default differs in the two dialects has effect in both. The answers follow the behaviour.
func TestSwitchesOfBothDialects(t *testing.T) {
	t.Parallel()
	plain := func(c simtest.Call) simtest.Call { return c }
	without := func(header string) func(simtest.Call) simtest.Call {
		return func(c simtest.Call) simtest.Call { return c.Without(header) }
	}
	body := func(body string) func(simtest.Call) simtest.Call {
		return func(c simtest.Call) simtest.Call { return c.WithBody(body) }
	}
	byLogin := func(c simtest.Call) simtest.Call {
		return c.At(strings.Replace(c.Path, "hostUserId=1001", "loginId=avery", 1))
	}
	stranger := func(c simtest.Call) simtest.Call { return c.WithToken("no-such-token") }
	unknownToken := func(c simtest.Call) simtest.Call { return c.WithForm("token=no-such-token") }
	capitals, fax := body(`{"groupName":"EARLY ADOPTERS"}`), body(`{"alertPreferenceDetails":{"channelTypeName":"FAX"}}`)
	for _, test := range []struct {
		behavior string
		op       *contract.Operation
		call     func(simtest.Call) simtest.Call
		want     string // the status, and perhaps a text in the body
	}{
		{"estatements: {correlationId: optional}", contract.EstatementsGetDisclosures, without("correlationId"), "200"},
		{"estatements: {correlationId: required}", contract.EstatementsGetDisclosures,
			func(c simtest.Call) simtest.Call { return c.With("correlationId", "any") }, "200"},
		{"estatements: {bearerFailureStatus: 401}", contract.EstatementsGetDisclosures, stranger, "401"},
		{"estatements: {bearerFailureStatus: 400}", contract.EstatementsGetDisclosures, stranger, "400"},
		{"estatements: {updateAccountStatus: 200}", contract.EstatementsUpdateAccount, plain, "200"},
		{"estatements: {updateAccountStatus: 204}", contract.EstatementsUpdateAccount, plain, "204"},
		{"estatements: {user: hostUserId}", contract.EstatementsGetDisclosures, byLogin, "400"},
		{"estatements: {user: any}", contract.EstatementsGetDisclosures, byLogin, "200"},
		{"groups: {auth: optional}", contract.GroupsList, without("authorization"), "200"},
		{"groups: {auth: required}", contract.GroupsList, without("authorization"), "401"},
		{"groups: {nameCase: sensitive}", contract.GroupsCreate, capitals, "200"},
		{"groups: {nameCase: insensitive}", contract.GroupsCreate, capitals, "400 2004"},
		{"groups: {experience: emit}", contract.GroupsCreate, plain, "200 groupExperienceName"},
		{"alerts: {auth: optional}", contract.AlertsListPreferences, without("authorization"), "200"},
		{"alerts: {headers: optional}", contract.AlertsListPreferences, without("transactionid"), "200"},
		{"alerts: {knownChannelsOnly: false}", contract.AlertsCreatePreference, fax, "201 FAX"},
		{"alerts: {knownChannelsOnly: true}", contract.AlertsCreatePreference, fax, "400 PRMVAL_10005"},
		{"tokens: {revokeResponse: token}", contract.TokensRevoke, plain, "200 expires_in"},
		{"tokens: {revokeResponse: noContent}", contract.TokensRevoke, plain, "204"},
		{"tokens: {unknownToken: ok, revokeResponse: noContent}", contract.TokensRevoke, unknownToken, "204"},
		{"tokens: {unknownToken: error}", contract.TokensRevoke, unknownToken, "400 CMN_90016"},
	} {
		for _, in := range contract.Interfaces() {
			b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {"+test.behavior+"}\n")
			status, text, _ := strings.Cut(test.want, " ")
			res := test.call(exampleCall(in.Operation(test.op.Name))).Send(b)
			assert.Equal(t, status, strconv.Itoa(res.StatusCode), "%s, %s: %s", test.behavior, in.Dialect, res.Body)
			assert.Contains(t, res.Body, text, "%s, %s", test.behavior, in.Dialect)
		}
	}
}

// A fault, a query of the journal and a verification mean both dialects unless they name one.
func TestFaultsAndTheJournalOfADialect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {operation: groups.list, when: {request: {dialect: public}}, then: {status: 500}}\n"+
			"- {operation: estatements.getDisclosures, then: {status: 403}}\n"))
	listGroups.Expect(b, 200)
	publicly(contract.GroupsList, "").Expect(b, 500)
	assert.Equal(t, "UXESTMT_10003", getDisclosures.Send(b).Code())
	assert.Equal(t, "UXESTMT_10003",
		publicly(contract.EstatementsGetDisclosures, "").WithQuery("hostUserId=1001").Send(b).Code())

	for search, want := range map[string]int{"": 4, "dialect:public": 2, "dialect:document": 2} {
		assert.Len(t, b.Search(search), want, search)
	}
	assert.NotContains(t, b.Get("/journal?q=dialect:document"), `"dialect":"public"`)
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
				assert.Equal(t, "PRMVAL_10012", call.WithBody(`{"`+member+`":{ }}`).Expect(b, 400).Code())
				call.WithBody(`{"`+member+`":`+filled+`}`).Expect(b, op.Answers[0].Status)
			}
		}
	}
}
