package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A mistake in a scenario is marked at its line while it is typed. Mended and applied, the bank behaves so.
func TestEditScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/scenario/"+b.Sandbox.Name())
	page.See("makes 2 institutions")
	assert.Equal(t, simtest.FrozenRetail, page.Value("Scenario YAML"))

	page.Fill("Scenario YAML", "name: mine\nextends: retail\nclock: {run: false}\n\nbehavior:\n  groups: {createStatsu: 201}\n")
	page.See("1 problem")
	page.See("You have edits that are not applied")
	assert.Equal(t, "✗ 6", page.Text(".gutter mark"))
	page.Click("Line 6: ")
	var cursor struct {
		Focused bool
		Line    int
		Marked  bool
	}
	page.Eval(`(() => { const a = document.querySelector("textarea"), line = a.value.slice(0, a.selectionStart).split("\n").length;
		const band = document.querySelector(".band.current").getBoundingClientRect();
		const number = document.querySelector(".gutter mark").getBoundingClientRect();
		return { focused: document.activeElement === a, line, marked: Math.abs(band.top - number.top) < 3 } })()`, &cursor)
	assert.True(t, cursor.Focused)
	assert.Equal(t, 6, cursor.Line)
	assert.True(t, cursor.Marked, "the mark in the gutter is beside its line")

	page.Expect("422")
	page.Click("Apply")
	page.Click("Apply, and reset the sandbox?")
	page.See("nothing was changed")
	assert.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)

	page.Fill("Scenario YAML", "extends: retail\ninstitutions:\n  - {institutionId: \"02688\", users: [{hostUserId: \"1OO1\"}]}\n")
	page.See("1 warning")
	page.See("Line 3: hostUserId \"1OO1\" looks like \"1001\"")

	page.Fill("Scenario YAML", "name: mine\nextends: retail\nclock: {run: false}\n\nbehavior:\n  groups: {createStatus: 201}\n")
	page.See("mine makes 2 institutions")
	page.Click("Apply")
	page.Click("Apply, and reset the sandbox?")
	page.See("The scenario was applied")
	page.Gone("You have edits that are not applied")
	assert.Equal(t, 201, simtest.CreateGroup.Send(b).StatusCode)
}
