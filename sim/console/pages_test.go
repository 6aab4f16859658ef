package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// busyBank returns the default sandbox of a simulator, in which an app has changed some rows.
func busyBank(t *testing.T) *simtest.Bank {
	t.Helper()
	b := simtest.StartScenario(t, "name: retail\nextends: retail\nclock: {run: false}\n")
	for _, call := range []simtest.Call{simtest.UpdateUser, simtest.CreateGroup, simtest.CreateAlert, simtest.IssueTokens,
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
	page.Click("Rests on")
	page.See("What is answered where the disclosure is not in status ACCEPTED?")
	page.Eval("scrollTo(0, 0)", nil)
	return page
}

// lookAtCoverage shows what a small suite met, opened at an operation.
func lookAtCoverage(t *testing.T) *browserTab {
	b := simtest.NewBank(t, simtest.FrozenRetail+"faults: [{operation: groups.list, when: {nth: 1}, then: {status: 500}}]\n")
	for _, send := range []simtest.Call{simtest.CreateGroup, simtest.CreateGroup, simtest.ListGroups, simtest.ListGroups,
		simtest.UpdateUser} {
		send.Send(b)
	}
	page := open(t, b, "/coverage/"+b.Sandbox.Name())
	page.Click("Each answer of groups.list")
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
