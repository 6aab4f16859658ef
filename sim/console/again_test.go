package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// An exchange is sent again, as it was or edited. The page has no secret, and asks for one that the sandbox doesn't know.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	refused.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name()+"?exchange=1")
	page.Click("Send again")
	page.See("Exchange 2: why?")
	again := b.Last()
	first, _ := b.Journal().Get("1")
	assert.Equal(t, first.Response.Body, again.Response.Body)
	assert.Equal(t, first.Request.URL, again.Request.URL)
	assert.Equal(t, first.Request.Headers["Authorization"], again.Request.Headers["Authorization"])

	page.Click("Edit the request before it is sent again")
	page.Fill("Path", simtest.UpdateUserPath+"1001")
	page.Click("Send again")
	page.See("Exchange 3: why?")
	assert.Equal(t, 204, b.Last().Response.Status)
	page.Fill("Headers", "Authorization: Bearer tok_0123456789ab\nContent-Type: application/json\ncorrelationid: c-9")
	page.Expect("409")
	page.Click("Send again")
	page.Fill("Secret for header Authorization", "demo-token")
	page.Click("Send again")
	page.See("Exchange 4: why?")
	assert.Equal(t, 204, b.Last().Response.Status)

	var link string
	page.Eval(`document.querySelector(".code a").innerText`, &link)
	page.Click(link)
	page.See("Tokens by fingerprint")
	page.Await(fmt.Sprintf(`document.querySelector("tr.chosen code").innerText === %s`, quote(link)), "the row of the token")
}

// The filter finds words wherever they are, and keys lead from it to the exchange.
func TestFindAnExchangeByKeys(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.With("User-Agent", "NightApp").Send(b)
	simtest.ListGroups.At("/v3/unknown").With("User-Agent", "NightApp").Send(b)
	simtest.ListGroups.With("User-Agent", "NightApp").Send(b)
	refused.Send(b)
	page := open(t, b, "/journal/"+b.Sandbox.Name())
	page.See("4 exchanges.")
	page.Press("/")
	page.Fill("Text", "nightapp status:4xx")
	page.See("in request header User-Agent")
	page.See("1 exchange like that")
	page.Fill("Text", "nightapp")
	page.See("3 exchanges like that")
	page.Press("Escape") // out of the filter
	page.Press("j")
	page.Press("j")
	page.Press("k")
	page.Press("Enter")
	page.See("BANKSIM_UNKNOWN_PATH")
	assert.Contains(t, page.Address(), "exchange=2")
	page.Press("j")
	page.See("Accepted with 200")
	assert.Contains(t, page.Address(), "exchange=1")
	page.Press("Escape")
	page.Gone("Accepted with 200")
	page.Press("Escape")
	page.See("4 exchanges.")
	page.Press("/")
	page.Press("Enter")
	page.See("Refused with 400 UXESTMT_11013")
}
