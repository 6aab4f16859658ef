package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// hand does tasks on a page by the mouse, or by the keyboard alone, and counts the steps.
type hand struct {
	*browserTab
	keyboard bool
	steps    int
}

// maxTabs is how often Tab is pressed at most on the way to an element.
const maxTabs = 250

// reach presses Tab until an element has the focus. The editor is left by Escape before.
func (h *hand) reach(element string) {
	h.t.Helper()
	h.Await(element, "an element to reach")
	for range maxTabs {
		var there, inEditor bool
		if h.Eval(fmt.Sprintf("document.activeElement === (%s)", element), &there); there {
			return
		}
		if h.Eval(`document.activeElement.matches(".editor")`, &inEditor); inEditor {
			h.Press("Escape") // then Tab leaves it
		}
		h.Press("Tab")
	}
	assert.Fail(h.t, "the keyboard doesn't reach it", element)
}

// act clicks a button, a link or a row, or presses Enter on it.
func (h *hand) act(name string) {
	h.t.Helper()
	h.steps++
	if !h.keyboard {
		h.Click(name)
		return
	}
	h.reach(fmt.Sprintf(clickable, `""`, quote(name)))
	h.Press("Enter")
}

// fill types a text into a field, and choose chooses an option of one.
func (h *hand) fill(label, text string) {
	h.t.Helper()
	h.steps++
	if h.keyboard {
		h.reach(h.field(label))
	}
	h.Fill(label, text)
}

func (h *hand) choose(label, option string) {
	h.t.Helper()
	h.steps++
	if h.keyboard {
		h.reach(h.field(label))
	}
	h.Choose(label, option)
}

// tasks are what testers come for. Each begins on a page, and has at most so many steps.
var tasks = []struct {
	name, page string
	steps      int
	do         func(h *hand, b *simtest.Bank)
}{
	{"why was it refused", "/journal/{sandbox}", 1, func(h *hand, _ *simtest.Bank) {
		h.act("09:00:00, exchange 1: PUT estatements.updateUser")
		h.See(`is not in status ACCEPTED`)
	}},
	{"let it pass", "/journal/{sandbox}?exchange=1", 2, func(h *hand, b *simtest.Bank) {
		h.act("Accept the disclosures of user 1003")
		h.See("Send it again to see the new answer")
		h.act("Send again")
		h.See("Exchange 4: why?")
		assert.Equal(h.t, 204, b.Last().Response.Status)
	}},
	{"send it again with another body", "/journal/{sandbox}?exchange=1", 3, func(h *hand, b *simtest.Bank) {
		h.act("Edit the request before it is sent again")
		h.fill("Body", `{"activateEstatement": "yes"}`)
		h.act("Send again")
		h.See("why?")
		assert.Contains(h.t, b.Last().Request.Body, "yes")
	}},
	{"make a fault by the form", "/faults/{sandbox}", 4, func(h *hand, b *simtest.Bank) {
		h.act("Add a fault")
		h.choose("Operation", "groups.list")
		h.fill("Status", "503")
		h.act("Add")
		h.See("Added ")
		assert.Equal(h.t, 503, simtest.ListGroups.Send(b).StatusCode)
		b.ControlSandbox(204, "DELETE /faults", "")
	}},
	{"stub what is not simulated", "/journal/{sandbox}?exchange=2", 3, func(h *hand, b *simtest.Bank) {
		h.act("Stub this")
		h.Await(`document.activeElement.closest(".fault-form")`, "the form")
		h.fill("Body", `{"cards": []}`)
		h.act("Add")
		h.See("Added ")
		assert.Equal(h.t, `{"cards":[]}`, simtest.NewCall("GET", "/v1/cards", "").Send(b).Body)
	}},
	{"let a fault recur each day", "/faults/{sandbox}", 6, func(h *hand, b *simtest.Bank) {
		h.act("Add a fault")
		h.fill("Status", "503")
		h.act("More: several operations, conditions, phase, headers, name")
		h.fill("During: daily", "09:00-17:00")
		h.fill("During: zone", "Europe/Berlin")
		h.act("Add")
		h.See("Added ")
		assert.Contains(h.t, b.ControlSandbox(200, "GET /faults", "").Body, `"zone":"Europe/Berlin"`)
	}},
	{"find by user and code", "/journal/{sandbox}", 1, func(h *hand, _ *simtest.Bank) {
		h.fill("Search", "user:1003 code:UXESTMT_11013")
		h.See("exchange like that")
	}},
	{"copy a command that runs", "/journal/{sandbox}?exchange=3", 1, func(h *hand, b *simtest.Bank) {
		h.act("Copy as curl")
		h.See("Copied.")
		assert.Contains(h.t, b.ControlSandbox(200, "GET /journal/3/why", "").Body, "Bearer demo-token'")
	}},
	{"mint a token", "/bank/{sandbox}?row=users/02688/1001", 2, func(h *hand, _ *simtest.Bank) {
		h.act("Mint a token for the user")
		h.act("Mint")
		h.See("Copy it now")
		h.See("for user 1001")
	}},
	{"make a bank of a capture", "/scenario/{sandbox}", 2, func(h *hand, b *simtest.Bank) {
		h.Await(editorText+`.includes("extends")`, "the editor")
		dropFile(h.browserTab, "session.har", b.ControlSandbox(200, "GET /journal.har", "").Body)
		h.See("Nothing is applied yet")
		h.act("Apply")
		h.act("Apply, reset, and follow test.yaml no more?")
		h.See("The scenario was applied")
		h.Gone("You have edits") // the browser would ask whether to leave them
	}},
	{"follow the file again", "/scenario/{sandbox}", 2, func(h *hand, b *simtest.Bank) {
		h.act("Follow test.yaml again")
		h.act("Follow it, and reset the sandbox?")
		h.See("follows test.yaml again")
		assert.Contains(h.t, b.ControlSandbox(200, "GET ", "").Body, `"followsScenario":true`)
	}},
}

// Each task takes few steps, by the mouse and by the keyboard alone.
func TestTasks(t *testing.T) {
	t.Parallel()
	for by, keyboard := range map[string]bool{"mouse": false, "keyboard": true} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			inference := infer.Inference()
			inference.MaxBytes = 1 << 20
			b := simtest.Start(t, server.Config{Inference: inference})
			refused.Send(b)
			simtest.NewCall("GET", "/v1/cards", "").Send(b)
			simtest.UpdateUser.Send(b)
			page := open(t, b, "/journal/{sandbox}")
			for _, task := range tasks {
				h := &hand{browserTab: page, keyboard: keyboard}
				page.Go("about:blank") // so that the focus begins anew
				page.Go(at(b, task.page))
				task.do(h, b)
				assert.LessOrEqual(t, h.steps, task.steps, task.name)
				t.Logf("%s: %d steps", task.name, h.steps)
			}
		})
	}
}
