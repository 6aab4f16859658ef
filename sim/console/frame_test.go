package console_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// The console asks for the control token, and says if it is wrong. A link can have the token in its fragment. The page
// takes it out of the URL at once.
func TestToken(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{ControlToken: "let-me-in"})
	page := open(t, b, "/bank/default")
	page.Expect("401")
	page.See("needs its token")
	page.Fill("Control token", "wrong")
	page.Click("Enter")
	page.See("That is not the token")
	page.Fill("Control token", "let-me-in")
	page.Click("Enter")
	page.See("of sandbox default")
	page.Reload()
	page.See("of sandbox default")

	linked := open(t, b, "token=let-me-in")
	linked.See("2026-01-15")
	assert.NotContains(t, linked.Address(), "let-me-in", "the token could be seen over a shoulder")

	other := open(t, b, "/bank/default")
	other.Expect("401")
	other.See("needs its token") // the token stays in its tab
}

// A problem of the scenario's files is shown on every page, once. What an app needs stays behind a button.
func TestFrame(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "name: retail\nextends: retail\nclock: {run: false}\n")
	b.Sandboxes.Refuse(errors.New("bank.yaml is gone"))
	simtest.ListGroups.Send(b)
	page := open(t, b, "")
	page.See("bank.yaml is gone")
	page.See("Bank time frozen")
	page.See("1 exchange.")
	page.Click("Connect an app")
	page.See(b.BaseURL())
	page.See("Authorization: Bearer demo-token")
	page.Press("Escape")
	page.Gone("Point an app here")
	page.Click("Bank", "nav")
	page.Await(`document.querySelector("h1").innerText.startsWith("Bank")`, "the page Bank")
	page.Await(`document.body.innerText.split("bank.yaml is gone").length === 2`, "the problem, once")
}
