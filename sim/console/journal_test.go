package console_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// refused is a request that the bank refuses because of a row.
var refused = simtest.UpdateUser.At(simtest.UpdateUserPath + "1003")

// hostileText is what mustn't become an element, wherever a caller puts it.
const hostileText = markup + script

// assertNoMarkup checks that nothing of the markup became an element.
func assertNoMarkup(t *testing.T, page *browser.Tab) {
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

// The simulator filters: what the list shows, what comes meanwhile, and what is in no row, such as a body.
func TestFilterTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	refused.Send(b)
	simtest.CreateGroup.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name())
	page.See("3 exchanges")
	page.Choose("Outcome", "refused")
	page.See("1 exchange like that")
	page.Gone("POST ")
	assert.Contains(t, page.Address(), "outcome=refused")
	simtest.ListGroups.Send(b)
	refused.Send(b)
	page.See("2 exchanges like that")
	page.Click("Show all")
	page.See("5 exchanges")
	page.Fill("Text", "after midnight") // in a body
	page.See("1 exchange like that")
	page.Click("Show all")
	page.Choose("Operation", "groups.*")
	page.See("3 exchanges like that")
	page.Expect("400")
	page.Fill("Status", "418")
	page.See("status is 418")
	page.Fill("Status", "500")
	page.Gone("status is 418")
	page.See("No exchange is like that")
}

// What an exchange changed is shown, and the bank can be had as it was before it.
func TestForkFromBeforeAnExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	created := b.ExchangeOf(simtest.CreateGroup.Send(b))
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange="+created.ID)
	page.See("What it changed")
	page.See(`"Night owls"`)
	assert.Equal(t, "added", page.Text(".change .tag"))
	page.Click("Fork the bank as it was before this")
	page.Await(`location.hash.startsWith("#/bank/")`, "the page of the fork")
	fork := strings.TrimPrefix(page.Address(), at(b, "/bank/"))
	assert.NotEqual(t, b.Sandbox.Name(), fork)
	groups := b.Control(200, "GET /v1/sandboxes/"+fork+"/state", "").Body
	assert.False(t, strings.Contains(groups, "Night owls"), "the fork has the group")
	assert.Contains(t, b.State(), "Night owls")
}

// Members that differ stand side by side, marked by more than a colour.
func TestChangesOfAnExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.UpdateUser.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.See("accounts/02688/1001/acc-1001-checking")
	page.See("disclosures.0.paperWaiver")
	assert.Equal(t, "false", page.Text(".change del"))
	assert.Equal(t, "true", page.Text(".change ins"))
	page.See("more that stayed")
}

// The command runs in a shell, and does the same again.
func TestCopyAsCurl(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	sent := b.ExchangeOf(refused.Send(b))
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange="+sent.ID)
	page.See("Send it again")
	var command string
	page.Eval(`document.querySelector('pre[aria-label="curl"]').innerText`, &command)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Env = append(shell.Environ(), "TOKEN=demo-token")
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, out)
	assert.Contains(t, string(out), "UXESTMT_11013")
	again := b.Last()
	assert.Equal(t, sent.Request.URL, again.Request.URL)
	assert.Equal(t, sent.Request.Body, again.Request.Body)
	assert.Equal(t, sent.Decision, again.Decision)
	assert.NotEqual(t, sent.ID, again.ID)
}

// Exchanges that the journal no longer has, and a reset, are said to be what they are.
func TestJournalWithoutTheExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=77")
	page.Expect("404")
	page.See("The journal no longer has exchange 77")
	page.Click("Close the exchange")
	page.See("1 exchange.")
	b.ControlSandbox(204, "POST /reset", "")
	page.See("Nothing was asked yet")
	refused.Send(b)
	page.See("disclosure-not-accepted")

	page.Click("Clear")
	page.Click("Really empty it?")
	page.See("Nothing was asked yet")
	assert.Contains(t, b.ControlSandbox(200, "GET /journal", "").Body, `"cleared":1`)

	// After a reset the ids begin again: an exchange that is open is the new one of its id, or gone.
	refused.Send(b)
	b.ControlSandbox(204, "POST /reset", "")
	refused.Send(b)
	open := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	open.See("Refused with 400")
	b.ControlSandbox(204, "POST /reset", "")
	simtest.ListGroups.Send(b)
	open.See("the bank carried out groups.list")
}

// While somebody reads, nothing moves: new exchanges wait behind a button.
func TestNothingMovesWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	refused.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.See("paused while you read")
	simtest.ListGroups.Send(b)
	simtest.ListGroups.Send(b)
	page.See("2 new")
	assert.Equal(t, 1, rows(page))
	page.Click("2 new")
	page.Await("document.querySelectorAll('tr[data-row]').length === 3", "three rows")
	page.Click("Close the exchange")
	page.See("live")
	page.Click("Pause")
	simtest.ListGroups.Send(b)
	page.See("1 new")
	page.Click("Go on")
	page.Await("document.querySelectorAll('tr[data-row]').length === 4", "four rows")
}

func rows(page *browser.Tab) (n int) {
	page.Eval("document.querySelectorAll('tr[data-row]').length", &n)
	return n
}

// Whatever a caller sends is shown as text.
func TestMarkupInTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	body, _ := json.Marshal(map[string]string{"groupName": hostileText, "groupDescription": hostileText})
	simtest.CreateGroup.WithBody(string(body)).With("X-Markup", hostileText).With("transactionId", hostileText).WithQuery("x=%3Cimg%20src=x%20onerror=alert(1)%3E").Send(b)
	simtest.ListGroups.With("transactionId", hostileText).WithQuery(`size=%3Cimg%20src=x%3E`).Send(b)
	b.Send("GET", "/digitalbanking/%3Cimg%20src=x%20onerror=alert(1)%3E", "", "X-Markup: "+hostileText)
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

// Thousands of requests a second don't freeze the page. It shows the newest of them.
func TestBusyJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/journal/"+b.Sandbox.Name())
	page.See("Nothing was asked yet")
	page.Eval(`(() => {
		window.longest = 0;
		let last = performance.now();
		const beat = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; setTimeout(beat, 10); };
		beat();
		return true;
	})()`, nil)
	var with int
	var loaded sync.WaitGroup
	loaded.Go(func() { with = load(t, b, busy) })
	page.See("The newest 200 exchanges")
	page.Click("Pause") // the page answers
	page.See("200 or more new")
	loaded.Wait()
	simtest.ListGroups.Send(b)
	page.Click("Go on")
	var longest float64
	page.Eval("window.longest", &longest)
	assert.Less(t, longest, 1000.0, "milliseconds for which the page stood still")
	page.Await(fmt.Sprintf(`document.querySelector("tr[data-row] a").innerText === "%d"`, with+1), "the newest exchange")
	assert.Equal(t, 200, rows(page))

	page.Go("about:blank")
	b.ControlSandbox(204, "POST /reset", "")
	without := load(t, b, busy)
	t.Logf("%.0f requests a second with the page, %.0f without: %.2f of it, with the browser on the same machine; the page stood still for %.0f ms at most",
		float64(with)/busy.Seconds(), float64(without)/busy.Seconds(), float64(with)/float64(without), longest)
}

const busy = 2 * time.Second

// load sends as many requests as it can for a time, and returns how many were answered.
func load(t *testing.T, b *simtest.Bank, d time.Duration) int {
	t.Helper()
	var answered atomic.Int64
	var senders sync.WaitGroup
	ends := time.Now().Add(d)
	for range 8 {
		senders.Go(func() {
			client := http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for time.Now().Before(ends) {
				response, err := client.Do(simtest.GetDisclosures.Request(b))
				if !assert.NoError(t, err) {
					return
				}
				_, err = io.Copy(io.Discard, response.Body)
				assert.NoError(t, errors.Join(err, response.Body.Close()))
				answered.Add(1)
			}
		})
	}
	senders.Wait()
	return int(answered.Load())
}

// lookAtJournal shows the journal of some traffic, with an exchange that changed something.
func lookAtJournal(t *testing.T) *browser.Tab {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"name":"list-fails-once","operation":"groups.list","when":{"first":1},"then":{"status":500}}`)
	b.ControlSandbox(201, "POST /faults", `{"name":"slow","operation":"estatements.*","then":{"delay":"1ms"}}`)
	for _, call := range []simtest.Call{refused, simtest.ListGroups, simtest.ListGroups, simtest.GetDisclosures.With("correlationid", "c-2"),
		simtest.CreateGroup, simtest.CreateGroup, simtest.CreateAlert, simtest.IssueTokens, simtest.UpdateUser.With("correlationid", "c-3")} {
		call.Send(b)
	}
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=9")
	page.See("disclosures.0.paperWaiver")
	page.See("9 exchanges.")
	return page
}

// Where the simulator is gone, the list stays, and says that it is old. When it is back, the list is what there is then.
func TestLostSimulator(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	simtest.ListGroups.Send(b)
	page := open(t, b, "/journal/default")
	page.See("1 exchange.")
	page.Expect("ERR_")
	require.NoError(t, b.Server.Shutdown(t.Context()))
	page.See("lost the simulator, trying again")
	assert.Equal(t, 1, rows(page))

	again := simtest.Start(t, server.Config{Control: strings.TrimPrefix(b.Server.ControlURL(), "http://")})
	refused.Send(again)
	page.See("live")
	page.See("disclosure-not-accepted")
	assert.Equal(t, 1, rows(page))
}
