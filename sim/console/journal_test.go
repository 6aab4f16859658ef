package console_test

import (
	"encoding/json"
	"strings"
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

// Why was that request refused? The list says it at once. Beside the list are the cause and, in a tab, the evidence.
func TestFindWhyARequestWasRefused(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/journal/{sandbox}")
	page.See("Nothing was asked yet")
	simtest.ListGroups.Send(b)
	refused.Send(b)
	page.See(`the user-level disclosure of user "1003" is not in status ACCEPTED`)
	page.See("live")
	assert.Equal(t, "400", page.Text("tr[data-row] .status.warn"))
	assert.Equal(t, "PUT/ux-users/v2/e-statements/user/preferences?hostUserId=1003", strings.Join(strings.Fields(
		page.Text("tr[data-row] .request")), ""), "without the prefix of all operations")
	page.Eval(`document.querySelector("tr[data-row]").click()`, nil) // the newest is the first
	page.Await(`document.querySelector(".cause")?.innerText.includes("is not in status ACCEPTED")`, "the cause")
	page.See(`"activateEstatement": true`)
	assert.Contains(t, page.Address(), "exchange=2")
	page.Click("Evidence")
	page.See("What is answered where the disclosure is not in status ACCEPTED?")
	page.See("public API description: error codes; section 3 has the rule")
	row := `[...document.querySelectorAll("aside .facts a")].find((a) => a.innerText === "users/02688/1003")`
	page.Await(row+`.hash === "#/bank/`+b.Sandbox.Name()+`?row=users%2F02688%2F1003"`, "the link to the row")

	page.Reload() // the link is what a colleague is sent
	page.Await("document.querySelectorAll(`tr[data-row]`).length === 2", "two rows")
	page.See("What is answered where the disclosure is not in status ACCEPTED?")
	page.Click("Close")
	page.Gone("What is answered where")
	page.Press("Enter") // on the link to the exchange, which has the focus
	page.Await(`document.activeElement.matches(".exchange h2")`, "the focus to go into the exchange")
	page.Press("Escape")
	page.Await(`document.activeElement.dataset.exchange === "2"`, "the focus to go back to the row")
}

// The third request was refused. Its fix lets it pass when it is sent again; on a phone, too. What the page says about
// that covers nothing, and goes with the page.
func TestLetARefusedRequestPass(t *testing.T) {
	t.Parallel()
	for name, width := range map[string]int64{"desk": 1280, "phone": 390} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			simtest.ListGroups.Send(b)
			simtest.CreateGroup.Send(b)
			refused.Send(b)
			page := open(t, b, "/journal/{sandbox}")
			page.Size(width, 844)
			page.See("is not in status ACCEPTED")
			page.Eval(`document.querySelector("tr[data-row]").click()`, nil)
			page.Click("Accept the disclosures of user 1003")
			page.See("Done: Accept the disclosures of user 1003.")
			page.Click("Send again")
			page.See("Exchange 4: why?")
			assert.Contains(t, page.Text(".answer"), "The answer now\n\n204")
			page.See("What exchange 3 changed")
			assert.Contains(t, page.Text("header .said"), "The bank answered 204.")
			said := `document.querySelector(".said").getBoundingClientRect()`
			page.Await(
				said+`.bottom <= document.querySelector(".top").getBoundingClientRect().bottom`,
				"it in the header",
			)
			assert.Equal(t, 204, b.Last().Response.Status)
			page.Click(map[int64]string{1280: "Close", 390: "Back"}[width])
			page.Await(`document.querySelectorAll("tr[data-row] td").length > 0`, "the list")
			page.Click("Bank", "nav")
			page.Await(`document.querySelector("h1").innerText.startsWith("Bank")`, "the page Bank")
			assert.Zero(
				t,
				page.Number(`document.querySelectorAll(".said p").length`),
				"what was said about another page",
			)
			assert.LessOrEqual(t, page.Number("document.documentElement.scrollWidth"), float64(width), "sideways")
		})
	}
}

// A fork is the bank as it was before an exchange. A fault that fired is removed where it is seen.
func TestUndo(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("\n  - {name: slow, operation: groups.create, then: {delay: 20ms}}\n"))
	simtest.CreateGroup.Send(b)
	page := open(t, b, "/journal/{sandbox}?exchange=1")
	page.See("slow delayed the answer by 20ms.")
	page.Click("Remove fault slow")
	page.Click("Really remove slow?")
	page.See("Done: Remove fault slow.")
	page.Await(`![...document.querySelectorAll(".exchange button")].some((b) => b.innerText === "Remove fault slow")`,
		"the button to go")
	assert.JSONEq(t, `{"faults":[]}`, b.ControlSandbox(200, "GET /faults", "").Body)

	page.Click("Fork the bank as it was before this")
	page.See("is the bank as it was before exchange 1")
	page.Await(`location.hash.startsWith("#/bank/")`, "the bank of the fork")
	var name string
	page.Eval(`decodeURIComponent(location.hash.split("/")[2])`, &name)
	assert.Contains(t, b.State(), "Night owls")
	assert.NotContains(t, b.In(name).State(), "Night owls")
	page.Click("Dismiss")
	var said bool
	page.Eval(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
		.then(() => Boolean(document.querySelector(".said p")))`, &said)
	assert.False(t, said, "what was dismissed is still there")
}

// The list and an exchange use the window. A linked exchange is in view, and so are the header and the menu.
func TestWidths(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	refused.Send(b)
	for range 40 {
		simtest.ListGroups.Send(b)
	}
	page := open(t, b, "/journal/{sandbox}?exchange=1")
	page.Await(`document.querySelector(".cause") && document.querySelector("tr.chosen")`, "the exchange and its row")
	bottom := `document.querySelector("tr.chosen").getBoundingClientRect().bottom`
	page.Await(bottom+" <= innerHeight", "the row to be scrolled to")
	for _, width := range []int64{1100, 1280, 1920} {
		page.Size(width, 900)
		side := `document.querySelector("aside.card").getBoundingClientRect()`
		assert.GreaterOrEqual(t, page.Number(side+".width"), 480.0, "%d pixels", width)
		assert.GreaterOrEqual(t, page.Number(side+".right"), float64(width-30), "%d pixels", width)
		cut := `[...document.querySelectorAll("tr[data-row]")].filter((e) => e.scrollWidth > e.clientWidth).length`
		assert.Zero(t, page.Number(cut), "rows that are cut off at %d pixels", width)
	}
	page.Size(1280, 900)
	page.Click("Close")
	page.Await(
		`[...document.querySelectorAll("tr[data-row]")].every((e) => e.clientHeight < 60)`,
		"two lines at most for a request",
	)
	page.Eval("scrollTo(0, 300)", nil)
	page.Await(`scrollY === 300 && document.querySelector(".top").getBoundingClientRect().top === 0 &&
		document.querySelector("nav").getBoundingClientRect().bottom === innerHeight`, "the header and the menu to stay")
	page.Size(390, 844)
	assert.LessOrEqual(t, page.Number(`document.querySelector("nav").getBoundingClientRect().bottom + scrollY`), 116.0)
	page.Go(at(b, "/sandboxes/{sandbox}"))
	page.Await(`document.querySelector("nav [aria-current]")?.innerText === "Sandboxes" &&
		document.querySelector("nav [aria-current]").getBoundingClientRect().right <= innerWidth`, "the page in the menu")
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
	page := open(t, b, "/journal/{sandbox}?exchange=1")
	page.See("onerror=alert(1)")
	assertNoMarkup(t, page)
	for _, id := range []string{"2", "3", "1"} {
		page.Go(at(b, "/journal/{sandbox}?exchange="+id))
		page.See("What exchange " + id + " changed")
		assertNoMarkup(t, page)
	}
	page.Go(at(b, "/journal/{sandbox}?exchange=%3Cimg%20src=x%3E&text=%3Cimg%20src=x%20onerror=alert(1)%3E"))
	page.Expect("404")
	page.See("The journal no longer has exchange <img src=x>")
	assertNoMarkup(t, page)
}

// lookAtJournal shows the journal of some traffic, with an exchange that changed something.
func lookAtJournal(t *testing.T) *browserTab {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `[
		{"name":"list-fails-once","operation":"groups.list","when":{"first":1},"then":{"status":500}},
		{"name":"slow","operation":"estatements.*","then":{"delay":"1ms"}}]`)
	for _, call := range []simtest.Call{refused, simtest.ListGroups, simtest.ListGroups,
		simtest.GetDisclosures.With("correlationid", "c-2"),
		simtest.CreateGroup, simtest.CreateGroup, simtest.CreateAlert, simtest.IssueTokens,
		simtest.UpdateUser.With("correlationid", "c-3")} {
		call.Send(b)
	}
	page := open(t, b, "/journal/{sandbox}?exchange=9")
	page.See("disclosures.0.paperWaiver")
	page.See("9 exchanges.")
	return page
}

func lookAtEvidence(t *testing.T) *browserTab {
	page := lookAtJournal(t)
	page.Click("Evidence")
	page.See("Send it by curl")
	return page
}

func lookAtConnect(t *testing.T) *browserTab {
	page := open(t, simtest.StartScenario(t, "name: retail\nextends: retail\n"), "")
	page.See("Point an app here")
	page.See("Bearer demo-token")
	page.See("You can also try an operation.")
	return page
}
