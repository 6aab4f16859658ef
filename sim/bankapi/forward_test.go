package bankapi_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// aService is another service that keeps the requests that it gets.
type aService struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seenRequest
}

type seenRequest struct {
	*http.Request
	body string
}

// serve starts a service over HTTP. Its requests are answered by a handler.
func serve(t *testing.T, answer http.HandlerFunc) *aService {
	t.Helper()
	return serveBy(t, (*httptest.Server).Start, answer)
}

// serveBy starts a service by a method of its server.
func serveBy(t *testing.T, start func(*httptest.Server), answer http.HandlerFunc) *aService {
	t.Helper()
	s := &aService{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, seenRequest{r.Clone(context.Background()), string(body)})
		s.mu.Unlock()
		answer(w, r)
	}))
	start(s.Server)
	t.Cleanup(s.Close)
	return s
}

// all returns the requests that the service has got.
func (s *aService) all() []seenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// forwarding is a scenario that forwards the paths of one segment below /v1 by members of then.
func forwarding(then string) string {
	return simtest.WithFaults("- {name: other, path: '/v1/{id}', then: {" + then + "}}\n")
}

// A stub that forwards sends the request as it came, and its answer is the other service's, over every protocol.
func TestForward(t *testing.T) {
	t.Parallel()
	const content = `{"access_token":"canary-answer","x":1}`
	for name, start := range map[string]func(*httptest.Server){
		"HTTP/1.1 http":  (*httptest.Server).Start,
		"HTTP/1.1 https": (*httptest.Server).StartTLS,
		"HTTP/2.0 https": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := serveBy(t, start, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Add("Set-Cookie", "a=canary-cookie")
				w.Header().Add("Set-Cookie", "b=2")
				w.Header().Set("Banksim-Exchange", "of another simulator")
				if r.ProtoMajor == 1 {
					w.Header().Set("Keep-Alive", "timeout=7")
					w.Header()["Connection"] = []string{"X-Hop-Back"}
					w.Header().Set("X-Hop-Back", "1")
				}
				w.Header()["Content-Type"] = nil // the simulator adds it, as a server of Go does
				w.WriteHeader(201)
				_, _ = io.WriteString(w, content)
			})
			then := "forward: '" + other.URL + "/base/'"
			if other.TLS != nil {
				ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})
				then = "forward: {url: '" + other.URL + "/base', ca: " + simtest.JSON(string(ca)) + "}"
			}
			b := simtest.NewBank(t, forwarding(then+", headers: {X-Added: '{id}'}"))
			call := simtest.NewCall("POST", "/v1/a%2Fb;c=%C3%BC?q=1;2&%zz", `{"password":"canary-request"}`,
				"Content-Type: application/json",
				"Authorization: Bearer canary-header",
				"Cookie: c=canary",
				"X-A: 1",
				"X-A: 2",
				"Connection: close, X-Hop",
				"X-Hop: 1",
				"Te: trailers",
				"Upgrade: h2c",
				"Proxy-Authorization: Basic canary",
				"Banksim-Sandbox: "+b.Sandbox.Name(),
				"Banksim-Fault: status=500",
				"X-Forwarded-For: 10.0.0.1",
				"Accept-Encoding: identity",
			)
			res := call.Send(b)
			assert.Equal(t, []any{201, content}, []any{res.StatusCode, res.Body})
			for header, value := range map[string]string{
				"X-Added": "a/b;c=ü", "Keep-Alive": "", "X-Hop-Back": "", "Content-Type": "text/plain; charset=utf-8",
			} {
				assert.Equal(t, value, res.Header.Get(header))
			}
			assert.Equal(t, []string{"a=canary-cookie", "b=2"}, res.Header.Values("Set-Cookie"))
			x := b.ExchangeOf(res)
			assert.Equal(t, []string{journal.Stubbed, "other"}, []string{x.Decision.Outcome, x.Decision.Rule})
			assert.NotRegexp(t, "canary|of another simulator", b.Get("/journal"))

			r := other.all()[0]
			scheme, host, _ := strings.Cut(other.URL, "://")
			want := []string{name, "POST", "/base/v1/a%2Fb;c=%C3%BC?q=1;2&%zz", host, call.Body}
			assert.Equal(t, want, []string{r.Proto + " " + scheme, r.Method, r.RequestURI, r.Host, r.body})
			assert.Regexp(t, `^1\.1 banksim-\w+$`, r.Header.Get("Via"))
			for _, added := range []string{"Content-Length", "User-Agent"} { // by the clients of this test
				delete(r.Header, added)
			}
			told := strings.NewReplacer(r.Header.Get("Via"), "VIA", strings.TrimPrefix(b.Server.ServiceURL(), "http://"), "HOST")
			assert.JSONEq(t, `{"Accept-Encoding":["identity"],"Authorization":["Bearer canary-header"],
				"Banksim-Via":["VIA"],"Content-Type":["application/json"],"Cookie":["c=canary"],"Via":["VIA"],
				"X-A":["1","2"],"X-Forwarded-For":["10.0.0.1, 127.0.0.1"],"X-Forwarded-Host":["HOST"],
				"X-Forwarded-Proto":["http"]}`, told.Replace(simtest.JSON(r.Header)), "the headers of one hop are dropped")

			head := simtest.NewCall("HEAD", "/v1/7", "", "Accept-Encoding: identity", "User-Agent: ").Send(b)
			assert.Equal(t, []any{201, int64(len(content))}, []any{head.StatusCode, head.ContentLength})
			assert.Empty(t, other.all()[1].UserAgent(), "nothing is added")
			if other.TLS != nil {
				b := simtest.NewBank(t, forwarding("forward: '"+other.URL+"'"))
				untrusting := call.Without("Banksim-Sandbox").Expect(b, 502)
				assert.Contains(t, untrusting.Body, other.URL+" gives no answer: tls: failed to verify certificate")
			}
		})
	}
}

// A request that can't be forwarded is refused with the reason, and so is a request that the other service doesn't
// answer.
func TestForwardingFails(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/redirect":
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusFound)
		case "/v3/large", "/v1/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 10<<20+1))
		case "/v1/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write(make([]byte, 5))
		case "/v1/upgrade":
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "x")
			w.WriteHeader(http.StatusSwitchingProtocols)
		case "/v1/slow":
			<-r.Context().Done()
		}
	})
	nobody := httptest.NewServer(nil)
	nobody.Close()
	b := simtest.StartScenario(t, forwarding("forward: '"+other.URL+"'")+
		"- {path: '/v2/{id}', then: {forward: '"+nobody.URL+"'}}\n"+
		"- {path: '/v3/{id}', then: {forward: '"+other.URL+"', connection: malformed}}\n")
	b.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, test := range []struct {
		path   string
		size   int // of the request
		status int
		want   string
	}{
		{"/v1/redirect", 0, 302, ""},
		{"/v1/large", 0, 200, ""},
		{"/v3/large", 0, 502, other.URL + " gives no answer: its answer is larger than 10 MiB, and a fault alters it"},
		{"/v1/cut", 0, 502, "unexpected EOF"},
		{"/v1/upgrade", 0, 502, "its status is 101"},
		{"/v2/x", 0, 502, nobody.URL + " gives no answer: dial tcp"},
		{"/v1/..", 0, 400, "a path with a segment . or .. could leave " + other.URL},
		{"/v1/%252525252e", 0, 400, "a path that is escaped more than 4 times could leave " + other.URL},
		{"/v1/x", 1<<20 + 1, 200, ""},
		{"/v1/x", 100<<20 + 1, 413, "the body is larger than 100 MiB, and is not forwarded"},
	} {
		r := b.Request("POST", b.BaseURL()+test.path, "")
		r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, int64(test.size))), int64(test.size)
		res := b.Do(r)
		assert.Equal(t, test.status, res.StatusCode, test.path)
		assert.Contains(t, res.Body[:min(len(res.Body), 1000)], test.want, test.path)
		assert.Equal(t, test.path == "/v1/large", len(res.Body) == 10<<20+1, test.path)
	}
	for to, want := range map[string]string{
		other.URL + "/v1/a%2Fb?q=1#c":        b.BaseURL() + "/v1/a%2Fb?q=1#c",
		"/v1/x":                              b.BaseURL() + "/v1/x",
		"x?q":                                "x?q",
		other.URL + "/v1/x/y":                other.URL + "/v1/x/y", // the stub doesn't answer there
		"https://" + other.URL[7:] + "/v1/x": "https://" + other.URL[7:] + "/v1/x",
		"http://127.0.0.1:1/v1/x":            "http://127.0.0.1:1/v1/x",
	} {
		res := simtest.NewCall("GET", "/v1/redirect?to="+url.QueryEscape(to), "").Send(b)
		assert.Equal(t, want, res.Header.Get("Location"))
	}
	webSocket := simtest.NewCall("GET", "/v1/x", "", "Connection: Upgrade", "Upgrade: websocket").Expect(b, 502)
	assert.Contains(t, webSocket.Body, "no WebSocket is forwarded: connect to "+other.URL+" itself")
	impatient := bankapi.New(bankapi.Config{
		Sandboxes: b.Sandboxes, Log: slog.New(slog.DiscardHandler), ForwardTimeout: time.Millisecond,
	})
	w := httptest.NewRecorder()
	impatient.ServeHTTP(w, httptest.NewRequest("GET", "/v1/slow", nil))
	assert.Equal(t, 502, w.Code)
	assert.Contains(t, w.Body.String(), "it has not answered within 1ms")
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// What is large or slow goes through as it comes, in both directions. The journal has the beginning.
func TestForwardStreams(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: first\n\n")
			_ = http.NewResponseController(w).Flush()
			<-goOn
			_, _ = io.WriteString(w, "data: last\n\n")
		case "/v1/large":
			_, _ = io.CopyN(w, zeros{}, 1<<20)
		case "/v1/upload": // the answer comes with the beginning of the request
			read, _ := io.ReadFull(r.Body, make([]byte, 2<<20))
			_, _ = fmt.Fprintln(w, read)
			_ = http.NewResponseController(w).EnableFullDuplex()
			_ = http.NewResponseController(w).Flush()
			rest, _ := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprintln(w, rest)
		case "/v1/cut":
			_, _ = io.WriteString(w, "beginning")
			_ = http.NewResponseController(w).Flush()
			<-goOn
			panic(http.ErrAbortHandler)
		}
	}))
	other.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(other.Close)
	var lines simtest.Log
	sc := simtest.Scenario(t, forwarding("forward: '"+other.URL+"'"))
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&lines, nil)),
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc})})
	get := func(path string) *http.Response {
		// b.Client reads answers to their ends.
		res, err := http.DefaultClient.Do(b.Request("GET", b.BaseURL()+path, ""))
		require.NoError(t, err)
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	events, cut := get("/v1/events"), get("/v1/cut")
	first := make([]byte, len("data: first\n\n"))
	_, err := io.ReadFull(events.Body, first)
	require.NoError(t, err)
	assert.Equal(t, "data: first\n\n", string(first))
	x, _ := b.Journal().Get(events.Header.Get("Banksim-Exchange"))
	assert.Equal(t, []any{"data: first\n\n", true}, []any{x.Response.Body, x.Response.BodyTruncated})
	assert.Contains(t, x.Decision.Message, "the answer was large or slow, and only its beginning is kept")
	close(goOn)
	last, err := io.ReadAll(events.Body)
	require.NoError(t, err)
	assert.Equal(t, "data: last\n\n", string(last))
	_, err = io.ReadAll(cut.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "an answer that isn't whole doesn't look like one")
	require.Eventually(t, func() bool {
		return strings.Contains(lines.String(), `msg="a forwarded answer was broken off" exchange=`)
	}, simtest.Patience, time.Millisecond)

	assert.Len(t, b.Do(b.Request("GET", b.BaseURL()+"/v1/large", "")).Body, 1<<20)
	assert.Contains(t, b.Last().Decision.Message, "only its beginning is kept")
	r := b.Request("POST", b.BaseURL()+"/v1/upload", "")
	const size = 8 << 20
	r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, size)), size
	assert.Equal(t, fmt.Sprintf("%d\n%d", 2<<20, size-2<<20), b.Do(r).Body)
	upload := b.Last().Request
	assert.Equal(t, []any{size, true}, []any{upload.BodyBytes, upload.BodyTruncated})
	r = b.Request("POST", b.BaseURL()+"/v1/upload", "")
	r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, size)), -1
	assert.Equal(t, fmt.Sprintf("%d\n%d", 2<<20, size-2<<20), b.Do(r).Body)
}

// Faults of the path apply to what is forwarded: before, on the way back, and in place of the answer.
func TestForwardWithFaults(t *testing.T) {
	t.Parallel()
	other := serve(t,
		func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"a":1}`) })
	forward := "forward: '" + other.URL + "'"
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: first, path: "/v1/{id}", when: {first: 1}, then: {status: 503, body: closed}}
- {name: other, path: "/v1/{id}", then: {`+forward+`, delay: 1ms}}
- {name: late, path: "/v1/{id}", when: {nth: 3}, phase: after, then: {status: 500, body: {lost: "{id}"}}}
- {name: cut, path: /v2/x, then: {`+forward+`, connection: {truncate: 2}}}
`))
	for _, want := range []string{"503 closed 0", `200 {"a":1} 1`, `500 {"lost":"7"} 2`} {
		res := simtest.NewCall("GET", "/v1/7", "").Send(b)
		assert.Equal(t, want, fmt.Sprint(res.StatusCode, " ", res.Body, " ", len(other.all())))
	}
	assert.Equal(t, []any{200, "late"}, []any{b.Last().Fault.BankStatus, b.Last().Fault.AnsweredBy})
	assert.Positive(t, b.Last().Fault.DelayMicros)
	_, err := simtest.NewCall("GET", "/v2/x", "").Try(b)
	require.Error(t, err)
	assert.Len(t, other.all(), 3)
	assert.Contains(t, b.Get("/faults"), `"matched":3,"fired":3,"effective":3,"summary":"/v1/{id}"`,
		"each request counts once")
}

// Two simulators that forward to each other end it, and a chain of different ones works.
func TestForwardToSimulators(t *testing.T) {
	t.Parallel()
	last := simtest.StartScenario(t,
		simtest.WithFaults("- {path: '/v1/{id}', then: {status: 200, body: {id: '{id:number}'}}}\n"))
	middle := simtest.Start(t, server.Config{ForwardUnknown: last.BaseURL()})
	first := simtest.Start(t, server.Config{ForwardUnknown: middle.BaseURL()})
	res := simtest.NewCall("GET", "/v1/7", "").Send(first)
	assert.Equal(t, `{"id":7}`, res.Body)
	assert.Equal(t, bankapi.ForwardUnknown, first.Last().Decision.Rule)

	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"path": "/loop/{id}", "then": {"forward": "`+b.BaseURL()+`"}}`)
	res = simtest.NewCall("GET", "/loop/7", "").Expect(b, 508)
	assert.Contains(t, res.Body, "the request comes back from "+b.BaseURL())

	// A loop ends, too, where a proxy removes Via. It would take 2,000 hops.
	var hops atomic.Int32
	var back *url.URL
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hops.Add(1) > 10 {
			w.WriteHeader(200)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(back)
			r.Out.Header.Del("Via")
		}}).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	looping := simtest.Start(t, server.Config{ForwardUnknown: proxy.URL})
	back, err := url.Parse(looping.BaseURL())
	require.NoError(t, err)
	simtest.NewCall("GET", "/v1/7", "").Expect(looping, 508)
	assert.EqualValues(t, 1, hops.Load())
}

// A tunnel, or a request that a server is to send back whole, is forwarded by no rule (RFC 9110 9.3.6, 9.3.8).
func TestConnectAndTraceAreNotForwarded(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	stub := simtest.StartScenario(t, forwarding("forward: '"+other.URL+"'"))
	unknown := simtest.Start(t, server.Config{ForwardUnknown: other.URL})
	for _, method := range []string{"CONNECT", "TRACE"} {
		for _, b := range []*simtest.Bank{stub, unknown} {
			answer := exchangeBytes(t, b, method+" /v1/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			assert.Contains(t, answer, "HTTP/1.1 404 ", method)
		}
	}
	assert.Empty(t, other.all())
}

// The journal shows no secret of a request that a stub or another service echoes.
func TestEchoedSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "you are "+r.Header.Get("Authorization")+" with "+r.Header.Get("Cookie"))
	})
	b := simtest.NewBank(t, simtest.WithFaults(`
- {path: /v1/other, then: {forward: '`+echo.URL+`'}}
- {path: /v1/stub, then: {status: 200, headers: {X-Echo: '{header.Authorization}'}, body: {
    who: '{header.Authorization}', cookie: '{header.Cookie}', q: '{query.refresh_token}'}}}
`))
	for _, path := range []string{"/v1/stub", "/v1/other"} {
		res := simtest.NewCall("POST", path+"?refresh_token=canary-query", `{"password":"canary-body"}`,
			"Content-Type: application/json", "Authorization: Bearer canary-header", "Cookie: c=canary-cookie").Send(b)
		assert.Contains(t, res.Body, "Bearer canary-header")
		assert.NotContains(t, b.Get("/journal"), "canary", path)
		assert.Contains(t, b.Last().Response.Body, "Bearer tok_", "as in the request")
	}
}

// A service gets what a trusted proxy has said of the client.
func TestForwardBehindAProxy(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	b := simtest.Start(t, server.Config{ForwardUnknown: other.URL, TrustForwarded: true})
	simtest.NewCall("GET", "/v1/other", "", "X-Forwarded-For: 10.0.0.1", "X-Forwarded-Host: bank.example",
		"X-Forwarded-Proto: https").Send(b)
	got := other.all()[0].Header
	assert.Equal(t, [][]string{{"10.0.0.1"}, {"bank.example"}, {"https"}}, [][]string{
		got["X-Forwarded-For"], got["X-Forwarded-Host"], got["X-Forwarded-Proto"]})
}

// With ForwardUnknown, requests that something else answers stay here.
func TestForwardUnknown(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "https://other.example")
		w.Header().Set("Transactionid", r.Header.Get("Transactionid"))
		w.Header()["Vary"] = []string{"Accept", "Cookie"}
		w.WriteHeader(299)
	})
	b := simtest.Start(t, server.Config{ForwardUnknown: other.URL, Sandboxes: simtest.Registry(t, simtest.WithFaults(`
- {path: /v1/stub, then: {status: 204}}
`)+"behavior: {cors: {origins: ['https://app.example']}}\n")})
	preflight := []string{"Origin: https://app.example", "Access-Control-Request-Method: GET"}
	for _, test := range []struct {
		call    simtest.Call
		status  int
		forward bool
	}{
		{simtest.NewCall("GET", "/v1/other", ""), 299, true},
		{simtest.NewCall("OPTIONS", "/v1/other", ""), 299, true},
		{simtest.NewCall("OPTIONS", "/v1/other", "", preflight...), 204, false},
		{simtest.NewCall("GET", "/v1/stub", ""), 204, false},
		{listGroups.Without("transactionId"), 400, false},
		{simtest.NewCall("GET", "/.well-known/jwks.json", ""), 200, false},
		{simtest.NewCall("GET", "/v1/sandboxes/default/state", ""), 404, false},
		{simtest.NewCall("GET", "/sandboxes/nobody/v1/other", ""), 404, false},
	} {
		before := len(other.all())
		test.call.Expect(b, test.status)
		assert.Equal(t, test.forward, len(other.all()) > before, test.call)
	}
	simtest.NewCall("GET", "/digitalbanking/groups/v9/other", "", "transactionId: t-1").Send(b)
	headers := simtest.JSON(b.Last().Response.Headers)
	echoes := regexp.MustCompile(`(?i)"transactionId":\[[^\]]*\]`).FindAllString(headers, -1)
	assert.Equal(t, []string{`"transactionId":["t-1"]`}, echoes, "of two echoes, one")
	res := simtest.NewCall("GET", "/v1/other", "", "Origin: https://other.example").Send(b)
	assert.Empty(t, res.Header.Values("Access-Control-Allow-Origin"), "the scenario says who may read answers")
	assert.Equal(t, []string{"Accept", "Cookie", "Origin"}, res.Header.Values("Vary"), "those of both")
	assert.Contains(t, simtest.JSON(b.Last().Response.Headers), `"Vary":["Accept","Cookie","Origin"]`)
}

// A client that disconnects ends what is forwarded for it, and the exchange is on record. The end of the server does,
// too.
func TestForwardingEnds(t *testing.T) {
	t.Parallel()
	began, ended := make(chan bool), make(chan bool)
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- true
		<-r.Context().Done()
		ended <- true
	})
	b := simtest.StartScenario(t, forwarding("forward: '"+other.URL+"'"))
	send := func() net.Conn {
		conn := b.Dial("GET /v1/7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		<-began
		return conn
	}
	require.NoError(t, send().Close())
	<-ended
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	assert.Contains(t, b.Last().Decision.Message, "the client disconnected")

	conn := send()
	shutdown := make(chan error)
	go func() { shutdown <- b.Server.Shutdown(t.Context()) }()
	<-ended
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Contains(t, string(answer), "the simulator is ending")
	require.NoError(t, <-shutdown)
}

// Whatever a caller sends, the simulator connects to the configured service alone, and asks below its base path.
func TestCallersChooseNoService(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	evil, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	reached := make(chan error, 1)
	go func() {
		_, err := evil.Accept()
		reached <- err
	}()
	b := simtest.Start(t, server.Config{ForwardUnknown: other.URL + "/base/path", Sandboxes: simtest.Registry(t,
		"extends: retail\nbehavior: {faultHeader: true}\n")})
	bad := evil.Addr().String()
	lines := []string{
		"GET http://" + bad + "/x HTTP/1.1", "GET //" + bad + "/x HTTP/1.1", "CONNECT " + bad + " HTTP/1.1",
		"GET /@" + bad + "/x HTTP/1.1",
		"GET /http://" + bad + "/x HTTP/1.1", "GET * HTTP/1.1", "GET /x?u=http://" + bad + " HTTP/1.1",
		`GET /\` + bad + "/x HTTP/1.1",
		"GET /:80@" + bad + " HTTP/1.1", "GET /sandboxes/default/../x HTTP/1.1",
	}
	for _, dots := range []string{"..", "%2e%2e", ".%2E", "%252e%252e", "%25252e.", "..;a=b", "..%3b", "."} {
		for _, slash := range []string{"/", "%2f", "%5c", `\`, "%252F", "%255c"} {
			lines = append(lines, "GET /a"+slash+dots+" HTTP/1.1", "GET /"+dots+slash+"a HTTP/1.1")
		}
	}
	headers := "Host: " + bad + "\r\nX-Forwarded-Host: " + bad + "\r\nX-Forwarded-Proto: https\r\n" +
		"Forwarded: host=" + bad + "\r\nX-Forwarded-Prefix: /../\r\nX-Original-URL: /../\r\nConnection: close\r\n"
	for _, line := range lines {
		for _, header := range []string{"", "Banksim-Fault: forward=http://" + bad + "\r\n"} {
			conn := b.Dial(line + "\r\n" + headers + header + "\r\n")
			_, _ = io.ReadAll(conn)
			_ = conn.Close()
		}
	}
	assert.Greater(t, len(other.all()), 10, "most are forwarded")
	for _, r := range other.all() {
		assert.True(t, strings.HasPrefix(r.RequestURI, "/base/path/"), r.RequestURI)
		assert.Equal(t, strings.TrimPrefix(other.URL, "http://"), r.Host)
		decoded := strings.ReplaceAll(r.URL.Path, `\`, "/")
		assert.NotRegexp(t, `/\.\.?(;|/|$)`, decoded, r.RequestURI)
	}
	require.NoError(t, evil.Close())
	assert.ErrorIs(t, <-reached, net.ErrClosed)
}
