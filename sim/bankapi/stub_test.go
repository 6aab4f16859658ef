package bankapi_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// A stub that doesn't fire leaves a path as it is without the stub.
func TestStubsThatDoNotFire(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`- {path: "/**", when: {nth: 9}, then: {status: 200, body: late}}`))
	simtest.NewCall("GET", contract.KeySetPath, "").Expect(b, 200)
	assert.NotEmpty(t, createGroup.WithMethod("PATCH").Expect(b, 405).Header.Get("Allow"))
	simtest.NewCall("GET", "/nope", "").Expect(b, 404)
}

// A stub answers on a path that the interface doesn't have, to anybody, and leaves the rest as it is.
func TestStubs(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {method: GET, path: "/v1/accounts/{id}", when: {nth: 2}, then: {status: 503, body: closed}}
- {name: account, method: GET, path: "/v1/accounts/{id}", then: {status: 200, body: {accountId: "7", tags: [1, {id}]}}}
- {path: /digitalbanking/db-transfers/v1/transfers, when: {request: {body: {amount: 7}}},
	then: {status: 201, body: [true]}}
- {path: /v1/done, then: {status: 204}}
- {path: "/v1/large/{id}", then: {status: 200, body: ["`+strings.Repeat("{id}", 1000)+`"]}}
- {path: /v1/docs/new, then: {status: 201, body: new}}
- {path: "/v1/{kind}/**", when: {request: {header: {X-Deep: "1"}}}, then: {status: 203, body: any}}
- {path: /v1/statement.pdf, then: {status: 200, bodyBase64: JVBERi0xLjT/}}
- {path: /v1/docs/**, then: {status: 200, body: deep}}
- {name: operations, then: {headers: {X-Operation: "yes"}}}
`))
	const path, transfers = "/v1/accounts/a%2Fb", "/digitalbanking/db-transfers/v1/transfers"
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", path, "", `200 {"accountId":"7","tags":[1,{"id":null}]}`},
		{"GET", path, "", "503 closed"},
		{"HEAD", path, "", "200 "},
		{"POST", transfers, `{"amount":7}`, "201 [true]"},
		{"GET", "/v1/done", "", "204 "},
		{"GET", "/v1/statement.pdf", "", "200 %PDF-1.4\xff"},
		{"GET", "/v1/docs", "", "200 deep"},
		{"GET", "/v1/docs/a/b%2Fc/", "", "200 deep"},
		{"GET", "/v1/docs/**", "", "200 deep"},
		{"POST", "/v1/docs/new", "", "201 new"},
		{"POST", "/v1/docs/new/page", "", "200 deep"},
	} {
		res := simtest.NewCall(c.method, c.path, c.body).Send(b)
		assert.Equal(t, c.want, fmt.Sprint(res.StatusCode, " ", res.Body))
		assert.Equal(t, journal.Stubbed, b.ExchangeOf(res).Decision.Outcome)
		assert.Empty(t, res.Header.Get("X-Operation"), "a fault of all operations is for operations")
	}
	pdf := simtest.NewCall("GET", "/v1/statement.pdf", "").Send(b)
	assert.Equal(t, "application/pdf", pdf.Header.Get("Content-Type"))
	for _, unknown := range []simtest.Call{{Method: "POST", Path: path}, {Method: "GET", Path: "/v1/accounts/"},
		{Method: "GET", Path: "/v1/accounts/7/cards"}, {Method: "GET", Path: "/v1/docsx"}, {Method: "GET", Path: "/v1"}, {Method: "POST", Path: transfers, Body: `{"amount":8}`}} {
		unknown.Expect(b, 404)
	}
	simtest.NewCall("GET", "/v1/large/"+strings.Repeat("x", 11_000), "").Expect(b, 500)
	assert.Equal(t, "stub-too-large", b.Last().Decision.Rule)
	assert.Equal(t, "yes", listGroups.Send(b).Header.Get("X-Operation"))
}

// A refusal of an unknown path names the path of a stub that answers the request in every spelling. The log
// shows the same path.
func TestTheAdvisedPathAnswers(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	for sent, advised := range map[string]string{
		"/v1/user%40x.org": "/v1/user@x.org", "/v1/gr%c3%bcn": "/v1/grün",
		"/v1/a%2fb": "/v1/a%2Fb", "/v1/%7bid%7d": "/v1/%7Bid%7D",
	} {
		call := simtest.NewCall("GET", sent, "")
		require.Contains(t, call.Send(b).Body, "path: "+advised+" and the answer")
		require.Eventually(t, func() bool { return strings.Contains(log.String(), `"path":"`+advised+`"`) },
			simtest.Patience, time.Millisecond, advised)
		b.ControlSandbox(201, "POST /faults", `{"path": "`+advised+`", "then": {"status": 200, "body": "stubbed"}}`)
		assert.Equal(t, "stubbed", call.Send(b).Body, sent)
	}
	simtest.NewCall("GET", "/v1/7", "").Expect(b, 404, "the braces are no variable")
}
