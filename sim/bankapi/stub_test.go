package bankapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// A stub answers on a path that the interface doesn't have, to anybody, and leaves the rest as it is.
func TestStubs(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: second, method: GET, path: "/v1/accounts/{id}", when: {nth: 2}, then: {status: 503, body: closed, headers: {Retry-After: "1"}}}
- {name: account, method: GET, path: "/v1/accounts/{id}", then: {status: 200, body: {accountId: "7", tags: [1, {id}]}}}
- {name: transfer, path: /digitalbanking/db-transfers/v1/transfers, when: {request: {body: {amount: 7}}}, then: {status: 201, body: [true]}}
- {name: lost, path: /v1/lost, then: {connection: close}}
- {name: operations, then: {headers: {X-Operation: "yes"}}}
`))
	answer := func(res simtest.Answer) string { return fmt.Sprint(res.StatusCode, " ", res.Body) }
	account := simtest.Call{Method: "GET", Path: "/v1/accounts/a%2Fb"}
	res := account.Send(b)
	assert.Equal(t, `200 {"accountId":"7","tags":[1,{"id":null}]}`, answer(res))
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	assert.Empty(t, res.Header.Get("X-Operation"), "a fault of all operations is for operations")
	x := b.ExchangeOf(res)
	assert.Equal(t, journal.Stubbed, x.Decision.Outcome)
	assert.Equal(t, "account", x.Decision.Rule)
	assert.Equal(t, "503 closed", answer(account.Send(b)))
	head := account.WithMethod("HEAD").Send(b)
	assert.Equal(t, "200 ", answer(head), "HEAD is answered as GET")
	assert.Equal(t, int64(40), head.ContentLength)

	for _, unknown := range []simtest.Call{account.WithMethod("POST"), account.At("/v1/accounts/"), account.At("/v1/accounts/7/cards")} {
		assert.Equal(t, 404, unknown.Send(b).StatusCode, unknown)
	}
	transfer := simtest.Call{Method: "POST", Path: "/digitalbanking/db-transfers/v1/transfers", Body: `{"amount":7}`}
	assert.Equal(t, "201 [true]", answer(transfer.Send(b)))
	assert.Equal(t, 404, transfer.WithBody(`{"amount":8}`).Send(b).StatusCode, "no stub fires")
	_, err := account.At("/v1/lost").Try(b)
	assert.Error(t, err)
	assert.Equal(t, "yes", listGroups.Send(b).Header.Get("X-Operation"))
}

// A call at the wrong port is told the other one.
func TestWrongPort(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	control := simtest.Call{Method: "GET", Path: "/v1/sandboxes/default/state"}.Send(b)
	assert.Equal(t, 404, control.StatusCode)
	assert.Contains(t, control.Body, "is a path of the control API, and this is the bank: call http://127.0.0.1:")
	assert.Contains(t, b.Control(404, "GET /v3/groups", "").Body, "is a path of the bank: call http://127.0.0.1:")
}
