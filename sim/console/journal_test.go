package console_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// refused is a request that the bank refuses because of a row.
var refused = simtest.UpdateUser.At(simtest.UpdateUserPath + "1003")

// hostileText is what mustn't become an element, wherever a caller puts it.
const hostileText = markup + script

// assertNoMarkup checks that nothing of the markup became an element.
func assertNoMarkup(t *testing.T, page *browserTab) {
	t.Helper()
	var found int
	page.Eval("document.querySelectorAll('img, script:not([type=module]), [onerror]').length", &found)
	assert.Zero(t, found, "markup became an element")
}

// Why was that request refused? The list has it while it happens; beside it are the sentence, the rule, the row and what the
// ledger asks and answers.
func TestFindWhyARequestWasRefused(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/journal/"+b.Sandbox.Name())
	page.See("Nothing was asked yet")
	simtest.ListGroups.Send(b)
	refused.Send(b)
	page.See("disclosure-not-accepted")
	page.See("live")
	page.Eval(`document.querySelector("tr[data-row]").click()`, nil) // the newest is the first
	page.See("Refused with 400 UXESTMT_11013: the user-level disclosure of user \"1003\" is not in status ACCEPTED")
	page.See("What is answered where the disclosure is not in status ACCEPTED?")
	page.See("public API description; the rule is section 3")
	page.See(`"activateEstatement": true`)
	assert.Contains(t, page.Address(), "exchange=2")
	var row string
	page.Eval(`[...document.querySelectorAll("aside .facts a")].find((a) => a.innerText === "users/02688/1003").getAttribute("href")`, &row)
	assert.Equal(t, "#/bank/"+b.Sandbox.Name()+"?row=users%2F02688%2F1003", row)

	page.Reload() // the link is what a colleague is sent
	page.Await("document.querySelectorAll(`tr[data-row]`).length === 2", "two rows")
	page.See("Refused with 400 UXESTMT_11013")
	page.Click("Close the exchange")
	page.Gone("Refused with 400")
	page.Press("Enter") // on the link to the exchange, which has the focus
	page.See("Refused with 400 UXESTMT_11013")
	page.Press("Enter")
	page.Await(`document.activeElement.matches(".exchange h2")`, "the focus to go into the exchange")
}

// Whatever a caller sends is shown as text.
func TestMarkupInTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	body, _ := json.Marshal(map[string]string{"groupName": hostileText, "groupDescription": hostileText})
	simtest.CreateGroup.WithBody(string(body)).With("X-Markup", hostileText).With("transactionId",
		hostileText).WithQuery("x=%3Cimg%20src=x%20onerror=alert(1)%3E").Send(b)
	simtest.ListGroups.With("transactionId", hostileText).WithQuery(`size=%3Cimg%20src=x%3E`).Send(b)
	simtest.NewCall("GET", "/digitalbanking/%3Cimg%20src=x%20onerror=alert(1)%3E", "", "X-Markup: "+hostileText).Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.See("onerror=alert(1)")
	assertNoMarkup(t, page)
	for _, id := range []string{"2", "3", "1"} {
		page.Go(at(b, "/journal/"+b.Sandbox.Name()+"?exchange="+id))
		page.See("Send it again")
		assertNoMarkup(t, page)
	}
	page.Go(at(b, "/journal/"+b.Sandbox.Name()+"?exchange=%3Cimg%20src=x%3E&text=%3Cimg%20src=x%20onerror=alert(1)%3E"))
	page.Expect("404")
	page.See("The journal no longer has exchange <img src=x>")
	assertNoMarkup(t, page)
}

// lookAtJournal shows the journal of some traffic, with an exchange that changed something.
func lookAtJournal(t *testing.T) *browserTab {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"name":"list-fails-once","operation":"groups.list","when":{"first":1},"then":{"status":500}}`)
	b.ControlSandbox(201, "POST /faults", `{"name":"slow","operation":"estatements.*","then":{"delay":"1ms"}}`)
	for _, call := range []simtest.Call{refused, simtest.ListGroups, simtest.ListGroups,
		simtest.GetDisclosures.With("correlationid", "c-2"),
		simtest.CreateGroup, simtest.CreateGroup, simtest.CreateAlert, simtest.IssueTokens, simtest.UpdateUser.With("correlationid",
			"c-3")} {
		call.Send(b)
	}
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=9")
	page.See("disclosures.0.paperWaiver")
	page.See("9 exchanges.")
	return page
}
