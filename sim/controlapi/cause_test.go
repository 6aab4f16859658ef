package controlapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

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
	reading := simtest.GetDisclosures
	for name, test := range map[string]struct {
		call  simtest.Call
		after time.Duration
		want  string
	}{
		"revoked":       {reading.WithToken(revoked["access_token"]), 0, "it was revoked by exchange 4, tokens.revoke; tokens.issue gives"},
		"used":          {refresh(used["refresh_token"]), 0, "it was used by exchange 5; ask for new tokens"},
		"refresh token": {reading.WithToken(old["refresh_token"]), 0, "it is a refresh token; send the access token"},
		"access token":  {refresh(old["access_token"]), 0, "it is an access token; send the refresh token"},
		"never issued":  {reading.WithToken("nobody"), 0, "this bank, which started at 20"},
		"another client's": {second.WithBody(refresh(old["refresh_token"]).Body), 0,
			"it was issued to the client demo-app of institution 02688"},
		"wrong secret": {simtest.IssueTokens.With("authorization", simtest.BasicWrong), 0,
			"is that of clients/02688/demo-app, but the secret"},
		"unknown client": {simtest.IssueTokens.With("authorization", "Basic eDp5"), 0, "no client of the scenario has this shared key"},
		"parameter": {reading.At(strings.Replace(reading.Path, "hostUserId", "hostuserid", 1)), 0,
			`query parameter hostUserId is missing; the query parameter "hostuserid" was sent: did you mean hostUserId?`},
		"header": {reading.Without("correlationid").With("correlation-id", "c-1"), 0,
			`correlationid is missing; the header "Correlation-Id" was sent: did you mean correlationid?`},
		"member": {simtest.UpdateUser.WithBody(`{"activateStatement":true}`), 0,
			`activateEstatement is missing; the member "activateStatement" was sent: did you mean activateEstatement?`},
		"expired": {reading.WithToken(old["access_token"]), 25 * time.Hour,
			"it expired at 2026-01-16T09:00:00Z, and the bank's clock showed 2026"},
	} {
		sent := b
		if test.after > 0 { // later than all others
			fork := b.ControlSandbox(201, "POST /fork", `{"name":"later"}`)
			assert.NotEmpty(t, fork.Body)
			sent = b.In("later")
			sent.Advance(test.after)
		}
		x := sent.ExchangeOf(test.call.Send(sent))
		why := simtest.Decode[struct {
			explanation.Explanation
			Changes any `json:"changes"`
		}](t, sent.ControlSandbox(200, "GET /journal/"+x.ID+"/why", ""))
		assert.Contains(t, why.Cause, test.want, name)
	}
}
