package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// busyBank returns the default sandbox of a simulator, in which an app has changed some rows.
func busyBank(t *testing.T) *simtest.Bank {
	t.Helper()
	b := simtest.StartScenario(t, "name: retail\nextends: retail\nclock: {run: false}\n")
	for _, call := range []simtest.Call{simtest.UpdateUser, simtest.CreateGroup, simtest.CreateAlert, simtest.IssueTokens, simtest.RevokeTokens} {
		require.Less(t, call.Send(b).StatusCode, 300)
	}
	return b
}

func lookAtBank(t *testing.T) *browser.Tab {
	page := open(t, busyBank(t), "/bank/default?user=1004")
	page.Size(1200, 800)
	page.See("has not accepted the account-level disclosure")
	page.See("Tokens that reach the user")
	return page
}

func lookAtScenario(t *testing.T) *browser.Tab {
	page := open(t, busyBank(t), "/scenario/default")
	page.Size(1200, 800)
	page.See("makes 2 institutions")
	page.Fill("Scenario YAML", `name: strict-banking
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

func lookAtContract(t *testing.T) *browser.Tab {
	page := open(t, busyBank(t), "/contract/default?op=estatements.updateUser&part=errors&text=11013")
	page.Size(1200, 800)
	page.See("disclosure-not-accepted")
	page.Click("Rests on")
	page.See("What is answered where the disclosure is not in status ACCEPTED?")
	page.Eval("scrollTo(0, 0)", nil)
	return page
}

// axe-core finds nothing on the parts of pages either.
func TestPartsAccessible(t *testing.T) {
	t.Parallel()
	browser.NeedAxe(t)
	b := busyBank(t)
	page := open(t, b, "/bank/default")
	for fragment, text := range map[string]string{
		"/bank/default?view=tokens":                             "revoked",
		"/bank/default?view=groups":                             "Night owls",
		"/bank/default?view=alerts":                             "LARGE_WITHDRAWAL",
		"/bank/default?view=changes":                            "rows differ",
		"/bank/default?view=save":                               "Write the scenario",
		"/scenario/default?view=resolved":                       "retail.yaml:23",
		"/scenario/default?view=catalogue&show=flaky":           "name: flaky",
		"/contract/default?op=groups.create":                    "groupDescription",
		"/contract/default?op=groups.create&part=ledger":        "groups.createStatus: ",
		"/contract/default?op=alerts.createPreference&part=try": "Credentials that the scenario gives",
	} {
		page.Go(at(b, fragment))
		page.See(text)
		if strings.HasSuffix(fragment, "save") {
			page.Click("Write the scenario")
			page.See("Start it as a new sandbox")
		}
		if strings.HasSuffix(fragment, "try") {
			page.Click("Send")
			page.See("Exchange ")
		}
		examineAt(t, page, fragment, 1280, false)
		examineAt(t, page, fragment, 320, true)
	}
}
