package console_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// cell waits until a cell of the rules' first row has a text.
func cell(page *browserTab, column int, text string) {
	which, _ := json.Marshal([]any{column, text})
	page.Await(`((i, text) => document.querySelectorAll("main tbody tr")[0]?.children[i]?.innerText === text)(...`+string(which)+")",
		"the cell "+string(which))
}

// A fault is made by a form whose choices are the contract's. The bank answers as it says, and the table counts.
func TestAddAFault(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/faults/"+b.Sandbox.Name())
	page.See("No faults: every request is answered as the bank does")
	page.Choose("Operation", "groups.create")
	page.Fill("First", "1")
	page.Choose("Answer", "an error of the bank")
	page.Choose("Status", "400")
	page.Choose("Code", "2004")
	page.Fill("Name", "taken-once")
	page.See("faults:\n  - name: taken-once\n    operation: groups.create\n    when:\n      first: 1\n    then:\n      status: 400\n  " +
		"    error:\n        code: \"2004\"\n")
	page.Click("Add the fault")
	cell(page, 0, "taken-once")
	cell(page, 5, "0")

	answer := simtest.CreateGroup.Send(b)
	assert.Equal(t, 400, answer.StatusCode)
	assert.Contains(t, answer.Body, `"2004"`)
	assert.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	cell(page, 4, "2")
	cell(page, 5, "1")
	page.Eval(`document.querySelector("main tbody td.number a").click()`, nil) // to those in the journal
	page.See("1 exchange like that")
	page.See("taken-once")

	page.Go(at(b, "/faults/"+b.Sandbox.Name()))
	page.Click("Remove")
	page.Click("Remove taken-once?")
	page.See("No faults: every request is answered")
	assert.JSONEq(t, `{"faults":[]}`, b.ControlSandbox(200, "GET /faults", "").Body)
}

// A path that isn't simulated gets a stub from its exchange. Rules are edited, switched off and put in another order.
func TestChangeFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: one, operation: groups.list, when: {nth: 2}, then: {status: 500}}
- {name: other, operation: groups.list, when: {nth: 2}, then: {status: 503, body: "late"}}
`))
	simtest.NewCall("GET", "/v1/cards", "").Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.Click("Stub this")
	page.Fill("Body", `{"cards": []}`)
	page.Fill("Name", "cards")
	page.Click("Add the fault")
	page.See("GET /v1/cards")
	assert.Equal(t, `{"cards": []}`, simtest.NewCall("GET", "/v1/cards", "").Send(b).Body)
	page.Click("Edit cards")
	page.Fill("Path", "/v1/cards/{id}")
	page.Choose("Answer", "none")
	page.Expect("422")
	page.Click("Save")
	page.See("faults:5:11 then says nothing")
	page.Choose("Answer", "a body of your own")
	page.Fill("Status", "200")
	page.Fill("Body", "one")
	page.Click("Save")
	page.See("GET /v1/cards/{id}")
	assert.Equal(t, "one", simtest.NewCall("GET", "/v1/cards/7", "").Send(b).Body)

	simtest.ListGroups.Send(b)
	page.Click("Move other up")
	cell(page, 0, "other")
	cell(page, 4, "1") // it keeps its counts
	page.Await(`document.activeElement.id === "down other"`, "the focus to stay on the row")
	page.Press("Enter")
	cell(page, 0, "one")
	page.Await(`document.activeElement.id === "down other"`, "the focus to stay on the row")
	page.Click("Move other up")
	cell(page, 0, "other")
	page.Click("other on")
	cell(page, 0, "other off")
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
	page := open(t, b, "/faults/"+b.Sandbox.Name()+"?fault=list-fails-once&operation=groups.create&first=1&status=400&code=2004")
	page.See("another")
	cell(page, 5, "1")
	return page
}
