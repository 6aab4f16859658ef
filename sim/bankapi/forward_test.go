package bankapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// aService is another service that keeps the requests that it gets.
type aService struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request // with their bodies as text in Form
}

// serveBy starts a service. Its requests are answered by a handler.
func serveBy(t *testing.T, start func(*httptest.Server), answer http.HandlerFunc) *aService {
	t.Helper()
	s := &aService{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen := r.Clone(context.Background())
		seen.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.seen = append(s.seen, seen)
		s.mu.Unlock()
		answer(w, r)
	}))
	start(s.Server)
	t.Cleanup(s.Close)
	return s
}

// last returns the newest request and its body.
func (s *aService) last(t *testing.T) (*http.Request, string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.seen)
	r := s.seen[len(s.seen)-1]
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r, string(body)
}

func (s *aService) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// forwarding is a scenario that forwards the paths of one segment below /v1 to a base URL.
func forwarding(url string) string {
	return simtest.WithFaults("- {name: other, path: '/v1/{id}', then: {forward: '" + url + "'}}\n")
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// A stub that forwards sends the request as it came, and its answer is the other service's, over every protocol.
func TestForward(t *testing.T) {
	t.Parallel()
	content := zipped(`{"access_token":"canary-answer"}`)
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
				}
				if r.Header.Get("Accept-Encoding") == "gzip" {
					w.Header().Set("Content-Encoding", "gzip")
					w.WriteHeader(201)
					_, _ = io.WriteString(w, content)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"access_token":"canary-answer","x":1}`)
			})
			then := "forward: '" + other.URL + "/base/'"
			if other.TLS != nil {
				ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})
				then = "forward: {url: '" + other.URL + "/base', ca: " + simtest.JSON(string(ca)) + "}"
			}
			b := simtest.NewBank(t, simtest.WithFaults("- {name: other, path: '/v1/{id}', then: {"+then+", headers: {X-Added: '{id}'}}}\n"))
			call := simtest.NewCall("POST", "/v1/a%2Fb;c=%C3%BC?q=1;2&%zz", `{"password":"canary-request"}`,
				"Content-Type: application/json", "Authorization: Bearer canary-header", "Cookie: c=canary", "X-A: 1", "X-A: 2",
				"Connection: X-Hop", "X-Hop: 1", "Te: trailers", "Upgrade: h2c", "Proxy-Authorization: Basic canary",
				"Banksim-Sandbox: "+b.Sandbox.Name(), "Banksim-Fault: status=500", "X-Forwarded-For: 10.0.0.1", "Accept-Encoding: gzip")
			res := call.Send(b)
			assert.Equal(t, 201, res.StatusCode, res.Body)
			assert.Equal(t, content, res.Body+content[len(strings.TrimSpace(content)):], "as it came")
			assert.Equal(t, []string{"a=canary-cookie", "b=2"}, res.Header.Values("Set-Cookie"))
			assert.Equal(t, "gzip", res.Header.Get("Content-Encoding"))
			assert.Equal(t, "a/b;c=ü", res.Header.Get("X-Added"))
			assert.Empty(t, res.Header.Get("Keep-Alive"))

			r, body := other.last(t)
			assert.Equal(t, name, r.Proto+" "+strings.Split(other.URL, ":")[0])
			assert.Equal(t, "POST /base/v1/a%2Fb;c=%C3%BC?q=1;2&%zz", r.Method+" "+r.RequestURI)
			assert.Equal(t, strings.Split(other.URL, "//")[1], r.Host)
			assert.Equal(t, `{"password":"canary-request"}`, body)
			assert.Equal(t, []string{"1", "2"}, r.Header.Values("X-A"))
			for header, want := range map[string]string{
				"Authorization": "Bearer canary-header", "Cookie": "c=canary", "X-Forwarded-For": "10.0.0.1", "Accept-Encoding": "gzip",
				"X-Hop": "", "Te": "", "Upgrade": "", "Connection": "", "Proxy-Authorization": "", "Banksim-Sandbox": "", "Banksim-Fault": "",
			} {
				assert.Equal(t, want, r.Header.Get(header), header)
			}
			assert.Regexp(t, `^1\.1 banksim-\w+$`, r.Header.Get("Via"))

			plain := simtest.NewCall("GET", "/v1/7", "", "Accept-Encoding: identity", "Authorization: Bearer canary-header").Send(b)
			assert.Equal(t, `{"access_token":"canary-answer","x":1}`, plain.Body)
			x := b.ExchangeOf(plain)
			assert.Equal(t, journal.Stubbed, x.Decision.Outcome)
			assert.Equal(t, "other", x.Decision.Rule)
			assert.Equal(t, "forwarded to "+strings.TrimSuffix(strings.Split(then, "'")[1], "'"), x.Decision.Message)
			record := b.ControlSandbox(200, "GET /journal", "").Body
			assert.NotContains(t, record, "canary")
			assert.NotContains(t, record, "of another simulator")
			head := simtest.NewCall("HEAD", "/v1/7", "", "Accept-Encoding: identity", "User-Agent: ").Send(b)
			assert.Equal(t, []any{200, int64(38)}, []any{head.StatusCode, head.ContentLength})
			r, _ = other.last(t)
			assert.Equal(t, []any{"", int64(0)}, []any{r.UserAgent(), r.ContentLength}, "nothing is added")
			if other.TLS != nil {
				untrusting := simtest.NewBank(t, forwarding(other.URL))
				res := call.Without("Banksim-Sandbox").Send(untrusting)
				assert.Equal(t, 502, res.StatusCode)
				assert.Contains(t, res.Body, other.URL+" gives no answer: tls: failed to verify certificate")
				assert.NotContains(t, res.Body, "canary")
			}
		})
	}
}

// What keeps a request from being forwarded, and the other service from answering, is answered with the reason.
func TestForwardingFails(t *testing.T) {
	t.Parallel()
	other := serveBy(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/redirect":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/v1/large":
			_, _ = w.Write(make([]byte, 10<<20+1))
		case "/v1/largest":
			_, _ = w.Write(make([]byte, 10<<20))
		case "/v1/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write(make([]byte, 5))
		case "/v1/slow":
			<-r.Context().Done()
		case "/v1/upgrade":
			w.Header().Set("Upgrade", "x")
			w.Header().Set("Connection", "Upgrade")
			w.WriteHeader(http.StatusSwitchingProtocols)
		case "/v1/early":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusTeapot)
		}
	})
	nobody := httptest.NewServer(nil)
	nobody.Close()
	sandboxes := simtest.Registry(t, forwarding(other.URL)+"- {path: '/v2/{id}', then: {forward: '"+nobody.URL+"'}}\n")
	t.Cleanup(sandboxes.Close)
	serve := func(limit time.Duration) string {
		bank := httptest.NewServer(bankapi.New(bankapi.Config{
			Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler), ForwardTimeout: limit,
		}))
		t.Cleanup(bank.Close)
		return bank.URL
	}
	patient, impatient := serve(0), serve(time.Millisecond)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(client.CloseIdleConnections)
	for _, test := range []struct {
		path   string
		size   int // of the request
		status int
		want   string
	}{
		{"/v1/redirect", 0, 302, ""},
		{"/v1/largest", 0, 200, ""},
		{"/v1/early", 0, 418, ""},
		{"/v1/large", 0, 502, other.URL + " gives no answer: its answer is larger than 10 MiB"},
		{"/v1/cut", 0, 502, "unexpected EOF"},
		{"/v1/slow", 0, 502, "it has not answered within 1ms"},
		{"/v1/upgrade", 0, 502, "its status is 101"},
		{"/v2/x", 0, 502, nobody.URL + " gives no answer: dial tcp"},
		{"/v1/..", 0, 400, "a path with a segment . or .. could leave " + other.URL},
		{"/v1/%252525252e", 0, 400, "a path that is escaped more than 4 times could leave " + other.URL},
		{"/v1/x", 1<<20 + 1, 413, "the body is larger than"},
	} {
		before, bank := other.count(), patient
		if test.path == "/v1/slow" {
			bank = impatient
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, bank+test.path, bytes.NewReader(make([]byte, test.size)))
		require.NoError(t, err)
		res, err := client.Do(r)
		require.NoError(t, err, test.path)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err, test.path)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, test.status, res.StatusCode, test.path)
		assert.Contains(t, string(body[:min(len(body), 1000)]), test.want, test.path)
		assert.Equal(t, test.path == "/v1/largest", len(body) == 10<<20, test.path)
		if test.status < 500 {
			assert.Equal(t, test.status < 400 || test.status == 418, other.count() > before, test.path)
		}
	}
}

// Faults of the path apply to what is forwarded: before, on the way back, and in place of the answer.
func TestForwardWithFaults(t *testing.T) {
	t.Parallel()
	other := serveBy(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"a":1}`) })
	forward := "forward: '" + other.URL + "'"
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: first, path: "/v1/{id}", when: {first: 1}, then: {status: 503, body: closed}}
- {name: other, path: "/v1/{id}", then: {`+forward+`, delay: 1ms}}
- {name: late, path: "/v1/{id}", when: {nth: 3}, phase: after, then: {status: 500, body: {lost: "{id}"}}}
- {name: large, path: "/v1/{id}", when: {nth: 4}, phase: after, then: {status: 500, body: ["`+strings.Repeat("{id}", 1000)+`"]}}
- {name: cut, path: /v2/x, then: {`+forward+`, connection: {truncate: 2}}}
- {name: reset, path: /v3/x, then: {`+forward+`, connection: close}}
`))
	get := func(path string) simtest.Answer { return simtest.NewCall("GET", path, "").Send(b) }
	assert.Equal(t, "closed", get("/v1/7").Body)
	assert.Equal(t, 0, other.count())
	assert.Equal(t, `{"a":1}`, get("/v1/7").Body)
	assert.Equal(t, []string{"other"}, b.Last().Fault.Fired)
	assert.Positive(t, b.Last().Fault.DelayMicros)
	assert.Zero(t, b.Last().Fault.BankStatus)

	late := get("/v1/7")
	assert.Equal(t, `500 {"lost":"7"}`, fmt.Sprint(late.StatusCode, " ", late.Body))
	assert.Equal(t, 2, other.count(), "the other service gets the request all the same")
	assert.Equal(t, []any{200, "late"}, []any{b.Last().Fault.BankStatus, b.Last().Fault.AnsweredBy})
	large := get("/v1/" + strings.Repeat("x", 11_000))
	assert.Equal(t, 500, large.StatusCode)
	assert.Equal(t, "stub-too-large", b.Last().Decision.Rule, "the decision is that of the answer")
	for i, path := range []string{"/v2/x", "/v3/x"} {
		_, err := simtest.NewCall("GET", path, "").Try(b)
		require.Error(t, err)
		assert.Equal(t, 4+i, other.count())
	}
	counts := b.ControlSandbox(200, "GET /faults", "").Body
	assert.Contains(t, counts, `"matched":4,"fired":4,"summary":"/v1/{id}"`, "each request counts once")
}

// Two simulators that forward to each other end it, and a chain of different ones works.
func TestForwardToSimulators(t *testing.T) {
	t.Parallel()
	last := simtest.StartScenario(t, simtest.WithFaults("- {path: '/v1/{id}', then: {status: 200, body: {id: '{id:number}'}}}\n"))
	middle := simtest.Start(t, server.Config{ForwardUnknown: last.BaseURL()})
	first := simtest.Start(t, server.Config{ForwardUnknown: middle.BaseURL()})
	res := simtest.NewCall("GET", "/v1/7", "", "transactionId: t-1").Send(first)
	assert.Equal(t, `200 {"id":7}`, fmt.Sprint(res.StatusCode, " ", res.Body))
	assert.Equal(t, bankapi.ForwardUnknown, first.Last().Decision.Rule)
	assert.Len(t, strings.Split(strings.Join(last.Last().Request.Headers["Via"], ","), ","), 2)

	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"path": "/loop/{id}", "then": {"forward": "`+b.BaseURL()+`"}}`)
	res = simtest.NewCall("GET", "/loop/7", "").Send(b)
	assert.Equal(t, 508, res.StatusCode)
	assert.Contains(t, res.Body, "the request comes back from "+b.BaseURL())
	assert.Equal(t, "forward-loop", b.Exchanges(journal.Query{})[0].Decision.Rule)
}

// With ForwardUnknown, requests that something else answers stay here.
func TestForwardUnknown(t *testing.T) {
	t.Parallel()
	other := serveBy(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "https://other.example")
		w.Header().Set("Transactionid", r.Header.Get("Transactionid"))
		w.WriteHeader(299)
	})
	b := simtest.Start(t, server.Config{ForwardUnknown: other.URL, Sandboxes: simtest.Registry(t, simtest.WithFaults(`
- {path: /v1/stub, then: {status: 204}}
- {name: slow, path: /v1/slow, then: {headers: {X-Slow: "1"}}}
`)+"behavior: {cors: {origins: ['https://app.example']}}\n")})
	preflight := []string{"Origin: https://app.example", "Access-Control-Request-Method: GET"}
	for _, test := range []struct {
		call    simtest.Call
		status  int
		forward bool
	}{
		{simtest.NewCall("GET", "/v1/other", ""), 299, true},
		{simtest.NewCall("POST", "/v1/slow", "x"), 299, true},
		{simtest.NewCall("OPTIONS", "/v1/other", ""), 299, true},
		{simtest.NewCall("OPTIONS", "/v1/other", "", preflight...), 204, false},
		{simtest.NewCall("GET", "/v1/stub", ""), 204, false},
		{listGroups.Without("transactionId"), 400, false},
		{listGroups.WithMethod("PATCH"), 405, false},
		{simtest.NewCall("GET", "/.well-known/jwks.json", ""), 200, false},
		{simtest.NewCall("GET", "/v1/sandboxes/default/state", ""), 404, false},
		{simtest.NewCall("GET", "/sandboxes/nobody/v1/other", ""), 404, false},
	} {
		before := other.count()
		res := test.call.Send(b)
		assert.Equal(t, test.status, res.StatusCode, "%v: %s", test.call, res.Body)
		assert.Equal(t, test.forward, other.count() > before, test.call)
		if test.status == 204 && test.call.Method == "GET" {
			assert.Equal(t, []string{"fault-1"}, b.Last().Fault.Fired, "and not "+bankapi.ForwardUnknown)
		}
	}
	simtest.NewCall("GET", "/digitalbanking/groups/v9/other", "", "transactionId: t-1").Send(b)
	echoes := regexp.MustCompile(`(?i)"transactionId":\[[^\]]*\]`).FindAllString(simtest.JSON(b.Last().Response.Headers), -1)
	assert.Equal(t, []string{`"transactionId":["t-1"]`}, echoes, "of two echoes, one")
	res := simtest.NewCall("GET", "/v1/slow", "", preflight[0]).Send(b)
	assert.Equal(t, "1", res.Header.Get("X-Slow"))
	assert.Equal(t, []string{"https://app.example"}, res.Header.Values("Access-Control-Allow-Origin"))
	res = simtest.NewCall("GET", "/v1/slow", "", "Origin: https://other.example").Send(b)
	assert.Empty(t, res.Header.Values("Access-Control-Allow-Origin"), "the scenario says who may read answers")
}

// A client that disconnects ends what is forwarded for it, and the exchange is on record. The end of the server does,
// too.
func TestForwardingEnds(t *testing.T) {
	t.Parallel()
	ended, began := make(chan bool, 2), make(chan bool, 2)
	other := serveBy(t, (*httptest.Server).Start, func(_ http.ResponseWriter, r *http.Request) {
		began <- true
		<-r.Context().Done()
		ended <- true
	})
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, forwarding(other.URL))})
	conn := b.Dial()
	_, err := io.WriteString(conn, "GET /v1/7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	<-began
	require.NoError(t, conn.Close())
	<-ended
	require.Eventually(t, func() bool { return len(b.Exchanges(journal.Query{})) == 1 }, simtest.Patience, time.Millisecond)
	assert.Contains(t, b.Last().Decision.Message, "the client disconnected")

	answer := make(chan string, 1)
	conn = b.Dial()
	_, err = io.WriteString(conn, "GET /v1/7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	go func() {
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			answer <- err.Error()
			return
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		answer <- string(body)
	}()
	<-began
	require.NoError(t, b.Server.Shutdown(t.Context()))
	assert.Contains(t, <-answer, "the simulator is ending")
}

// Whatever a caller sends, the simulator connects to the configured service alone, and asks below its base path.
func TestCallersChooseNoService(t *testing.T) {
	t.Parallel()
	other := serveBy(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) })
	evil, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = evil.Close() })
	reached := make(chan string, 1000)
	go func() {
		for {
			conn, err := evil.Accept()
			if err != nil {
				return
			}
			reached <- conn.RemoteAddr().String()
			_ = conn.Close()
		}
	}()
	b := simtest.Start(t, server.Config{ForwardUnknown: other.URL + "/base/path", Sandboxes: simtest.Registry(t,
		"extends: retail\nbehavior: {faultHeader: true}\n")})
	bad := evil.Addr().String()
	lines := []string{
		"GET http://" + bad + "/x HTTP/1.1", "GET http://" + bad + " HTTP/1.1", "GET //" + bad + "/x HTTP/1.1", "CONNECT " + bad + " HTTP/1.1",
		"GET /@" + bad + "/x HTTP/1.1", "GET /http://" + bad + "/x HTTP/1.1", "GET * HTTP/1.1", "GET /x?u=http://" + bad + " HTTP/1.1",
		"GET /x#@" + bad + " HTTP/1.1", `GET /\` + bad + "/x HTTP/1.1", "GET /:80@" + bad + " HTTP/1.1", "GET /sandboxes/default/../x HTTP/1.1",
	}
	for _, dots := range []string{"..", "%2e%2e", ".%2E", "%252e%252e", "%25252e.", "..;a=b", "..%3b", "%2e%2e%00x/..", "."} {
		for _, slash := range []string{"/", "%2f", "%5c", `\`, "%252F", "%255c"} {
			for _, form := range []string{"/a" + slash + dots, "/" + dots + slash + "a", "/a" + slash + dots + slash + dots + slash + "b"} {
				lines = append(lines, "GET "+form+" HTTP/1.1")
			}
		}
	}
	headers := "Host: " + bad + "\r\nX-Forwarded-Host: " + bad + "\r\nX-Forwarded-Proto: https\r\nForwarded: host=" + bad +
		"\r\nX-Forwarded-Prefix: /../\r\nX-Original-URL: /../\r\nProxy: http://" + bad + "\r\nConnection: close\r\n"
	for _, line := range lines {
		for _, header := range []string{"", "Banksim-Fault: forward=http://" + bad + "\r\n"} {
			conn := b.Dial()
			_, err := io.WriteString(conn, line+"\r\n"+headers+header+"\r\n")
			require.NoError(t, err)
			_, _ = io.ReadAll(conn)
			_ = conn.Close()
		}
	}
	assert.Greater(t, other.count(), 10, "most are forwarded")
	for _, r := range other.seen {
		assert.True(t, strings.HasPrefix(r.RequestURI, "/base/path/"), r.RequestURI)
		assert.Equal(t, strings.TrimPrefix(other.URL, "http://"), r.Host)
		decoded := strings.ReplaceAll(r.URL.Path, `\`, "/")
		assert.NotRegexp(t, `/\.\.?(;|/|$)`, decoded, r.RequestURI)
	}
	assert.Empty(t, reached)
}
