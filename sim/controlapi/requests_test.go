package controlapi_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// sent is the answer to a request that was sent to the bank.
type sent struct {
	Exchange string `json:"exchange"`
	Response *struct {
		Status  int         `json:"status"`
		Headers http.Header `json:"headers"`
		Body    string      `json:"body"`
	} `json:"response"`
	Lost       string `json:"lost"`
	TookMicros int64  `json:"tookMicros"`
}

// sendTo sends a call to a bank by its control API.
func sendTo(t *testing.T, b *simtest.Bank, call simtest.Call) sent {
	t.Helper()
	res := b.ControlSandbox(200, "POST /requests", simtest.JSON(map[string]any{
		"method": call.Method, "path": call.Path, "headers": call.Header, "body": call.Body,
	}))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	return simtest.Decode[sent](t, res)
}

// A request reaches the sandbox as it is given, and its answer comes back as an app gets it.
func TestSendRequest(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {headers: {exchange: false}}\n")
	for name, call := range simtest.Calls {
		got := sendTo(t, b, call)
		require.NotNil(t, got.Response, "%s: %s", name, got.Lost)
		x, ok := b.Journal().Get(got.Exchange)
		require.True(t, ok, "%s: %q", name, got.Exchange)
		assert.Equal(t, name, x.Operation)
		assert.Equal(t, b.BaseURL()+call.Path, x.Request.URL)
		assert.Equal(t, x.Response.Status, got.Response.Status)
		assert.Less(t, got.Response.Status, 300, "%s: %s", name, got.Response.Body)
		assert.Len(t, got.Response.Body, x.Response.BodyBytes)
	}
	assert.EqualValues(t, len(simtest.Calls), b.Journal().Last(), "each was sent once")
	for _, call := range []simtest.Call{
		simtest.ListGroups.At("//evil.example/x"), simtest.ListGroups.At("/../x/%2F?a=%zz&b"),
		simtest.ListGroups.At("/x?"),
		simtest.ListGroups.WithMethod("get"), simtest.ListGroups.With("User-Agent", "app/1"),
	} {
		got := sendTo(t, b, call)
		x, _ := b.Journal().Get(got.Exchange)
		assert.Equal(t, call.Send(b).StatusCode, got.Response.Status)
		direct := b.Last()
		assert.Equal(t, direct.Request.URL, x.Request.URL)
		assert.Equal(t, direct.Request.Method, x.Request.Method)
		headers := direct.Request.Headers.Values()
		delete(headers, "Accept-Encoding") // of the test's client
		if call.Header.Get("User-Agent") == "" {
			headers["User-Agent"] = []string{"banksim"}
		}
		assert.Equal(t, headers, x.Request.Headers.Values())
	}
	head := sendTo(t, b, simtest.ListGroups.WithMethod("HEAD"))
	assert.Equal(t, []any{200, ""}, []any{head.Response.Status, head.Response.Body})
	assert.NotEqual(t, "0", head.Response.Headers.Get("Content-Length"))
}

// What a fault does to the connection reads as it does to an app, and the exchange is named.
func TestSendRequestThroughFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for then, want := range map[string]string{
		`"reset"`:         "the connection was reset",
		`"close"`:         "the connection was closed",
		`"garbage"`:       "malformed HTTP status code",
		`{"truncate":20}`: "the connection was closed, after 20 of ",
		`{"hang":"10s"}`:  "the time for the answer is over: ",
		`{"hang":"1ms"}`:  "the connection was closed",
	} {
		b.ControlSandbox(200, "PUT /faults", `{"operation":"groups.list","then":{"connection":`+then+`}}`)
		res := b.ControlSandbox(200, "POST /requests", `{"path":"/digitalbanking/groups/v3/groups",
			"headers":{"Authorization":"Bearer demo-token"},"timeout":"300ms"}`)
		got := simtest.Decode[sent](t, res)
		assert.Contains(t, got.Lost, want, then)
		assert.NotEmpty(t, got.Exchange, then)
	}
	assert.Contains(t, b.ControlSandbox(400, "POST /requests", `{"path":"/","timeout":"3m"}`).Body, "at most 2m0s")
}

// A request that isn't answered in time is given up.
func TestSendRequestGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, controlapi.Config{
			Bank: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		})
		w := g.call(200, `POST /v1/sandboxes/default/requests {"path":"/"}`, "bank")
		assert.Contains(t, w.Body.String(), `"lost":"the time for the answer is over: the bank is still at work`)
	})
}

// A request goes to this simulator, whatever it is given: no other host, no other sandbox.
func TestSendRequestGoesNowhereElse(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	for body, detail := range map[string]string{
		``:                                                         "path must begin with /",
		`{"path":"http://evil.example/"}`:                          "path must begin with /",
		`{"path":"evil.example/x"}`:                                "path must begin with /",
		`{"path":"/x#y"}`:                                          "path must begin with /",
		`{"path":"/x y"}`:                                          "path must begin with /",
		`{"path":"/x\r\nHost: evil"}`:                              "path must begin with /",
		`{"path":"/é"}`:                                            "path must begin with /",
		`{"path":"/%zz"}`:                                          "path must begin with /",
		`{"path":"/sandboxes/other/x"}`:                            "path must begin with /",
		`{"path":"/%73andboxes/other/x"}`:                          "path must begin with /",
		`{"path":"/","method":"CONNECT"}`:                          "not CONNECT",
		`{"path":"/","method":"A B"}`:                              "method must be one of HTTP",
		`{"path":"/","headers":{"host":"evil.example"}}`:           "Host can't be given: it belongs to the connection",
		`{"path":"/","headers":{"connection":"close"}}`:            "Connection can't be given: it belongs to the connection",
		`{"path":"/","headers":{"Content-Length":["5"]}}`:          "Content-Length can't be given",
		`{"path":"/","headers":{"transfer-encoding":"chunked"}}`:   "Transfer-Encoding can't be given",
		`{"path":"/","headers":{"TE":"x"}}`:                        "Te can't be given",
		`{"path":"/","headers":{"banksim-sandbox":"other"}}`:       "Banksim-Sandbox can't be given",
		`{"path":"/","headers":{"A:B":"c"}}`:                       `\"A:B\" is given twice, or can't be the name of a header`,
		`{"path":"/","headers":{"a":"1","A":"2"}}`:                 `is given twice`,
		`{"path":"/","headers":{"a":7}}`:                           "must be a string, or an array of strings",
		`{"path":"/","header":{}}`:                                 `did you mean \"headers\"?`,
		`{"path":"/","body":{"groupName":"an object, no string"}}`: `\"body\" must be a string`,
	} {
		assert.Contains(t, b.ControlSandbox(400, "POST /requests", body).Body, detail, body)
	}
	assert.Zero(t, b.Journal().Last(), "none was sent")
	assert.Zero(t, b.In("other").Journal().Last())
}

// An exchange is sent again as the journal shows it: the simulator puts secrets that it knows in the place of their
// fingerprints, and shows none. It asks for those that it doesn't know.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	again := func(call simtest.Call, status int, secrets map[string]string) (sent, resent journal.Exchange,
		answer string) {
		t.Helper()
		sent = b.ExchangeOf(call.Send(b))
		headers := sent.Request.Headers.Values()
		delete(headers, "Content-Length")
		answer = b.ControlSandbox(
			status,
			"POST /requests",
			simtest.JSON(map[string]any{
				"method":  sent.Request.Method,
				"headers": headers,
				"path":    strings.TrimPrefix(sent.Request.URL, b.BaseURL()),
				"body":    sent.Request.Body,
				"secrets": secrets,
			}),
		).Body
		return sent, b.Last(), answer
	}
	for _, call := range []simtest.Call{
		simtest.GetDisclosures, simtest.IssueTokens, simtest.RevokeTokens,
		simtest.IssueTokens.WithBody("grant_type=password&username=avery&password=demo"),
	} {
		before, after, answer := again(call, 200, nil)
		assert.Contains(t, simtest.JSON(before.Request), "tok_")
		assert.Equal(t, before.Request.Headers.Get("Authorization"), after.Request.Headers.Get("Authorization"))
		assert.Equal(t, before.Request.Body, after.Request.Body)
		assert.Equal(t, before.Response.Status, after.Response.Status)
		assert.Contains(t, answer, simtest.JSON(after.Response.Body), "no secret is shown")
	}
	b.ControlSandbox(201, "POST /faults", `{"path":"/echo","then":{"status":200,"headers":{"X-Token":"{header.Authorization}"},
		"body":{"said":"{header.Authorization}"}}}`)
	_, _, echoed := again(simtest.NewCall("GET", "/echo", "").WithToken("demo-token"), 200, nil)
	assert.Contains(t, echoed, "tok_")
	assert.NotContains(t, echoed, "demo-token")
	unknown := simtest.GetDisclosures.With("Authorization", "Bearer unheard-of")
	fingerprint := redact.Fingerprint("unheard-of")
	_, _, refused := again(unknown, 409, nil)
	assert.Contains(t, refused, "header Authorization: the sandbox doesn't know the secret of "+fingerprint)
	_, x, _ := again(unknown, 200, map[string]string{fingerprint: "demo-token"})
	assert.Equal(t, 200, x.Response.Status)
	_, _, refused = again(
		simtest.IssueTokens.WithBody("grant_type=password&username=avery&password=unheard-of"), 409, nil,
	)
	assert.Contains(t, refused, "member password: ")
}
