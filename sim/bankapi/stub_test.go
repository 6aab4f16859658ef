package bankapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// A stub answers on a path that the interface doesn't have, to anybody, and leaves the rest as it is.
func TestStubs(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: second, method: GET, path: "/v1/accounts/{id}", when: {nth: 2}, then: {status: 503, body: closed, headers: {Retry-After: "1"}}}
- {name: account, method: GET, path: "/v1/accounts/{id}", then: {status: 200, body: {accountId: "7", tags: [1, {id}]}}}
- {name: transfer, path: /digitalbanking/db-transfers/v1/transfers, when: {request: {body: {amount: 7}}}, then: {status: 201, body: [true]}}
- {name: lost, path: /v1/lost, then: {connection: close}}
- {name: done, path: /v1/done, then: {status: 204}}
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
	assert.Equal(t, "204 ", answer(account.At("/v1/done").Send(b)))
	_, err := account.At("/v1/lost").Try(b)
	assert.Error(t, err)
	assert.Equal(t, "yes", listGroups.Send(b).Header.Get("X-Operation"))
}

// A refusal of an unknown path names the path of a stub that answers the request in every spelling. The log
// shows the same path.
func TestTheAdvisedPathAnswers(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{
		Sandboxes: simtest.Registry(t, simtest.FrozenRetail), Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	for _, test := range []struct {
		advised string
		sent    []string
		other   string // a path that the stub doesn't answer
	}{
		{"/v1/user@x.org", []string{"/v1/user%40x.org", "/v1/user@x.org"}, "/v1/user"},
		{"/v1/grün", []string{"/v1/gr%C3%BCn", "/v1/gr%c3%bcn"}, "/v1/gr%FCn"},
		{"/v1/~+()[]", []string{"/v1/~+()%5B%5D", "/v1/%7E%2B%28%29[]"}, "/v1/~%20()[]"},
		{"/v1/a%2Fb", []string{"/v1/a%2fb", "/v1/a%2Fb"}, "/v1/a/b"},
		{"/v1/%7Bid%7D", []string{"/v1/%7Bid%7D", "/v1/%7bid%7d"}, "/v1/7"},
		{"/v1/a%20b%25", []string{"/v1/a%20b%25", "/v1/%61%20%62%25"}, "/v1/a+b%25"},
	} {
		get := func(path string) simtest.Answer { return simtest.NewCall("GET", path, "").Send(b) }
		var refusal struct{ Message string }
		require.NoError(t, json.Unmarshal([]byte(get(test.sent[0]).Body), &refusal))
		require.Contains(t, refusal.Message, "path: "+test.advised+" and the answer")
		require.Eventually(t, func() bool { return strings.Contains(log.String(), `"path":"`+test.advised+`"`) },
			simtest.Patience, time.Millisecond, test.advised)
		b.ControlSandbox(201, "POST /faults",
			`{"path": "`+test.advised+`", "then": {"status": 200, "body": "stubbed"}}`)
		for _, path := range test.sent {
			assert.Equal(t, "stubbed", get(path).Body, path)
		}
		assert.Equal(t, 404, get(test.other).StatusCode, test.other)
	}
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
