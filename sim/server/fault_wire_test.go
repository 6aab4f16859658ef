package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire is what a raw TCP client saw of one answer: the pieces in which it came, and how the connection ended.
type wire struct {
	pieces []string
	end    error // io.EOF: in order (FIN)
}

func (w wire) all() string { return strings.Join(w.pieces, "") }

// body returns what came after the head.
func (w wire) body() string {
	_, body, _ := strings.Cut(w.all(), "\r\n\r\n")
	return body
}

// dial connects to the service listener and writes a request.
func dial(t *testing.T, b *bank, a attempt) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.server.ServiceURL(), "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	var request bytes.Buffer
	require.NoError(t, a.request(b).Write(&request))
	_, err = conn.Write(request.Bytes())
	require.NoError(t, err)
	return conn.(*net.TCPConn)
}

// read reads to the end of the connection.
func read(conn *net.TCPConn) wire {
	var seen wire
	buffer := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buffer)
		if n > 0 {
			seen.pieces = append(seen.pieces, string(buffer[:n]))
		}
		if err != nil {
			seen.end = err
			return seen
		}
	}
}

// faulty starts a bank whose operations all have a fault.
func faulty(t *testing.T, then string) *bank {
	t.Helper()
	return startBank(t, withFaults("- {name: f, then: "+then+"}\n"))
}

func TestResetOnTheWire(t *testing.T) {
	for _, phase := range []string{"before", "after"} {
		b := startBank(t, withFaults("- {name: f, phase: "+phase+", then: {connection: reset}}\n"))
		for operation, a := range allOperations {
			seen := read(dial(t, b, a))
			assert.Empty(t, seen.pieces, operation)
			assert.ErrorIs(t, seen.end, syscall.ECONNRESET, operation)
		}
		_, err := listGroups.try(b)
		assert.ErrorIs(t, err, syscall.ECONNRESET)
	}
}

func TestCloseOnTheWire(t *testing.T) {
	b := faulty(t, "{connection: close}")
	for operation, a := range allOperations {
		seen := read(dial(t, b, a))
		assert.Empty(t, seen.pieces, operation)
		assert.ErrorIs(t, seen.end, io.EOF, operation)
	}
	seen := read(dial(t, b, listGroups.saying(strings.Repeat("x", 100_000)))) // a body that the operation doesn't read
	assert.ErrorIs(t, seen.end, io.EOF, "in order, though the request has a body that nobody wanted")
	_, err := listGroups.try(b)
	assert.ErrorIs(t, err, io.EOF)
}

func TestHangOnTheWire(t *testing.T) {
	b := faulty(t, "{connection: {hang: 30ms}}")
	seen := read(dial(t, b, listGroups))
	assert.Empty(t, seen.pieces)
	assert.ErrorIs(t, seen.end, io.EOF, "the hang is bounded")

	b = faulty(t, "{connection: hang}")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.tryRequest(listGroups.request(b).WithContext(ctx))
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.sandbox.Now().Journal.Last() == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
	assert.Equal(t, 0, b.last().Response.Status)
}

func TestTruncateOnTheWire(t *testing.T) {
	own := getDisclosures.send(startBank(t, frozenRetail)).body
	const injected = `{"status":401,"code":"UXESTMT_10002","message":"m"}`
	for _, test := range []struct{ then, whole, sent string }{
		{"{connection: truncate}", own, own[:len(own)/2]},
		{"{connection: {truncate: 20}}", own, own[:20]},
		{"{connection: {truncate: 0}}", own, ""},
		{"{connection: {truncate: 100000}}", own, own},
		{"{status: 401, error: {message: m}, connection: {truncate: 5}}", injected, injected[:5]},
	} {
		b := startBank(t, withFaults("- {name: f, operation: estatements.*, then: "+test.then+"}\n"))
		seen := read(dial(t, b, getDisclosures.with("Connection", "close")))
		assert.ErrorIs(t, seen.end, io.EOF)
		res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(seen.all())), nil)
		require.NoError(t, err)
		assert.EqualValues(t, len(test.whole), res.ContentLength, "of the whole")
		assert.Equal(t, test.sent, seen.body())
		assert.Equal(t, test.sent, b.last().Response.Body, "the journal has what was sent")
		_, err = getDisclosures.try(b)
		if test.sent == test.whole {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	}
}

func TestMalformedOnTheWire(t *testing.T) {
	b := faulty(t, "{connection: malformed}")
	for operation, a := range allOperations {
		res, err := a.try(b)
		require.NoError(t, err, operation)
		assert.Equal(t, "application/json", res.Header.Get("Content-Type"), operation)
		assert.False(t, json.Valid([]byte(res.body)), "%s: %s", operation, res.body)
		assert.NotEmpty(t, res.body, operation)
		conn := dial(t, b, a)
		raw, err := http.ReadResponse(bufio.NewReader(conn), a.request(b))
		require.NoError(t, err, operation)
		data, err := io.ReadAll(raw.Body)
		require.NoError(t, err, "its Content-Length is right")
		assert.False(t, json.Valid(data), operation)
	}
}

func TestDribbleOnTheWire(t *testing.T) {
	b := startBank(t, withFaults("- {name: f, operation: groups.list, then: {status: 500, error: {code: '1', message: '0123456789'}, connection: {dribble: {bytes: 4, every: 5ms}}}}\n"))
	const body = `{"code":"1","message":"0123456789"}`
	// Each piece is a write of its own: a client that reads at once gets them one by one.
	seen := read(dial(t, b, listGroups.with("Connection", "close")))
	assert.ErrorIs(t, seen.end, io.EOF)
	assert.Equal(t, body, seen.body())
	assert.GreaterOrEqual(t, len(seen.pieces), len(body)/4-1, "%q", seen.pieces)
	for _, piece := range seen.pieces[1:] {
		assert.Contains(t, []int{3, 4, 8}, len(piece), "%q", seen.pieces) // 8: two that came together
	}

	for range 3 { // and the connection goes on being used
		res, err := listGroups.try(b)
		require.NoError(t, err)
		assert.Equal(t, body, res.body)
	}
}

func TestGarbageOnTheWire(t *testing.T) {
	b := faulty(t, "{connection: garbage}")
	seen := read(dial(t, b, listGroups))
	assert.ErrorIs(t, seen.end, io.EOF)
	assert.NotRegexp(t, `^HTTP/`, seen.all())
	assert.Contains(t, seen.all(), "HTTP/1.1 200 OK\r\n")
	assert.Contains(t, seen.body(), `"totalElements":23`)
	_, err := listGroups.try(b)
	assert.ErrorContains(t, err, "malformed HTTP")
}

// A delay comes before the answer's first byte, and a caller sees all of the answer then.
func TestDelayOnTheWire(t *testing.T) {
	b := faulty(t, "{delay: 30ms}")
	began := time.Now()
	res, err := listGroups.try(b)
	require.NoError(t, err)
	assert.Equal(t, 200, res.StatusCode)
	assert.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
	assert.EqualValues(t, 30_000, b.last().Fault.DelayMicros)
	assert.GreaterOrEqual(t, b.last().TookMicros, int64(30_000))
}
