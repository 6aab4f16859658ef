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
			page := open(t, b, "/faults/{sandbox}")
			page.Size(width, 900)
			page.See("There are no faults")
			page.Click("Add a fault")
			page.Await(
				`document.activeElement.labels?.[0]?.innerText === "Calls"`,
				"the focus to be on the first field",
			)
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

			page.Go(at(b, "/faults/{sandbox}"))
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
	page := open(t, b, "/journal/{sandbox}?exchange=1")
	page.Click("Stub this")
	page.Await(`document.activeElement.closest(".fault-form")`, "the focus to go into the form")
	page.Fill("Body", `{"cards": ]}`)
	page.See("The body looks like JSON, and isn’t")
	page.Fill("Body", `{"cards": []}`)
	page.Gone("The body looks like JSON, and isn’t")
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
	assert.Equal(t, `{"cards":[]}`, simtest.NewCall("GET", "/v1/cards", "").Send(b).Body)

	page.Click("Edit fault-2")
	page.Fill("Path", "/v1/cards/{id}")
	page.See("{id} stands for that part of the request")
	page.Fill("Body", `{"cards": ["{id}", 12345678901234567890]}`)
	page.See(`body: "{\"cards\"`)
	page.Fill("Body", `{"cards": ["{id}", 1]}`)
	page.See("body:\n        cards:")
	page.Choose("What else", "are delayed by")
	page.Fill("Delay", "1ms")
	page.Click("Save")
	rule(page, 2, "GET /v1/cards/{id} answers 200 and is delayed by 1ms (a stub).")
	rule(page, 1, "All calls of groups.list answer 503.")
	assert.Equal(t, `{"cards":["7",1]}`, simtest.NewCall("GET", "/v1/cards/7", "").Send(b).Body)

	page.Click("Edit fault-2")
	assert.Equal(t, `{"cards":["{id}",1]}`, page.Value("Body"))
	page.Choose("What", "are forwarded to")
	page.Fill("URL", "http://127.0.0.1:1")
	page.Click("Save")
	rule(page, 2, "GET /v1/cards/{id} is forwarded to http://127.0.0.1:1 and is delayed by 1ms (a stub).")
	assert.Equal(t, 502, simtest.NewCall("GET", "/v1/cards/7", "").Send(b).StatusCode)
}

// A link to a rule opens it in the form. If somebody else removes the rule, the form says so and can add it again.
func TestEditARemovedFault(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: slow, operation: groups.list, then: {delay: 1ms}}
- {name: late, operation: groups.list, required: true, when: {during: {from: 0s, for: 5m}}, then: {status: 503}}
`))
	page := open(t, b, "/faults/{sandbox}?edit=slow")
	page.See("- name: slow\n    operation: groups.list\n    then:\n      delay: 1ms\n")
	assert.Equal(t, "1ms", page.Value("Delay"))
	page.Await(`document.querySelector(".fault-form details")?.open === false`, "More to be folded for a name")
	page.Fill("Delay", "2ms")
	b.ControlSandbox(204, "DELETE /faults?name=slow", "")
	page.See("The rule slow is gone; Add adds it again.")
	page.Click("Add", "form")
	rule(page, 2, "All calls of groups.list are delayed by 2ms.")

	page.Click("Edit late")
	page.See("    required: true\n")
	page.Await(`document.querySelector(".fault-form details")?.open`, "More to be unfolded for a condition")
	assert.Equal(t, "5m", page.Value("During: for"))
	page.Gone("In quotes")
	page.Fill("Request: hostUserId", "1001")
	page.See(`hostUserId: "1001"`)
	page.Fill("During: for", "soon")
	page.Expect("422")
	page.Click("Save")
	page.Await(`document.querySelector("main .bad")?.closest(".field")?.innerText.startsWith("During: for")`,
		"the problem at its field")
}

// A rule reads as a sentence, whatever it has.
func TestSentences(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {operation: groups.list, when: {nth: 2}, then: {delay: {uniform: [100ms, 2s]}}}
- {path: /v1/cards, then: {status: 200, body: "", headers: {X-One: "1", X-Two: "2"}}}
- {operation: groups.list, when: {during: {for: 5m}}, then: {status: 500}}
`))
	page := open(t, b, "/faults/{sandbox}?when.first=1&operation=groups.list&then.status=500")
	rule(page, 1, "The 2nd call of groups.list is delayed by 100ms to 2s.")
	rule(page, 2, "/v1/cards answers 200 and gets the headers X-One and X-Two (a stub).")
	rule(page, 3, "All calls of groups.list (for 5m) answer 500.")
	page.Await(`/call of\s/.test(document.querySelector(".sentence").textContent)`, "one call")
	page.See("usually 2001")
	page.Fill("Number", "2")
	page.Await(`/calls of\s/.test(document.querySelector(".sentence").textContent)`, "two calls")
}

// A rule says how often it had no effect, and the page what a test has to fail with.
func TestFaultsWithoutEffect(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: late, operation: groups.list, then: {delay: 1ms}}
- {name: old-token, required: true, operation: groups.list, then: {expireToken: true}}
`))
	simtest.ListGroups.Send(b)
	page := open(t, b, "/faults/{sandbox}")
	page.See("old-token · matched 1 · fired 1 · without effect 1")
	page.See("the fault old-token (groups.list) fired without effect: no request had a valid access token")
}

// Rules are switched off and put in another order, and keep their counts.
func TestOrderFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: one, operation: groups.list, when: {nth: 2}, then: {status: 500}}
- {name: other, operation: groups.list, when: {nth: 2}, then: {status: 503, body: "late"}}
`))
	simtest.ListGroups.Send(b)
	page := open(t, b, "/faults/{sandbox}")
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
	page := open(t, b, "/faults/{sandbox}?fault=list-fails-once&operation=groups.create&"+
		"when.first=1&then.status=400&then.error.code=2004")
	page.See("code: \"2004\"")
	rule(page, 1, "fired 1")
	return page
}
