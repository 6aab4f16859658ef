package controlapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// why returns what an exchange has changed, and the cause of its refusal.
func why(t *testing.T, b *simtest.Bank, id string) (changes []api.Change, cause string) {
	t.Helper()
	got := simtest.Decode[struct {
		explanation.Explanation
		Changes []api.Change `json:"changes"`
	}](t, b.ControlSandbox(200, "GET /journal/"+id+"/why", ""))
	assert.NotNil(t, got.Changes)
	return got.Changes, got.Cause
}

// An exchange shows whether it has changed a row, and which: in both, a fault that loses the answer makes no
// difference.
func TestWhatExchangesChange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
  - {name: before, when: {request: {header: {x-fail: before}}}, then: {status: 500}}
  - {name: after, when: {request: {header: {x-fail: after}}}, phase: after, then: {status: 500}}
`))
	birds := simtest.CreateGroup.WithBody(`{"groupName":"Early birds"}`)
	var rows []string
	for _, call := range []simtest.Call{
		simtest.CreateGroup, simtest.CreateGroup, birds.With("x-fail", "before"), birds.With("x-fail", "after"),
		simtest.UpdateAccount,
		simtest.UpdateAccount, simtest.UpdateUser, simtest.IssueTokens, simtest.ListGroups.At("/nowhere"),
	} {
		x := b.ExchangeOf(call.Send(b))
		changes, _ := why(t, b, x.ID)
		assert.Equal(t, len(changes) > 0, x.Changed, "%s", call)
		rows = append(rows, fmt.Sprint(x.Response.Status, ":", len(changes)))
	}
	assert.Equal(t, "200:1 400:0 500:0 500:1 200:1 200:0 204:2 200:1 404:0", strings.Join(rows, " "))
	changes, _ := why(t, b, "5")
	row := changes[0]
	assert.Equal(t, "accounts/02688/1001/acc-1001-checking", row.Row)
	assert.Equal(t, []any{false, true}, []any{row.Before["activateEstatement"], row.After["activateEstatement"]})
	changes, _ = why(t, b, "4")
	assert.Nil(t, changes[0].Before)
}

// The cause of a refused credential is what became of it, and a misspelt name is named with the one that was meant.
func TestCauses(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	issue := func() map[string]string { return simtest.Decode[map[string]string](t, simtest.IssueTokens.Send(b)) }
	refresh := func(token string) simtest.Call {
		return simtest.IssueTokens.WithBody(`{"grant_type":"refresh_token","refresh_token":"` + token + `"}`)
	}
	revoked, used, old := issue(), issue(), issue()
	second := simtest.IssueTokens.With("authorization", simtest.BasicSecond).With("institutionId", "05523")
	simtest.RevokeTokens.WithBody(`{"token":"` + revoked["refresh_token"] + `"}`).Send(b) // exchange 4
	refresh(used["refresh_token"]).Send(b)                                                // exchange 5
	create := simtest.CreateCode.WithForm(simtest.CreateCode.Body + "&nonce=n-1")
	code := simtest.Decode[map[string]any](t, create.Send(b))["code"].(string) // exchange 6
	redeem := simtest.NewCall(
		"POST", "/oauth2/v1/token", "", "authorization: Basic cGFydG5lci1hcHA6cGFydG5lci1zZWNyZXQ=",
		"transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11",
	).WithForm(
		"grant_type=authorization_code&code=" + code,
	)
	assert.Contains(t, redeem.Send(b).Body, `"id_token":"`) // exchange 7
	reading := simtest.GetDisclosures
	misspelt := reading.At(strings.Replace(reading.Path, "hostUserId", "hostuserid", 1))
	wrongSecret := simtest.IssueTokens.With("authorization", simtest.BasicWrong)
	for want, call := range map[string]simtest.Call{
		"it was revoked by exchange 4, tokens.revoke; tokens.issue gives":           reading.WithToken(revoked["access_token"]),
		"it was used by exchange 5; ask for new tokens":                             refresh(used["refresh_token"]),
		"it was used by exchange 7; tokens.createCode gives another":                redeem,
		"it is a refresh token; send the access token":                              reading.WithToken(old["refresh_token"]),
		"it is an access token; send the refresh token":                             refresh(old["access_token"]),
		"this bank, which started at 20":                                            reading.WithToken("nobody"),
		"it was issued to the client demo-app of institution 02688":                 second.WithBody(refresh(old["refresh_token"]).Body),
		"is that of clients/02688/demo-app, but the secret":                         wrongSecret,
		"no client of the scenario has this shared key":                             simtest.IssueTokens.With("authorization", "Basic eDp5"),
		`the query parameter "hostuserid" was sent: did you mean hostUserId?`:       misspelt,
		`the header "Correlation-Id" was sent: did you mean correlationid?`:         reading.Without("correlationid").With("correlation-id", "c-1"),
		`the member "activateStatement" was sent: did you mean activateEstatement?`: simtest.UpdateUser.WithBody(`{"activateStatement":true}`),
	} {
		_, cause := why(t, b, b.ExchangeOf(call.Send(b)).ID)
		assert.Contains(t, cause, want)
	}
	assert.NotContains(t, get(b, "/journal")+b.State(), code, "a code is a secret")
	b.Advance(25 * time.Hour)
	_, cause := why(t, b, b.ExchangeOf(reading.WithToken(old["access_token"]).Send(b)).ID)
	assert.Contains(t, cause, "it expired at 2026-01-16T09:00:00Z, and the bank's clock showed 2026")
}

// A restore of a snapshot undoes what became of a token. Each exchange keeps its own cause.
func TestCausesOutliveARestore(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /snapshots", `{"name": "before"}`)
	later := simtest.Decode[map[string]string](t, simtest.IssueTokens.Send(b)) // exchange 1
	b.ControlSandbox(201, "POST /snapshots", `{"name": "issued"}`)
	reading := simtest.GetDisclosures.WithToken(later["access_token"])
	simtest.RevokeTokens.WithBody(`{"token":"` + later["refresh_token"] + `"}`).Send(b) // exchange 2
	revoked := b.ExchangeOf(reading.Send(b)).ID
	b.ControlSandbox(204, "POST /snapshots/issued/restore", "")
	assert.Equal(t, 200, reading.Send(b).StatusCode)
	b.Advance(25 * time.Hour)
	expired := b.ExchangeOf(reading.Send(b)).ID
	for _, restored := range []string{"issued", "before"} { // with the token in force, and without it
		b.ControlSandbox(204, "POST /snapshots/"+restored+"/restore", "")
		_, cause := why(t, b, revoked)
		assert.Contains(t, cause, "unknown or revoked: it was revoked by exchange 2, tokens.revoke;")
		_, cause = why(t, b, expired)
		assert.Contains(t, cause, "has expired: it expired at 2026-01-16T09:00:00Z, and the bank")
	}

	// A revocation that is undone doesn't hide the one that isn't.
	b.ControlSandbox(204, "POST /snapshots/issued/restore", "")
	b.Advance(time.Minute)
	revoke := simtest.RevokeTokens.WithBody(`{"token":"` + later["refresh_token"] + `"}`)
	first := b.ExchangeOf(revoke.Send(b)).ID
	b.ControlSandbox(201, "POST /snapshots", `{"name": "revoked"}`)
	b.ControlSandbox(204, "POST /snapshots/issued/restore", "")
	b.Advance(time.Hour)
	revoke.Send(b)
	b.ControlSandbox(204, "POST /snapshots/revoked/restore", "")
	_, cause := why(t, b, b.ExchangeOf(reading.Send(b)).ID)
	assert.Contains(t, cause, "it was revoked by exchange "+first+", tokens.revoke;")
}
