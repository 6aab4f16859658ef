package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// contractOf returns the page of the contract with parameters of the URL.
func contractOf(b *simtest.Bank, query string) string { return "/contract/" + b.Sandbox.Name() + query }

// An operation is found by an error code, with the question and the answer that the code rests on.
func TestContract(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, contractOf(b, ""))
	for _, op := range contract.Operations {
		page.See(op.Name)
	}
	page.Fill("Filter", "UXESTMT_11013")
	page.Gone(contract.GroupsCreate.Name)
	page.Click(contract.EstatementsUpdateUser.Name)
	page.See("activateEstatement")
	page.See("hostUserId")
	page.Click("Errors")
	page.See("2 of ")
	page.See("disclosure-not-accepted")
	page.Click("Rests on")
	page.See(contract.EstatementsUpdateNotAccepted.Question)
	page.Click("Ledger", "aside")
	page.Fill("Filter", "")
	page.See("estatements.partialUpdate: ")
	assert.Contains(t, page.Address(), "op=estatements.updateUser&part=ledger")
}

// A form that is filled from an example sends a request to the bank, with a token of the scenario or a new one.
func TestTryOperation(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, contractOf(b, "?op=estatements.updateUser&part=try"))
	page.Fill("hostUserId", "1001")
	page.Fill("Body", `{"activateEstatement": true}`)
	page.Click("Send")
	page.See("Exchange 1: why?")
	assert.Equal(t, "204", page.Text(".contract-answer .status"))
	account, _ := b.World().Account("02688", "1001", "acc-1001-savings")
	require.True(t, account.ActivateEstatement, "the bank has changed")
	assert.Equal(t, "estatements.updateUser", b.Last().Operation)

	page.Choose("Credentials that the scenario gives", "token avery-token (1001)")
	page.Fill("hostUserId", "1002")
	page.Click("Send")
	page.See("Exchange 2: why?")
	assert.Equal(t, "403", page.Text(".contract-answer .status"))

	page.Click("Mint a token for the request")
	page.Fill("User (empty: any)", "1004")
	page.Click("Mint")
	page.See("Copy it now")
	assert.Equal(t, "Bearer "+page.Text("[aria-label='the new token']"), page.Value("authorization"))
	page.Fill("hostUserId", "1004")
	page.Click("Send")
	page.See("Exchange 3: why?")
	assert.Equal(t, "204", page.Text(".contract-answer .status"))

	page.Fill("Content-Type", "text/plain")
	page.Click("Send")
	page.See("Exchange 4: why?")
	assert.Equal(t, "415", page.Text(".contract-answer .status"))
	assert.Contains(t, page.Text(".contract-answer"), "header Content-Type must be application/json")
	page.Click("Exchange 4: why?")
	page.Await(`location.hash === "#/journal/`+b.Sandbox.Name()+`?exchange=4"`, "the exchange in the journal")
}

// What can't be answered is said, and so is what a request can't have.
func TestTryRefused(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("  - {name: cut, operation: groups.list, then: {connection: reset}}\n"))
	page := open(t, b, contractOf(b, "?op=groups.list&part=try"))
	page.See("Credentials that the scenario gives") // which moves the button
	page.Click("Send")
	page.See("Exchange 1: why?")
	assert.Contains(t, page.Text(".contract-answer"), "lost")
	page.Expect("400")
	page.Fill("Path of the GET", "no path")
	page.Click("Send")
	page.Await("document.querySelector('.problem')", "the refusal")
}

// The OpenAPI document is fetched and saved.
func TestSaveOpenAPI(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, contractOf(b, ""))
	page.See("groups.create")
	saved := func(button string) string {
		t.Helper()
		page.Eval(`(() => { window.saved = null; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text }); return "#" }; HTMLAnchorElement.prototype.click = () => {}; return true })()`, nil)
		page.Click(button)
		page.See("was saved")
		page.Await("window.saved", "the file")
		var text string
		page.Eval("window.saved", &text)
		return text
	}
	assert.Contains(t, saved("OpenAPI document"), `"operationId": "groups.create"`)
}

// Markup in the URL, in an answer and in what the scenario gives is shown as text.
func TestContractMarkup(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, strings.ReplaceAll(hostile, "accessToken: t,", "accessToken: t, expiresIn: 8760h,"))
	page := open(t, b, contractOf(b, "?op="+escaped(markup)+"&text="+escaped(script)))
	page.See("no operation “" + markup + "”")
	noMarkup(page)
	page.Go(at(b, contractOf(b, "?op=groups.create&part=try")))
	page.Await(`document.querySelector("aside select option[value^=Basic]")`, "the credentials")
	var options string
	page.Eval(`[...document.querySelectorAll("aside option")].map((o) => o.text).join("\n")`, &options)
	assert.Contains(t, options, "client C"+markup)
	page.Fill("Body", `{"groupName":"`+strings.ReplaceAll(markup, `"`, `\"`)+`"}`)
	page.Click("Send")
	page.See("Exchange 1: why?")
	assert.Contains(t, page.Text(".contract-answer"), "<img src=x onerror=alert(1)>")
	noMarkup(page)
}
