package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// rule waits until the rule at a place, from 1, says something.
func rule(page *browserTab, place int, text string) {
	says := "document.querySelector('.rules > li:nth-child(%d)')?.innerText.includes(%s)"
	page.Await(fmt.Sprintf(says, place, quote(text)), fmt.Sprintf("rule %d to say %q", place, text))
}

// The form is a sentence. The bank answers as it says, and the rule counts. The task works in wide and narrow windows.
func TestAddAFault(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			page := open(t, b, "/faults/"+b.Sandbox.Name())
			page.Size(width, 900)
			page.See("There are no faults")
			page.Click("Add a fault")
			page.Await(`document.activeElement.labels?.[0]?.innerText === "Calls"`, "the focus to be on the first field")
			page.Await(`document.querySelector("form button.main").disabled`, "nothing to add yet")
			page.Choose("Calls", "The first")
			page.Choose("Operation", "groups.create")
			page.Fill("Status", "400")
			page.Fill("Code", "2004")
			page.Click("More")
			page.Fill("Name", "taken-once")
			page.See("faults:\n  - name: taken-once\n    operation: groups.create\n    when:\n      first: 1\n" +
				"    then:\n      status: 400\n      error:\n        code: \"2004\"\n")
			page.Click("Add")
			rule(page, 1, "The first call of groups.create answers 400 2004.")
			rule(page, 1, "taken-once · matched 0 · fired 0")

			answer := simtest.CreateGroup.Send(b)
			assert.Equal(t, 400, answer.StatusCode)
			assert.Contains(t, answer.Body, `"2004"`)
			assert.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
			rule(page, 1, "taken-once · matched 2 · fired 1")

			page.Click("Edit taken-once")
			page.Fill("Number", "3")
			page.Click("Save")
			rule(page, 1, "The first 3 calls of groups.create answer 400 2004.")
			assert.Equal(t, 400, simtest.CreateGroup.Send(b).StatusCode)
			page.Click("fired 1")
			page.See("taken-once")
			assert.Contains(t, page.Address(), "/journal/")

			page.Go(at(b, "/faults/"+b.Sandbox.Name()))
			page.Click("Remove")
			page.Click("Remove taken-once?")
			page.See("There are no faults")
			assert.JSONEq(t, `{"faults":[]}`, b.ControlSandbox(200, "GET /faults", "").Body)
		})
	}
}

// An exchange with an unknown path fills in the form of a stub. A problem of a rule stands once, at its field.
func TestStub(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"name":"other","operation":"groups.list","then":{"status":503}}`)
	simtest.NewCall("GET", "/v1/cards", "").Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.Click("Stub this")
	page.Await(`document.activeElement.closest(".fault-form")`, "the focus to go into the form")
	page.Fill("Body", `{"cards": []}`)
	page.Fill("Path", "/v1/ cards")
	page.Expect("422")
	page.Click("Add")
	page.Await(`[...document.querySelectorAll("[aria-invalid]")].map((e) => e.labels[0].innerText).join() === "Path"`,
		"the path to be marked")
	var told []string
	page.Eval(`[...document.querySelectorAll("main .bad, main [role=alert]")].map((e) => e.innerText)`, &told)
	if assert.Len(t, told, 1, "the problem stands once") {
		assert.NotContains(t, told[0], "faults:")
	}
	page.Fill("Path", "/v1/cards")
	page.Click("Add")
	rule(page, 2, "GET /v1/cards answers 200 (a stub).")
	assert.Equal(t, `{"cards": []}`, simtest.NewCall("GET", "/v1/cards", "").Send(b).Body)

	page.Click("Edit fault-2")
	page.Fill("Path", "/v1/cards/{id}")
	page.Choose("What else", "are delayed by")
	page.Fill("Delay", "1ms")
	page.Click("Save")
	rule(page, 2, "GET /v1/cards/{id} answers 200 and is delayed by 1ms (a stub).")
	rule(page, 1, "All calls of groups.list answer 503.")
	assert.Equal(t, `{"cards": []}`, simtest.NewCall("GET", "/v1/cards/7", "").Send(b).Body)
}

// Rules are switched off and put in another order, and keep their counts.
func TestOrderFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: one, operation: groups.list, when: {nth: 2}, then: {status: 500}}
- {name: other, operation: groups.list, when: {nth: 2}, then: {status: 503, body: "late"}}
`))
	simtest.ListGroups.Send(b)
	page := open(t, b, "/faults/"+b.Sandbox.Name())
	page.Click("Move other up")
	rule(page, 1, "other · matched 1")
	page.Await(`document.activeElement.id === "edit other"`, "the focus to stay on the rule")
	page.Click("other on")
	rule(page, 1, "off")
	assert.Equal(t, 500, simtest.ListGroups.Send(b).StatusCode)
}

// lookAtFaults shows rules, of which one has fired, and a form that is filled in.
func lookAtFaults(t *testing.T) *browserTab {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `[
		{"name":"list-fails-once","operation":"groups.list","when":{"first":1},"then":{"status":500}},
		{"name":"slow","operation":"estatements.*","then":{"delay":{"p50":"200ms","p95":"800ms"}}},
		{"name":"token-answer-lost","operation":["tokens.issue","tokens.revoke"],
			"when":{"nth":2,"during":{"for":"5m"}},"phase":"after","then":{"connection":"reset"}}]`)
	simtest.ListGroups.Send(b)
	simtest.ListGroups.Send(b)
	page := open(t, b, "/faults/"+b.Sandbox.Name()+"?fault=list-fails-once&operation=groups.create&"+
		"when.first=1&then.status=400&then.error.code=2004")
	page.See("code: \"2004\"")
	rule(page, 1, "fired 1")
	return page
}
