package controlapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestPatches(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	patch := func(path, body string, headers ...string) string {
		t.Helper()
		return b.ControlSandbox(200, "PATCH "+path, body, headers...).Body
	}
	rule := func(call simtest.Call) string { return b.ExchangeOf(call.Send(b)).Decision.Rule }
	b.ControlSandbox(200, "POST /clock", `{"set":"2026-03-01T00:00:00Z"}`)

	assert.Contains(
		t,
		patch(institutionPath, `{"multistatement":false}`),
		`{"institutionId":"02688","multistatement":false,`,
	)
	assert.Equal(t, "multistatement-not-configured", rule(simtest.UpdateUser))
	patch(institutionPath, `{"multistatement":true}`)

	patched := patch(userPath, `{"active":false}`, "Content-Type: application/merge-patch+json")
	assert.Contains(t, patched, `{"hostUserId":"1001","username":"avery","active":false,`)
	assert.Contains(t, b.State(), patched, "the answer is as in the state")
	assert.Equal(t, "user-not-active", rule(simtest.UpdateUser))

	patched = patch(userPath, `{"active":true,"disclosureStatus":"NOT_ACCEPTED"}`)
	assert.Contains(t, patched,
		`"active":true,"disclosures":[{"institutionDisclosureName":"OLS","institutionDisclosureStatus":"NOT_ACCEPTED",`+
			`"institutionUserDisclosureStatusUpdateDateTime":"2026-03-01T00:00:00Z"`)
	assert.Equal(t, "disclosure-not-accepted", rule(simtest.UpdateUser))

	patch(accountPath, `{"activateEstatement":false,"disclosureStatus":"NOT_ACCEPTED"}`)
	assert.Equal(t, "disclosure-not-accepted", rule(simtest.UpdateAccount))
	patched = patch(accountPath, `{"activateEstatement":true}`)
	assert.Contains(t, patched, `{"accountId":"acc-1001-checking","activateEstatement":true,"disclosures":[{`+
		`"institutionDisclosureName":"OLS","institutionDisclosureStatus":"NOT_ACCEPTED"`, "no precondition applies")
	assert.Contains(t, b.State(), patched)
}

// An added user may do what the scenario's users may, and an added group is one of the bank's.
func TestAddedRows(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	added := b.ControlSandbox(
		201,
		"POST "+institutionPath+"/users",
		`{"hostUserId":"new","accounts":["a-1","a-2"]}`,
	).Body
	assert.Contains(t, added, `{"hostUserId":"new","active":true,"disclosures":[{"institutionDisclosureName":"OLS",`)
	assert.Contains(t, b.State(), added)
	simtest.UpdateUser.At(strings.Replace(simtest.UpdateUser.Path, "1001", "new", 1)).Send(b)
	assert.Equal(t, 2, strings.Count(b.ControlSandbox(200, "GET /state?institution=02688&user=new", "").Body,
		`"activateEstatement":true`))

	group := simtest.Decode[api.Group](
		t,
		b.ControlSandbox(201, "POST "+institutionPath+"/groups", `{"groupName":"Day birds"}`),
	)
	list := simtest.ListGroups.At(simtest.ListGroups.Path + "?size=100")
	assert.Contains(t, list.Send(b).Body, group.GroupID)
	for body, status := range map[string]int{
		`/users {"hostUserId":"new"}`:                       409,
		`/users {"hostUserId":"x","username":"avery"}`:      409,
		`/users {"hostUserId":""}`:                          400,
		`/users {"hostUserId":"x","accounts":["a","a"]}`:    400,
		`/users {"hostUserId":"x","accounts":[""]}`:         400,
		`/groups {"groupName":"Day birds"}`:                 409,
		`/groups {}`:                                        409,
		`/groups {"groupName":"x","groupTyp":"EXPERIENCE"}`: 400,
	} {
		path, body, _ := strings.Cut(body, " ")
		b.ControlSandbox(status, "POST "+institutionPath+path, body)
	}
	b.ControlSandbox(404, "POST /institutions/nope/users", `{"hostUserId":"x"}`)
	longest := strings.Repeat("é", 1000) // characters, not bytes
	b.ControlSandbox(201, "POST "+institutionPath+"/users", `{"hostUserId":"`+longest+`"}`)
	b.ControlSandbox(201, "POST "+institutionPath+"/users", `{"hostUserId":"a/b %","accounts":["x?y#é"]}`)
	const escaped = institutionPath + "/users/a%2Fb%20%25/accounts/x%3Fy%23%C3%A9"
	b.ControlSandbox(200, "PATCH "+escaped, `{"activateEstatement":true}`)
}
