package controlapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
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

// plan returns the body by which a call is sent.
func plan(call simtest.Call) string {
	return simtest.JSON(map[string]any{"method": call.Method, "path": call.Path, "headers": call.Header, "body": call.Body})
}

// sendTo sends a call to a bank by its control API.
func sendTo(t *testing.T, b *simtest.Bank, call simtest.Call) sent {
	t.Helper()
	res := b.ControlSandbox(200, "POST /requests", plan(call))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	return simtest.Decode[sent](t, res)
}

// A request reaches the sandbox as it is given, and its answer comes back as an app gets it.
func TestSendRequest(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{simtest.FrozenRetail, simtest.FrozenRetail + "behavior: {headers: {exchange: false}}\n"} {
		b := simtest.NewBank(t, yaml)
		for name, call := range simtest.Calls {
			got := sendTo(t, b, call)
			require.NotNil(t, got.Response, "%s: %s", name, got.Lost)
			assert.Empty(t, got.Lost, name)
			x, ok := b.Journal().Get(got.Exchange)
			require.True(t, ok, "%s: %q", name, got.Exchange)
			assert.Equal(t, name, x.Operation)
			assert.Equal(t, b.BaseURL()+call.Path, x.Request.URL)
			assert.Equal(t, x.Response.Status, got.Response.Status)
			assert.Less(t, got.Response.Status, 300, "%s: %s", name, got.Response.Body)
			assert.Len(t, got.Response.Body, x.Response.BodyBytes)
			assert.Equal(t, []string{"banksim"}, x.Request.Headers["User-Agent"])
			assert.NotContains(t, x.Request.Headers, "Accept-Encoding")
			assert.NotContains(t, x.Request.Headers, "Connection")
			assert.Positive(t, got.TookMicros)
		}
		assert.EqualValues(t, len(simtest.Calls), b.Journal().Last(), "each was sent once")
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, call := range []simtest.Call{
		simtest.ListGroups.At("//evil.example/x"), simtest.ListGroups.At("/../x/%2F?a=%zz&b"), simtest.ListGroups.At("/"), simtest.ListGroups.At("/x?"),
		simtest.ListGroups.WithMethod("get"), simtest.ListGroups.With("User-Agent", "app/1"),
	} {
		got := sendTo(t, b, call)
		x, _ := b.Journal().Get(got.Exchange)
		assert.Equal(t, call.Send(b).StatusCode, got.Response.Status)
		direct := b.Last()
		x.Request.HTTPVersion, x.Request.Headers["User-Agent"], direct.Request.Headers["User-Agent"], direct.Request.Headers["Accept-Encoding"] = "", nil, nil, nil
		x.Request.Headers["Accept-Encoding"] = nil
		assert.Equal(t, direct.Request, x.Request, call)
	}
	head := sendTo(t, b, simtest.ListGroups.WithMethod("HEAD"))
	assert.Equal(t, []any{200, ""}, []any{head.Response.Status, head.Response.Body})
	assert.NotEqual(t, "0", head.Response.Headers.Get("Content-Length"))
}

// What a fault does to the answer is said in words, with what came of it, and the exchange is known all the same.
func TestSendRequestUnderFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	const failed = `{"code":"2001","message":"an unexpected fault occurred inside the service"}`
	for fault, want := range map[string]struct {
		status int // 0: nothing came
		body   string
		lost   string
	}{
		`{"then":{"connection":"reset"}}`:                                       {0, "", "the stream was reset without an answer"},
		`{"then":{"connection":"close"}}`:                                       {0, "", "the stream was reset without an answer"},
		`{"then":{"connection":"reset"},"phase":"after"}`:                       {0, "", "the stream was reset without an answer"},
		`{"then":{"connection":{"hang":"1ms"}}}`:                                {0, "", "the stream was reset without an answer"},
		`{"then":{"status":500,"connection":"garbage"}}`:                        {0, "", "the stream was reset without an answer"},
		`{"then":{"status":500,"connection":{"truncate":20}}}`:                  {500, failed[:20], "the stream was reset after 20 of 75 bytes of the body"},
		`{"then":{"status":500,"connection":"malformed"}}`:                      {500, failed[:74], ""},
		`{"then":{"status":500,"connection":{"dribble":{"every":"1ms"}}}}`:      {500, failed, ""},
		`{"then":{"status":500,"delay":"1ms"}}`:                                 {500, failed, ""},
		`{"then":{"status":502,"body":"<html>"}}`:                               {502, "<html>", ""},
		`{"then":{"status":502,"body":"<>","headers":{"Content-Type":"a/b"}}}`:  {502, "<>", ""},
		`{"then":{"status":302,"body":"","headers":{"Location":"http://x/"}}}`:  {302, "", ""},
		`{"then":{"status":500,"body":"\"é","connection":"malformed"}}`:         {500, "\"\uFFFD", ""},
		`{"then":{"status":500,"connection":"malformed","body":"{}"}}`:          {500, "{", ""},
		`{"then":{"status":500,"body":"","headers":{"Content-Encoding":"gz"}}}`: {500, "", ""},
	} {
		b.ControlSandbox(201, "POST /faults", fault)
		before := b.Journal().Last()
		got := sendTo(t, b, simtest.ListGroups)
		b.ControlSandbox(204, "DELETE /faults", "")

		assert.Equal(t, before+1, b.Journal().Last(), "%s: it isn't sent again", fault)
		assert.Equal(t, b.Last().ID, got.Exchange, fault)
		assert.Equal(t, want.lost, got.Lost, fault)
		if want.status == 0 {
			assert.Nil(t, got.Response, fault)
			continue
		}
		require.NotNil(t, got.Response, fault)
		assert.Equal(t, []any{want.status, want.body}, []any{got.Response.Status, got.Response.Body}, fault)
	}
}

// A request that isn't answered in time is given up.
func TestSendRequestGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sandboxes := simtest.Registry(t, simtest.FrozenRetail)
		defer sandboxes.Close()
		handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler),
			Bank: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })})
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("POST", "/v1/sandboxes/default/requests", strings.NewReader(`{"path":"/"}`)))
		assert.Equal(t, 200, w.Code)
		assert.Contains(t, w.Body.String(), `"lost":"the time for it is over after 10s"`)
	})
}

// Each of many requests at a time gets the id of its own exchange, whatever becomes of it.
func TestSendRequestKnowsItsExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `[{"when":{"every":3},"then":{"connection":"reset"}},{"when":{"every":4},"then":{"connection":"close"},"phase":"after"},
		{"when":{"every":5},"then":{"delay":"2ms","connection":"malformed"}}]`)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 25 {
				id := fmt.Sprintf("t-%d-%d", g, i)
				got := sendTo(t, b, simtest.ListGroups.With("transactionId", id))
				x, ok := b.Journal().Get(got.Exchange)
				if assert.True(t, ok, "%s: %q", id, got.Exchange) {
					assert.Equal(t, []string{id}, x.Request.Headers["Transactionid"])
					assert.Equal(t, x.Response.Status == 0, got.Response == nil)
				}
			}
		})
		all.Go(func() { // beside requests of apps
			for range 25 {
				_, _ = simtest.ListGroups.Try(b)
			}
		})
	}
	all.Wait()
}

// An exchange whose journal is gone has no id: that of another one would be wrong.
func TestSendRequestAcrossAReset(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"phase":"after","then":{"connection":"hang"}}`)
	done := make(chan sent)
	go func() { done <- sendTo(t, b, simtest.ListGroups) }()
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	b.Sandbox.Reset()
	require.NoError(t, b.Server.Shutdown(t.Context())) // ends the hang
	got := <-done
	assert.Empty(t, got.Exchange)
	assert.NotEmpty(t, got.Lost)
}

// A request goes to this simulator, whatever it is given: no other host, no other sandbox.
func TestSendRequestGoesNowhereElse(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	for body, detail := range map[string]string{
		``:                                                         "path must begin with /",
		`{"path":"http://evil.example/"}`:                          "path must begin with /, and not be a URL",
		`{"path":"evil.example/x"}`:                                "path must begin with /",
		`{"path":"/x#y"}`:                                          "no fragment",
		`{"path":"/x y"}`:                                          "no spaces",
		`{"path":"/x\r\nHost: evil"}`:                              "no spaces, control characters",
		`{"path":"/é"}`:                                            "beyond ASCII",
		`{"path":"/%zz"}`:                                          "escapes nothing",
		`{"path":"/sandboxes/other/x"}`:                            "below the base URL of the sandbox, without /sandboxes/NAME",
		`{"path":"/%73andboxes/other/x"}`:                          "below the base URL of the sandbox",
		`{"path":"/","method":"CONNECT"}`:                          "not CONNECT",
		`{"path":"/","method":"A B"}`:                              "method must be one of HTTP",
		`{"path":"/","headers":{"host":"evil.example"}}`:           "Host can't be given: it belongs to the connection",
		`{"path":"/","headers":{"connection":"close"}}`:            "Connection can't be given: it belongs to the connection",
		`{"path":"/","headers":{"Content-Length":["5"]}}`:          "Content-Length can't be given",
		`{"path":"/","headers":{"transfer-encoding":"chunked"}}`:   "Transfer-Encoding can't be given",
		`{"path":"/","headers":{"TE":"x"}}`:                        "Te can't be given",
		`{"path":"/","headers":{"a b":"1"}}`:                       "can't be that of a header",
		`{"path":"/","headers":{"":"1"}}`:                          "can't be that of a header",
		`{"path":"/","headers":{"a":"1\r\nHost: evil.example"}}`:   "\"A\" has control characters",
		`{"path":"/","headers":{"a":7}}`:                           "must be a string, or an array of strings",
		`{"path":"/","header":{}}`:                                 "the members are method, path, headers, body",
		`{"path":"/","body":{"groupName":"an object, no string"}}`: "\"body\" must be a string",
	} {
		assert.Contains(t, decodeProblem(t, b.ControlSandbox(400, "POST /requests", body)).Detail, detail, body)
	}
	assert.Zero(t, b.Journal().Last(), "none was sent")
	assert.Zero(t, b.In("other").Journal().Last())
}

// The control API reaches a bank whose URLs must name a sandbox, and that clients reach by a URL of their own.
func TestSendRequestToARestrictedBank(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, simtest.FrozenRetail), NoDefault: true, PublicURL: "https://public.example/staging"})
	b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	for _, in := range []*simtest.Bank{b, b.In("other")} {
		got := sendTo(t, in, simtest.ListGroups)
		require.NotNil(t, got.Response, got.Lost)
		assert.Equal(t, 200, got.Response.Status, got.Response.Body)
		assert.Equal(t, "1", got.Exchange)
		assert.EqualValues(t, 1, in.Journal().Last())
	}
}

// The shutdown of the simulator ends requests that hang.
func TestSendRequestEndsWithTheSimulator(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"then":{"connection":"hang"}}`)
	done := make(chan sent)
	go func() { done <- sendTo(t, b, simtest.ListGroups) }()
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	require.NoError(t, b.Server.Shutdown(t.Context()))
	assert.NotEmpty(t, (<-done).Lost, "the request has ended, without an answer")
}
