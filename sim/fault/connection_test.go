package fault_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

const payload = `{"groupName":"Night owls","groupId":"0123456789"}`

// answer is one with a JSON body, or without a body if that is empty.
func answer(status int, body string) fault.Answer {
	a := fault.Answer{Status: status, Header: [][2]string{{"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}}}
	if body != "" {
		a.Header = append(a.Header, [2]string{"Content-Type", "application/json"})
		a.Body = []byte(body)
	}
	if status != http.StatusNoContent {
		a.Header = append(a.Header, [2]string{"Content-Length", strconv.Itoa(len(body))})
	}
	return a
}

// deliveries is a handler that delivers one answer by one fault, without looking at the request.
type deliveries struct {
	connection fault.Connection
	answer     fault.Answer
	draining   chan struct{}
	ended      chan error // what each delivery returned
}

func (d *deliveries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := d.connection.Over(r.ProtoMajor).Deliver(w, r, d.answer, d.draining)
	d.ended <- err
	if err == http.ErrAbortHandler {
		panic(err)
	}
}

func deliver(c fault.Connection, a fault.Answer) *deliveries {
	return &deliveries{c, a, make(chan struct{}), make(chan error, 16)}
}

// serve starts a server for the handler; it has the timeouts of a server that doesn't wait for ever.
func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 30*time.Second, 60*time.Second
	server.Start()
	t.Cleanup(server.Close)
	server.Client().Timeout = 20 * time.Second
	return server
}

// dial connects to a server and sends it a request.
func dial(t *testing.T, server *httptest.Server, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	return conn
}

const get = "GET / HTTP/1.1\r\nHost: bank\r\n\r\n"

// post is a request with so large a body.
func post(length int) string {
	head := "POST / HTTP/1.1\r\nHost: bank\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n"
	return head + strings.Repeat("x", length)
}

// await returns what a delivery returned.
func (d *deliveries) await(t *testing.T) error {
	t.Helper()
	select {
	case err := <-d.ended:
		return err
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the delivery doesn't end")
		return nil
	}
}

// parts splits what was received into head and body.
func parts(received []byte) (head, body string) {
	head, body, _ = strings.Cut(string(received), "\r\n\r\n")
	return head, body
}

func TestTruncate(t *testing.T) {
	for name, test := range map[string]struct {
		truncate *int
		request  string
		kept     int
	}{
		"half":                     {nil, get, len(payload) / 2},
		"some":                     {ptr(20), get, 20},
		"none":                     {ptr(0), get, 0},
		"one is missing":           {ptr(len(payload) - 1), get, len(payload) - 1},
		"of a request with a body": {ptr(20), post(900_000), 20},
	} {
		c := fault.Connection{Kind: fault.Truncate{Bytes: test.truncate}}
		d := deliver(c, answer(200, payload))
		server := serve(t, d)
		received, err := io.ReadAll(dial(t, server, test.request))
		assert.NoError(t, err, "%s: an orderly end", name)
		head, body := parts(received)
		assert.Regexp(t, `^HTTP/1\.1 200 OK\r\n`, head, name)
		assert.Contains(t, head+"\r\n", "\r\nContent-Length: "+strconv.Itoa(len(payload))+"\r\n", name)
		assert.Equal(t, payload[:test.kept], body, name)
		assert.Equal(t, http.ErrAbortHandler, d.await(t), name)

		sent, ok := c.Alter(d.answer)
		require.True(t, ok)
		assert.Equal(t, body, string(sent.Body), "the journal records what is sent")
		assert.Equal(t, d.answer.Header, sent.Header)

		res, err := server.Client().Get(server.URL)
		require.NoError(t, err, name)
		data, err := io.ReadAll(res.Body)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
		assert.Equal(t, payload[:test.kept], string(data), name)
		assert.NoError(t, res.Body.Close())
	}
	server := serve(t, deliver(fault.Connection{Kind: fault.Truncate{Bytes: ptr(1000)}}, answer(200, payload)))
	res, err := server.Client().Get(server.URL)
	require.NoError(t, err)
	data, err := io.ReadAll(res.Body)
	assert.NoError(t, err, "there is less than that")
	assert.Equal(t, payload, string(data))
}

func TestMalformed(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"an object":                  {200, payload, payload[:len(payload)-1]},
		"with a line break":          {200, "{\"a\":1}\r\n", `{"a":1`},
		"an array":                   {500, `[1,2]`, `[1,2`},
		"a text":                     {500, `"a"`, `"a`},
		"a number":                   {500, `1234`, `{`},
		"a digit":                    {500, `1`, `{`},
		"null":                       {500, `null`, `nul`},
		"no JSON, but for its end":   {500, `{"a":1}}`, `{`},
		"no JSON, but by the letter": {500, `{"a":1,"a":2}x`, `{`},
		"no JSON":                    {502, `<html>`, `<html`},
		"nothing":                    {200, ``, `{`},
		"white space":                {200, "\n", `{`},
		"no content":                 {204, ``, `{`},
	} {
		c := fault.Connection{Kind: fault.Malformed{}}
		d := deliver(c, answer(test.status, test.body))
		server := serve(t, d)
		res, err := server.Client().Get(server.URL)
		require.NoError(t, err, name)
		data, err := io.ReadAll(res.Body)
		require.NoError(t, err, "%s: as HTTP it is in order", name)
		assert.False(t, json.Valid(data), name)
		assert.Equal(t, test.want, string(data), name)
		assert.EqualValues(t, len(test.want), res.ContentLength, name)
		assert.Equal(t, []string{"application/json"}, res.Header["Content-Type"], name)
		assert.Equal(t, []string{"a=1", "b=2"}, res.Header["Set-Cookie"], name)
		status := test.status
		if status == 204 {
			status = 200
		}
		assert.Equal(t, status, res.StatusCode, name)
		assert.NoError(t, d.await(t), name)

		sent, ok := c.Alter(d.answer)
		assert.True(t, ok)
		assert.Equal(t, status, sent.Status, name)
		assert.Equal(t, test.want, string(sent.Body), name)
		assert.Equal(t, test.body, string(d.answer.Body), "%s: the answer stays as it is", name)

		raw := dial(t, server, get+get) // and the connection goes on being used
		reader := bufio.NewReader(raw)
		for range 2 {
			res, err := http.ReadResponse(reader, nil)
			require.NoError(t, err, name)
			data, err := io.ReadAll(res.Body)
			require.NoError(t, err, name)
			assert.Equal(t, test.want, string(data), name)
		}
	}
}

// stepwise is a connection of a server whose writes wait until the client has read the one before.
type stepwise struct {
	net.Conn
	read chan struct{}
}

func (c stepwise) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	<-c.read
	return n, err
}

type stepwiseListener struct {
	net.Listener
	read chan struct{}
}

func (l stepwiseListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return stepwise{conn, l.read}, err
}

func TestDribble(t *testing.T) {
	require.Len(t, payload, 49)
	for _, test := range []struct {
		bytes, pieces int
	}{{1, 49}, {7, 7}, {16, 4}, {48, 2}, {49, 1}, {1000, 1}} {
		c := fault.Connection{Kind: fault.Dribble{Bytes: test.bytes, Every: fault.Duration(time.Microsecond)}}
		d := deliver(c, answer(200, payload))
		server := httptest.NewUnstartedServer(d)
		read := make(chan struct{})
		server.Listener = stepwiseListener{server.Listener, read}
		server.Start()
		conn := dial(t, server, get)
		var received [][]byte
		for !bytes.HasSuffix(bytes.Join(received, nil), []byte(payload)) {
			piece := make([]byte, 4096)
			n, err := conn.Read(piece)
			require.NoError(t, err)
			received = append(received, piece[:n])
			read <- struct{}{}
		}
		assert.NoError(t, d.await(t))
		assert.Len(t, received, test.pieces, "%d bytes each", test.bytes)
		head, first := parts(received[0])
		assert.Contains(t, head+"\r\n", "\r\nContent-Length: 49\r\n")
		received[0] = []byte(first)
		if test.pieces > 1 {
			for _, piece := range received[:test.pieces-1] {
				assert.Len(t, piece, test.bytes)
			}
		}
		require.NoError(t, conn.Close())
		server.Close()

		sent, ok := c.Alter(d.answer)
		assert.True(t, ok)
		assert.Equal(t, d.answer, sent)
	}
}

func TestGarbage(t *testing.T) {
	for _, request := range []string{get, post(900_000)} {
		c := fault.Connection{Kind: fault.Garbage{}}
		d := deliver(c, answer(200, payload))
		server := serve(t, d)
		received, err := io.ReadAll(dial(t, server, request))
		assert.NoError(t, err, "an orderly end")
		at := bytes.Index(received, []byte("HTTP/1.1 200 OK\r\n"))
		require.Positive(t, at, "something comes before the status line: %q", received)
		res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(received[at:])), nil)
		require.NoError(t, err, "and the answer behind it")
		data, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Equal(t, payload, string(data))
		assert.Equal(t, []string{"a=1", "b=2"}, res.Header["Set-Cookie"])
		assert.True(t, res.Close)
		assert.NoError(t, d.await(t))

		_, err = server.Client().Get(server.URL)
		assert.ErrorContains(t, err, "malformed HTTP")
		sent, ok := c.Alter(d.answer)
		assert.True(t, ok)
		assert.Equal(t, d.answer, sent)
	}
}
