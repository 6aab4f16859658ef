package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// An exchange is sent again, unchanged or edited. The page asks for a secret that the sandbox doesn't know.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	refused.Send(b)
	page := open(t, b, "/journal/{sandbox}?exchange=1")
	page.Click("Send again")
	page.See("Exchange 2: why?")
	again := b.Last()
	first, _ := b.Journal().Get("1")
	assert.Equal(t, first.Response.Body, again.Response.Body)
	assert.Equal(t, first.Request.URL, again.Request.URL)
	assert.Equal(t, first.Request.Headers.Get("Authorization"), again.Request.Headers.Get("Authorization"))

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
	row := `document.querySelector("tr.chosen code").innerText`
	page.Await(fmt.Sprintf(`%s === %s`, row, quote(link)), "the row of the token")
}

// The filter finds words wherever they are, and keys lead from it to the exchange.
func TestFindAnExchangeByKeys(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.With("User-Agent", "NightApp").Send(b)
	simtest.ListGroups.At("/v3/unknown").With("User-Agent", "NightApp").Send(b)
	simtest.ListGroups.With("User-Agent", "NightApp").Send(b)
	refused.Send(b)
	page := open(t, b, "/journal/{sandbox}")
	page.See("4 exchanges.")
	page.Press("/")
	page.Fill("Search", "nightapp")
	page.Choose("Status", "4xx")
	assert.Equal(t, "nightapp status:4xx", page.Value("Search"))
	page.See("in request header User-Agent")
	page.See("1 exchange like that")
	page.Fill("Search", "nightapp")
	page.See("3 exchanges like that")
	page.Press("Escape") // out of the filter
	page.Press("j")
	page.Press("j")
	page.Press("k")
	page.Press("Enter")
	page.See("BANKSIM_UNKNOWN_PATH")
	assert.Contains(t, page.Text(".cause"), "/v3/unknown is not simulated: ")
	assert.Equal(t, "Stub this", page.Text(".exchange a.main"))
	assert.Contains(t, page.Address(), "exchange=2")
	page.Press("j")
	page.See("the bank carried out groups.list")
	assert.Contains(t, page.Address(), "exchange=1")
	page.Press("Escape")
	page.Gone("the bank carried out groups.list")
	page.Press("Escape")
	page.See("4 exchanges.")
	page.Press("/")
	page.Press("Enter")
	page.See("400 UXESTMT_11013")
}

// What concerns a user is found by the user's number. The simulator refuses a status that is half typed: the
// page says so and keeps the list. Choosing all statuses again leaves the other words.
func TestFindTheRequestsOfAUser(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, user := range []string{"1001", "1002", "1003"} {
		simtest.UpdateUser.At(simtest.UpdateUserPath + user).Send(b)
	}
	page := open(t, b, "/journal/{sandbox}")
	page.Fill("Search", "1002")
	page.See("1 exchange like that")
	assert.Equal(t, "1002", page.Text("tr[data-row] .user"))
	page.Expect("400")
	page.Fill("Search", "1002 status:4")
	page.See(`"status:4" is no status: write status:404`)
	assert.Equal(t, "1002", page.Text("tr[data-row] .user"))
	page.Fill("Search", "1002")
	page.Gone("is no status")
	page.Choose("Status", "2xx")
	page.See("No exchange is like that")
	page.Choose("Status", "all")
	page.See("1 exchange like that")
	assert.Equal(t, "1002", page.Value("Search"))
}
