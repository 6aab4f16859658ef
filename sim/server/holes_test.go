package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// calls of both listeners: one that is refused before its body is read, and one that is answered.
func calls(b *simtest.Bank) map[string][2]string {
	return map[string][2]string{
		b.Server.ServiceURL(): {"POST /nope", "POST " + simtest.GroupsPath},
		b.Server.ControlURL(): {"POST /nope", "POST /v1/sandboxes/default/reset"},
	}
}

// A client that waits before it sends its body gets an answer that doesn't need the body at once.
func TestEarlyAnswers(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for url, call := range calls(b) {
		conn := b.DialURL(url,
			call[0]+" HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err, url)
		assert.Equal(t, 404, res.StatusCode, url)
	}
}

// A client that sends all of a large body before it reads gets the whole answer, though nobody wants the body.
func TestAnswersBeforeTheBodyArrive(t *testing.T) {
	t.Parallel()
	const token = "Authorization: Bearer secret"
	b := simtest.Start(t, server.Config{ControlToken: "secret"})
	bank, control := b.Server.ServiceURL(), b.Server.ControlURL()
	body := strings.Repeat("x", 3<<20)
	for _, test := range []struct {
		status int
		*http.Request
	}{
		{404, b.Request("POST", bank+"/nope", "")},
		{405, b.Request("PUT", bank+simtest.GroupsPath, "")},
		{413, simtest.CreateGroup.Request(b)},
		{401, simtest.CreateAlert.Without("authorization").Request(b)},
		{415, simtest.CreateGroup.With("Content-Type", "text/plain").Request(b)},
		{404, b.Request("POST", control+"/nope", "", token)},
		{405, b.Request("PUT", control+"/v1/sandboxes", "", token)},
		{413, b.Request("POST", control+"/v1/sandboxes", "", token)},
		{401, b.Request("POST", control+"/v1/sandboxes", "")},
	} {
		for i := range 20 {
			conn := b.DialURL("http://" + test.URL.Host)
			require.NoError(t, conn.SetWriteBuffer(256<<10)) // the kernel doesn't take all of the body
			r := test.Clone(t.Context())
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			if i%2 > 0 {
				r.ContentLength = -1 // chunked
			}
			require.NoError(t, r.Write(conn), "%d %s, attempt %d", test.status, test.URL, i)
			answers := bufio.NewReader(conn)
			res, err := http.ReadResponse(answers, r)
			require.NoError(t, err)
			text, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Equal(t, test.status, res.StatusCode, "%s: %s", test.URL, text)
			assert.True(t, json.Valid(text), "%s: %s", test.URL, text)
			_, err = answers.ReadByte()
			require.ErrorIs(t, err, io.EOF, "the connection ends in order")
		}
		r := test.Clone(t.Context())
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		res, err := http2Client(t).Do(r)
		require.NoError(t, err, "HTTP/2: %d %s", test.status, test.URL)
		assert.Equal(t, []int{2, test.status}, []int{res.ProtoMajor, res.StatusCode}, test.URL)
		require.NoError(t, res.Body.Close())
	}
}

// Nothing that follows a malformed trailer is taken for another request.
func TestMalformedTrailersEndTheConnection(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for url, call := range calls(b) {
		for _, line := range call {
			conn := b.DialURL(url, line+
				" HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n", smuggled)
			answers, err := io.ReadAll(conn)
			require.NoError(t, err, "%s %s: the connection ends", url, line)
			assert.LessOrEqual(t, strings.Count(string(answers), "HTTP/1.1 "), 1, "%s %s\n%s", url, line, answers)
		}
	}
	assert.NotContains(t, simtest.JSON(b.Get("/journal")), "smuggled")
}

// Clients that don't read large answers take no more room than there is for all of them: a read beyond that is refused
// at once, and small answers and changes are not. When the clients are gone, so is what they took.
func TestStalledReadersTakeNoMoreThanTheirRoom(t *testing.T) {
	before := debug.SetMemoryLimit(512 << 20) // a quarter for requests, half of that for one sandbox
	defer debug.SetMemoryLimit(before)
	b := simtest.StartScenario(
		t,
		"extends: retail\nbehavior: {groups: {maxPageSize: 60000}}\ninstitutions: [{institutionId: '02688', generate: {groups: 60000}}]\n",
	)
	large := simtest.ListGroups.WithQuery("size=60000") // about 9 MB
	const stalled = 12
	list := large.Request(b)
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\ntransactionId: t\r\n\r\n", list.URL.RequestURI())
	refused := 0
	var open []net.Conn
	for range stalled {
		conn := b.Dial(request)
		require.NoError(t, conn.SetReadBuffer(4096))
		res, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		require.NoError(t, err)
		if res.StatusCode == 429 {
			refused++
			assert.Equal(t, "2", res.Header.Get("Retry-After"))
			continue
		}
		open = append(open, conn)
	}
	assert.GreaterOrEqual(t, refused, 3, "64 MiB are for seven of them")

	streams := http2Client(t)
	for range 4 {
		r := large.Request(b)
		res, err := streams.Do(r)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		assert.Equal(t, []int{2, 429}, []int{res.ProtoMajor, res.StatusCode}, "all listeners share the room")
	}
	simtest.ListGroups.Expect(b, 200)
	simtest.CreateGroup.Expect(b, 200)

	for _, conn := range open {
		require.NoError(t, conn.Close())
	}
	assert.Eventually(t, func() bool { return large.Send(b).StatusCode == 200 }, simtest.Patience, 10*time.Millisecond)
}

// http2Client returns a client that speaks HTTP/2 with prior knowledge.
func http2Client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: simtest.Patience}
}
