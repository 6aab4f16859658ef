package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
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
		const band = document.querySelector(".band.current").getBoundingClientRect(), number = document.querySelector(".gutter mark").getBoundingClientRect();
		return { focused: document.activeElement === a, line, marked: Math.abs(band.top - number.top) < 3 } })()`, &cursor)
	assert.True(t, cursor.Focused)
	assert.Equal(t, 6, cursor.Line)
	assert.True(t, cursor.Marked, "the mark in the gutter is beside its line")

	page.Expect("422")
	page.Click("Apply")
	page.Click("Apply, and reset the sandbox?")
	page.See("nothing was changed")
	assert.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)

	page.Fill("Scenario YAML", "name: mine\nextends: retail\nclock: {run: false}\n\nbehavior:\n  groups: {createStatus: 201}\n")
	page.See("mine makes 2 institutions")
	page.Click("Apply")
	page.Click("Apply, and reset the sandbox?")
	page.See("The scenario was applied")
	page.Gone("You have edits that are not applied")
	assert.Equal(t, 201, simtest.CreateGroup.Send(b).StatusCode)
}

// Edits outlive a look at another page, and can be discarded.
func TestScenarioDraft(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/scenario/"+b.Sandbox.Name())
	page.See("makes 2 institutions")
	page.Fill("Scenario YAML", "extends: empty")
	page.See("You have edits")
	page.Click("Bank", "nav")
	page.See("They are not applied")
	page.Click("Scenario", "nav")
	page.See("You have edits")
	assert.Equal(t, "extends: empty", page.Value("Scenario YAML"))
	var warned bool
	page.Eval(`(() => { const leave = new Event("beforeunload", {cancelable: true}); dispatchEvent(leave); return leave.defaultPrevented })()`, &warned)
	assert.True(t, warned, "the browser asks before the edits are lost")
	page.Click("Discard edits")
	page.Click("Discard the edits?")
	page.Gone("You have edits")
	assert.Equal(t, simtest.FrozenRetail, page.Value("Scenario YAML"))
	page.Await(`(() => { const leave = new Event("beforeunload", {cancelable: true}); dispatchEvent(leave); return !leave.defaultPrevented })()`, "leaving to be free")
}

// The numbers of lines stay beside their lines when a long scenario is scrolled.
func TestLongScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+strings.Repeat("# a comment\n", 3000)+"seed: 9\n")
	page := open(t, b, "/scenario/"+b.Sandbox.Name())
	page.See("makes 2 institutions")
	page.Eval(`(() => { const a = document.querySelector("textarea"), at = a.value.split("\n", 2003).join("\n").length + 1;
		a.setRangeText("sede: 9\n", at, at); a.dispatchEvent(new InputEvent("input", {bubbles: true})); return true })()`, nil)
	page.Click("Line 2004: ")
	page.Await(`(() => { const a = document.querySelector("textarea"), mark = document.querySelector(".gutter mark").getBoundingClientRect(), box = a.getBoundingClientRect();
		return mark.top > box.top && mark.bottom < box.bottom && document.querySelector(".gutter").scrollTop === a.scrollTop && a.scrollTop > 1000 })()`, "the line to be in sight")
}

// The resolved scenario says which file and line each value comes from.
func TestResolvedScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/scenario/"+b.Sandbox.Name()+"?view=resolved")
	page.See("retail.yaml:23")
	page.See("run: false")
	var beside bool
	page.Eval(`(() => { const [, origins, yaml] = [...document.querySelectorAll(".resolved pre")].map((p) => p.lastChild.textContent.split("\n"));
		return origins[yaml.findIndex((l) => l.includes("run: false"))] === "test.yaml:3" })()`, &beside)
	assert.True(t, beside)
}

// A built-in scenario is a start for an own one, or for a sandbox.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/scenario/"+b.Sandbox.Name()+"?view=catalogue")
	page.Fill("Filter", "expired")
	page.Await("document.querySelectorAll('tbody tr').length === 1", "the filter")
	page.Click("expired-sessions")
	page.See("extends: ")
	page.Click("Use as a start")
	page.See("You have edits")
	assert.Contains(t, page.Value("Scenario YAML"), "name: expired-sessions")
	assert.Contains(t, b.ControlSandbox(200, "GET /scenario", "").Body, "extends: retail", "nothing is applied yet")

	name := b.Sandbox.Name() + "-empty"
	page.Go(at(b, "/scenario/"+b.Sandbox.Name()+"?view=catalogue&show=empty"))
	page.Fill("Name of the new sandbox", name)
	page.Click("Create a sandbox from it")
	page.See("of sandbox " + name)
	t.Cleanup(func() { assert.NoError(t, b.Sandboxes.Delete(name)) })
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/"+name, "").Body, `"scenario":"empty"`)
}

// Who applies a scenario where the simulator's own one was, is told what that means.
func TestScenarioOfTheSimulator(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	page := open(t, b, "/scenario/default")
	page.See("no longer follows the file test.yaml")
}

// Markup in a scenario is shown as text.
func TestScenarioMarkup(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, hostile)
	require.Contains(t, b.Sandbox.Scenario().Name, markup)
	page := open(t, b, "/scenario/"+b.Sandbox.Name())
	page.See("H" + markup + " makes 1 institution")
	noMarkup(page)
	page.Fill("Scenario YAML", `'`+markup+`': 1`)
	page.See("2 problems")
	page.See("img src=x onerror")
	noMarkup(page)
	page.Click("Discard edits")
	page.Click("Discard the edits?")
	page.Go(at(b, "/scenario/"+b.Sandbox.Name()+"?view=resolved"))
	page.See("C" + markup)
	noMarkup(page)
	page.Expect("404")
	page.Go(at(b, "/scenario/"+b.Sandbox.Name()+"?view=catalogue&show="+escaped(markup)+"&text="+escaped(script)))
	page.See("Scenario " + markup)
	noMarkup(page)
}
