package console_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// cell waits until a cell of the rules' first row has a text.
func cell(page *browser.Tab, column int, text string) {
	which, _ := json.Marshal([]any{column, text})
	page.Await(`((i, text) => document.querySelectorAll("main tbody tr")[0]?.children[i]?.innerText === text)(...`+string(which)+")", "the cell "+string(which))
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
	page.See("faults:\n  - name: taken-once\n    operation: groups.create\n    when:\n      first: 1\n    then:\n      status: 400\n      error:\n        code: \"2004\"\n")
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

// Make the next one fail: from an exchange to a form that is filled in, to the app's next request.
func TestMakeTheNextOneFail(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Equal(t, 200, simtest.ListGroups.Send(b).StatusCode)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.Click("Make the next one fail")
	page.See("operation: groups.list\n    when:\n      first: 1\n    then:\n      status: 500")
	assert.Equal(t, "500", page.Value("Status"))
	assert.Equal(t, "1", page.Value("First"))
	page.Click("Add the fault")
	cell(page, 1, "groups.list")
	assert.Equal(t, 500, simtest.ListGroups.Send(b).StatusCode)
	assert.Equal(t, 200, simtest.ListGroups.Send(b).StatusCode)
	cell(page, 5, "1")
}

// What the simulator refuses is said at the field and at the line, and nothing is added.
func TestARefusedFault(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/faults/"+b.Sandbox.Name()+"?operation=groups.lst&when.probability=2&status=500")
	page.Expect("422")
	page.Click("Add the fault")
	page.See("faults:4:20 probability must be at most 1, not 2")
	marked(page, "Probability")
	page.Fill("Probability", "0.5")
	page.Gone("probability must be at most 1")
	page.Click("Add the fault")
	page.See(`faults:2:16 unknown operation "groups.lst": did you mean "groups.list"?`)
	marked(page, "Operation")
	assert.JSONEq(t, `{"faults":[]}`, b.ControlSandbox(200, "GET /faults", "").Body)
	page.Choose("Operation", "groups.list")
	page.Gone("did you mean")
	page.Click("Add the fault")
	cell(page, 1, "groups.list")
}

// marked waits until the field with a label is said to be wrong.
func marked(page *browser.Tab, label string) {
	page.Await(`[...document.querySelectorAll("[aria-invalid=true]")].some((e) => e.labels[0].innerText === "`+label+`")`, label+" to be marked")
}

// Every part of the grammar can be had by the form, through a link: what is added is the rule that the link came from.
func TestFaultsOfEveryShape(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/faults/"+b.Sandbox.Name())
	page.See("No faults")
	for i, test := range []struct{ link, rule string }{
		{"operation=groups.*,tokens.issue&when.every=5&when.after=2&then.delay=250ms", `{"operation":["groups.*","tokens.issue"],"when":{"every":5,"after":2},"then":{"delay":"250ms"}}`},
		{"then.delay.uniform=100ms,+2s&phase=after", `{"phase":"after","then":{"delay":{"uniform":["100ms","2s"]}}}`},
		{"then.delay.p50=200ms&then.delay.p95=800ms", `{"then":{"delay":{"p50":"200ms","p95":"800ms"}}}`},
		{"then.delay.lognormal.median=200ms&then.delay.lognormal.sigma=0.6", `{"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}`},
		{"operation=groups.list&first=1&connection=reset", `{"operation":"groups.list","when":{"first":1},"then":{"connection":"reset"}}`},
		{"operation=groups.list&first=1&connection=hang&then.connection.hang=10s", `{"operation":"groups.list","when":{"first":1},"then":{"connection":{"hang":"10s"}}}`},
		{"operation=groups.list&first=1&connection=truncate&then.connection.truncate=20", `{"operation":"groups.list","when":{"first":1},"then":{"connection":{"truncate":20}}}`},
		{"operation=groups.list&first=1&connection=dribble&then.connection.dribble.bytes=16&then.connection.dribble.every=50ms", `{"operation":"groups.list","when":{"first":1},"then":{"connection":{"dribble":{"bytes":16,"every":"50ms"}}}}`},
		{"first=1&status=502&then.body=" + url.QueryEscape("<html>\n  Bad: \"Gateway\"\u0085</html>") + "&then.headers=" + url.QueryEscape("Content-Type: text/html\nRetry-After: 1"),
			`{"when":{"first":1},"then":{"status":502,"body":"<html>\n  Bad: \"Gateway\"\u0085</html>","headers":{"Content-Type":"text/html","Retry-After":"1"}}}`},
		{"first=1&status=204&answer=body", `{"when":{"first":1},"then":{"status":204,"body":""}}`},
		{"operation=groups.create&status=503&code=X&message=no:+really&when.during.from=1m&when.during.for=5m", `{"operation":"groups.create","when":{"during":{"from":"1m0s","for":"5m0s"}},"then":{"status":503,"error":{"code":"X","message":"no: really"}}}`},
		{"operation=groups.create&status=500&when.request.institutionId=02688&when.request.hostUserId=~%5E10&when.request.header=" + url.QueryEscape("X-Test: boom\nX-None: null") + "&when.request.query=debug:+null&when.request.body=" + url.QueryEscape("groupName: ~(?i)night\ncount: 3\ndeep: {\"a\": [1, true]}"),
			`{"operation":"groups.create","when":{"request":{"institutionId":"02688","hostUserId":"~^10","header":{"X-Test":"boom","X-None":null},"query":{"debug":null},"body":{"groupName":"~(?i)night","count":3,"deep":{"a":[1,true]}}}},"then":{"status":500}}`},
	} {
		var want fault.Rule
		require.NoError(t, json.Unmarshal([]byte(test.rule), &want), test.rule)
		want.Name = fmt.Sprintf("shape-%d", i)
		page.Go(at(b, "/faults/"+b.Sandbox.Name()+"?name="+want.Name+"&"+test.link))
		page.Click("Add the fault")
		page.Await(`document.querySelector("[data-rule]")?.innerText === "`+want.Name+`"`, "the rule of "+test.link)
		got := b.Sandbox.Faults().Counts()[0].Rule
		assert.Equal(t, want, got, test.link)

		page.Click("Begin another one like it") // from the rule to the form, and back
		page.Await(`!document.querySelector('pre[aria-label="the rule as YAML"]').innerText.includes("then: {}")`, "the form to be filled in")
		b.ControlSandbox(204, "DELETE /faults", "")
		page.Await(`!document.querySelector("[data-rule]")`, "the rule to go, and the form to move") // before it is clicked on
		page.Click("Add the fault")
		page.Await(`document.querySelector("[data-rule]")?.innerText === "fault-1"`, "the rule again of "+test.link)
		again := b.Sandbox.Faults().Counts()[0].Rule
		again.Name = got.Name
		if got.When.Request == nil && got.Then.Headers == nil { // the others have fingerprints
			assert.Equal(t, got, again, test.link)
		}
		b.ControlSandbox(204, "DELETE /faults", "")
	}
}

// The names, texts and values of rules are shown as text, wherever they come from.
func TestMarkupInFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	rule, _ := json.Marshal(map[string]any{
		"name": "marked", "when": map[string]any{"request": map[string]any{"header": map[string]string{"X-Test": hostileText}, "body": map[string]any{hostileText: hostileText}}},
		"then": map[string]any{"status": 500, "error": map[string]string{"code": hostileText, "message": hostileText}, "headers": map[string]string{"X-Test": hostileText}},
	})
	b.ControlSandbox(201, "POST /faults", string(rule))
	page := open(t, b, "/faults/"+b.Sandbox.Name()+"?fault=marked&operation="+url.QueryEscape(hostileText)+"&name="+url.QueryEscape(hostileText)+"&status="+url.QueryEscape(hostileText)+"&message="+url.QueryEscape(hostileText)+"&connection="+url.QueryEscape(hostileText))
	page.Await(`document.querySelector("pre[aria-label=\"marked as YAML\"]")`, "the YAML of the rule")
	page.See("onerror=alert(1)")
	assertNoMarkup(t, page)
	page.Expect("422")
	page.Click("Add the fault")
	page.See("name must be made of letters")
	assertNoMarkup(t, page)
}

// lookAtFaults shows rules, of which one has fired, and a form that is filled in.
func lookAtFaults(t *testing.T) *browser.Tab {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `[
		{"name":"list-fails-once","operation":"groups.list","when":{"first":1},"then":{"status":500}},
		{"name":"slow","operation":"estatements.*","then":{"delay":{"p50":"200ms","p95":"800ms"}}},
		{"name":"token-answer-lost","operation":["tokens.issue","tokens.revoke"],"when":{"nth":2,"during":{"for":"5m"}},"phase":"after","then":{"connection":"reset"}}]`)
	simtest.ListGroups.Send(b)
	simtest.ListGroups.Send(b)
	page := open(t, b, "/faults/"+b.Sandbox.Name()+"?fault=list-fails-once&operation=groups.create&first=1&status=400&code=2004")
	page.See("another")
	cell(page, 5, "1")
	return page
}
