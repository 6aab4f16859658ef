package console_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// editorText is the text that can be seen in the editor of the page Scenario, as JavaScript.
const editorText = `document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")?.innerText`

// edit replaces all that the editor of the page Scenario has, as people do who paste a scenario.
func edit(page *browserTab, yaml string) {
	page.t.Helper()
	page.Await(editorText, "the editor")
	page.Eval(`document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus()`, nil)
	const control = 2
	call(
		page,
		input.DispatchKeyEvent,
		input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "a",
			Code: "KeyA", WindowsVirtualKeyCode: 'A', Modifiers: control},
	)
	page.Eval(`((text) => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", text);
		const editor = document.activeElement.shadowRoot.activeElement;
		editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
	})(`+quote(yaml)+")", nil)
}

// inEditor waits until the editor of the page Scenario has an element of a class that says something.
func inEditor(page *browserTab, class, text string) {
	page.t.Helper()
	page.Await(`[...document.querySelector(".editor")?.shadowRoot?.querySelectorAll(`+quote("."+class)+
		`) ?? []].some((e) => e.innerText.includes(`+quote(text)+"))", "the editor to have "+text)
}

// The editor offers the keys that a place has, and the values of a key.
func TestCompleteScenario(t *testing.T) {
	t.Parallel()
	page := open(t, simtest.Start(t, server.Config{}), "/scenario/default")
	edit(page, "institutions:\n  - institutionId: \"1\"\n    groups:\n      - groupName: a\n        jobs:\n          - jobSta")
	page.Press("t")
	inEditor(page, "cm-completionLabel", "jobStatus")
	page.Await(`!document.querySelector(".editor").shadowRoot.querySelector(".cm-tooltip-autocomplete").innerText
		.includes("hostUserId")`, "no keys of other places")
	page.Eval(`document.querySelector(".editor").shadowRoot.querySelector(".cm-tooltip-autocomplete li[aria-selected]")
		.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }))`, nil)
	page.Await(editorText+`.includes("- jobStatus: ")`, "the key")
	page.Press("P")
	inEditor(page, "cm-completionLabel", "PARTIAL_SUCCESS")
	edit(page, "faults:\n  - {operation: groups.list, when: {during: {dai")
	page.Press("l")
	inEditor(page, "cm-completionLabel", "daily")
}

// A scenario that extends a file opens as its merged text. A mistake is marked at its line while it is typed. A warning
// doesn't keep the scenario from being applied, and then the bank behaves so.
func TestEditScenario(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, yaml := range map[string]string{"mine.yaml": "name: mine\nextends: [shared.yaml]\nclock: {run: false}\n" +
		"description: |\n  All of it # retail.yaml:12\n",
		"shared.yaml": "extends: retail\nbehavior:\n  groups: {createStatus: 201} # as the gateway answers\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(yaml), 0o600))
	}
	loaded, err := scenario.Load(filepath.Join(dir, "mine.yaml"))
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: loaded})})
	assert.Equal(t, 201, simtest.CreateGroup.Send(b).StatusCode)
	page := open(t, b, "/scenario/default")
	page.See("This scenario extends shared.yaml.")
	page.See("mine makes 2 institutions")
	inEditor(page, "cm-line", "createStatus: 201")
	inEditor(page, "cm-line", "All of it # retail.yaml:12")
	page.Await("!"+editorText+`.includes("mine.yaml:")`, "no origins")
	page.Gone("You have edits")

	page.See("valid")
	top := page.Number(`document.querySelector(".editor").getBoundingClientRect().top`)
	edit(page, "name: mine\nextends: retail\nclock: {run: false}\n\nbehavior:\n  groups: {createStatsu: 201}\n"+
		"a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\n")
	page.See("and 2 more")
	assert.Equal(t, top, page.Number(`document.querySelector(".editor").getBoundingClientRect().top`),
		"the editor stays in its place")
	edit(page, "name: mine\nextends: retail\nclock: {run: false}\n\nbehavior:\n  groups: {createStatsu: 201}\n")
	page.See("1 problem")
	page.See("You have edits that are not applied")
	inEditor(page, "cm-lintRange-error", "createStatsu")
	page.Click("Line 6: ")
	inEditor(page, "cm-activeLine", "createStatsu")
	page.Press("Tab")
	page.Await(editorText+`.includes("\n    groups: ")`, "Tab to indent")
	page.Press("Escape")
	page.Press("Tab")
	page.Await(`!document.activeElement.matches(".editor")`, "Esc, then Tab to leave the editor")
	page.Await(`[...document.querySelectorAll("button:disabled")].some((b) => b.innerText === "Apply")`, "no Apply")

	edit(page, "name: mine\nextends: retail\nclock: {run: false}\ninstitutions:\n"+
		"  - {institutionId: \"02688\", users: [{hostUserId: \"1OO1\"}]}\nbehavior: {groups: {createStatus: 200}}\n")
	page.See("1 warning")
	page.See("Line 5: hostUserId \"1OO1\" looks like \"1001\"")
	inEditor(page, "cm-lintRange-warning", "1OO1")
	page.Click("Apply")
	page.Click("Apply, reset, and follow mine.yaml no more?")
	page.See("The scenario was applied")
	page.Gone("You have edits that are not applied")
	page.Gone("This scenario extends")
	assert.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)

	page.Click("Follow mine.yaml again")
	page.Click("Follow it, and reset the sandbox?")
	page.See("follows mine.yaml again")
	page.See("This scenario extends shared.yaml.")
	assert.Equal(t, 201, simtest.CreateGroup.Send(b).StatusCode)
}
