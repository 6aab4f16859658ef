package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// busyBank returns the default sandbox of a simulator, in which an app has changed some rows.
func busyBank(t *testing.T) *simtest.Bank {
	t.Helper()
	b := simtest.StartScenario(t, "name: retail\nextends: retail\nclock: {run: false}\n")
	for _, call := range []simtest.Call{simtest.UpdateUser, simtest.CreateGroup, simtest.CreateAlert,
		simtest.IssueTokens,
		simtest.RevokeTokens} {
		require.Less(t, call.Send(b).StatusCode, 300)
	}
	return b
}

func lookAtBank(t *testing.T) *browserTab {
	page := open(t, busyBank(t), "/bank/default?user=1004")
	page.Size(1200, 800)
	page.See("has not accepted the account-level disclosure")
	page.See("Tokens that reach the user")
	return page
}

func lookAtScenario(t *testing.T) *browserTab {
	page := open(t, busyBank(t), "/scenario/default")
	page.Size(1200, 800)
	page.See("makes 2 institutions")
	edit(page, `name: strict-banking
extends: retail

clock:
  start: 2026-03-01T09:00:00Z
  run: false

behavior:
  tokens: {accessLifetime: 15m}
  groups: {createStatsu: 201}

faults:
  - name: revoke-fails-twice
    operation: tokens.revok
    when: {first: 2}
    then: {status: 401}
`)
	page.See("2 problems")
	page.Click("Line 10: ")
	page.Await(`!document.querySelector(".said p")`, "what was said to go")
	return page
}

func lookAtContract(t *testing.T) *browserTab {
	page := open(t, busyBank(t), "/contract/default?op=estatements.updateUser&part=errors&text=11013")
	page.Size(1200, 800)
	page.See("disclosure-not-accepted")
	return page
}

// The contract's example has a token and a user of the sandbox, so that the bank accepts it. If the scenario gives no
// token, the example has none.
func TestTryAnOperation(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, `
extends: empty
institutions:
  - institutionId: "00042"
    multistatement: true
    clients: [{sharedKey: own-app, secretKey: own-secret}]
    tokens: [{accessToken: own-token, client: own-app}]
    users: [{hostUserId: "7"}]
`)
	page := open(t, b, "/contract/{sandbox}?op=disclosures.listUser&part=try")
	page.See("Credentials that the scenario gives") // the last part that loads: the button stays where it is
	page.Click("Send")
	page.See("Exchange 1: why?")
	sent := b.Last()
	assert.Contains(t, sent.Request.URL, "hostUserId=7")
	assert.Equal(t, 200, sent.Response.Status, sent.Response.Body)

	without := simtest.NewBank(t, "extends: empty\n")
	page.Go(at(b, "/contract/"+without.Sandbox.Name()+"?op=disclosures.listUser&part=try"))
	page.See("of sandbox " + without.Sandbox.Name())
	assert.NotContains(t, page.Value("Headers"), "Authorization")
}

// In a big bank, the users that the scenario writes come before those that it generates. The bank follows what is
// changed in place.
func TestUsersOfABigBank(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"institutions: [{institutionId: \"02688\", generate: {users: 300}}]\n")
	page := open(t, b, "/bank/{sandbox}")
	page.See("200 of 304 users are shown")
	assert.Equal(t, "1001", page.Text("tbody td a"))
	page.Click("1003")
	page.Choose("Status of the user-level disclosures", "ACCEPTED")
	page.See("disclosureStatus of user 1003 is ACCEPTED")
	assert.Equal(t, 204, simtest.UpdateUser.At(simtest.UpdateUserPath+"1003").Send(b).StatusCode)
}

// The clock is moved by its labelled fields, in a narrow window, too. A seed is exact.
func TestMoveTheClock(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "extends: retail\nseed: 9007199254740993\n"+
		"clock: {run: false, start: 2026-01-15T09:00:00Z}\n")
	page := open(t, b, "/sandboxes/default")
	page.Size(390, 900)
	page.See("9007199254740993")
	page.Fill("Advance by", "soon")
	page.Expect("400")
	page.Click("Advance")
	page.Await(`document.querySelector("[aria-invalid]")?.closest(".field").innerText.includes("must be a duration")`,
		"the refusal at its field")
	page.Fill("Advance by", "90m")
	page.Click("Advance")
	page.Gone("advance must be a duration")
	page.See("The virtual time is 2026-01-15 10:30:00 UTC, frozen.")
	page.Fill("Set to, UTC", "2026-02-01 08:00")
	page.Click("Set")
	page.See("The virtual time is 2026-02-01 08:00:00 UTC, frozen.")
	assert.Contains(t, b.ControlSandbox(200, "GET /clock", "").Body, "2026-02-01T08:00:00Z")
}

// A square of the coverage leads to the fault that makes its answer happen.
func TestMakeAnAnswerHappen(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	page := open(t, b, "/coverage/{sandbox}")
	page.Click("groups.list 500 CMN_90001: never met")
	page.See("500 CMN_90001: never met")
	page.Click("Make it happen")
	page.Click("Add")
	rule(page, 1, "The first call of groups.list answers 500 CMN_90001.")
	assert.Equal(t, 500, simtest.ListGroups.Send(b).StatusCode)
	page.Go(at(b, "/coverage/{sandbox}"))
	page.Click("groups.list 500 CMN_90001: met only by a fault")
	page.Click("Transport faults")
	page.Click("groups.list reset: never met")
	page.Click("Make it happen")
	page.See("connection: reset")
	page.Go(at(b, "/coverage/{sandbox}"))
	page.Click("groups.list 200 accepted: met")
	page.Click("Try the operation")
	page.See("Send")
	assert.Contains(t, page.Address(), "op=groups.list")
}

// lookAtCoverage shows what a small suite met, opened at an operation.
func lookAtCoverage(t *testing.T) *browserTab {
	b := simtest.NewBank(
		t, simtest.FrozenRetail+"faults: [{operation: groups.list, when: {nth: 1}, then: {status: 500}}]\n",
	)
	for _, send := range []simtest.Call{simtest.CreateGroup, simtest.CreateGroup, simtest.ListGroups,
		simtest.ListGroups,
		simtest.UpdateUser} {
		send.Send(b)
	}
	page := open(t, b, "/coverage/{sandbox}")
	page.Click("groups.list 500 2001: met only by a fault")
	page.See("500 2001: met only by a fault 1")
	return page
}

func lookAtSandboxes(t *testing.T) *browserTab {
	b := simtest.StartScenario(t, "name: retail\nextends: retail\n")
	for _, plan := range []string{`{"name":"android","ttl":"8h"}`, `{"name":"checkout-tests","scenario":"crowd","seed":42}`,
		`{"name":"ios","ttl":"8h"}`} {
		b.Control(201, "POST /v1/sandboxes", plan)
	}
	ios := b.In("ios")
	simtest.CreateGroup.Send(ios)
	ios.ControlSandbox(201, "POST /fork", `{"name":"ios-before-the-group","before":"1"}`)
	ios.ControlSandbox(201, "POST /fork", `{"name":"ios-with-the-group"}`)
	ios.ControlSandbox(204, "POST /reset", "")
	ios.ControlSandbox(201, "POST /snapshots", `{"name":"all-signed-up"}`)
	page := open(t, b, "/sandboxes/ios")
	page.Size(1200, 800)
	page.See("all-signed-up")
	page.See("ios-with-the-group")
	page.Await(`document.querySelector(".big-time")`, "the clock")
	return page
}

// Markup that would run if it weren't text.
const (
	markup = `"><img src=x onerror=alert(1)>`
	script = `</script><script>alert(2)</script>`
)
