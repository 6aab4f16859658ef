package bankapi_test

import (
	"bufio"
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

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// reading is what a raw TCP client saw of one answer: the pieces in which it came, and how the connection ended.
type reading struct {
	pieces []string
	end    error // io.EOF: in order (FIN)
}

func (r reading) all() string { return strings.Join(r.pieces, "") }

// body returns what came after the header.
func (r reading) body() string {
	_, body, _ := strings.Cut(r.all(), "\r\n\r\n")
	return body
}

// write sends a call on a connection of its own.
func write(t *testing.T, b *simtest.Bank, call simtest.Call) *net.TCPConn {
	t.Helper()
	conn := b.Dial()
	require.NoError(t, call.Request(b).Write(conn))
	return conn
}

// read sends a call on a connection of its own and reads to the end of the connection.
func read(t *testing.T, b *simtest.Bank, call simtest.Call) reading {
	t.Helper()
	conn := write(t, b, call)
	var seen reading
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

// faulty returns a bank whose operations all have a fault.
func faulty(t *testing.T, then string) *simtest.Bank {
	t.Helper()
	return simtest.NewBank(t, simtest.WithFaults("- {name: f, then: "+then+"}\n"))
}

func TestResetOnTheWire(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"before", "after"} {
		b := simtest.NewBank(t, simtest.WithFaults("- {name: f, phase: "+phase+", then: {connection: reset}}\n"))
		for operation, call := range simtest.Calls {
			seen := read(t, b, call)
			assert.Empty(t, seen.pieces, operation)
			assert.ErrorIs(t, seen.end, syscall.ECONNRESET, operation)
		}
		_, err := listGroups.Try(b)
		assert.ErrorIs(t, err, syscall.ECONNRESET)
	}
}

func TestCloseOnTheWire(t *testing.T) {
	t.Parallel()
	b := faulty(t, "{connection: close}")
	for operation, call := range simtest.Calls {
		seen := read(t, b, call)
		assert.Empty(t, seen.pieces, operation)
		assert.ErrorIs(t, seen.end, io.EOF, operation)
	}
	seen := read(t, b, listGroups.WithBody(strings.Repeat("x", 100_000))) // a body that the operation doesn't read
	assert.ErrorIs(t, seen.end, io.EOF, "in order, though the request has a body that nobody wanted")
	_, err := listGroups.Try(b)
	assert.ErrorIs(t, err, io.EOF)
}

func TestHangOnTheWire(t *testing.T) {
	t.Parallel()
	b := faulty(t, "{connection: {hang: 30ms}}")
	seen := read(t, b, listGroups)
	assert.Empty(t, seen.pieces)
	assert.ErrorIs(t, seen.end, io.EOF, "the hang is bounded")

	b = faulty(t, "{connection: hang}")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Try(listGroups.Request(b).WithContext(ctx))
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
	assert.Equal(t, 0, b.Last().Response.Status)
}

func TestTruncateOnTheWire(t *testing.T) {
	t.Parallel()
	own := getDisclosures.Send(simtest.NewBank(t, simtest.FrozenRetail)).Body
	const injected = `{"status":401,"code":"UXESTMT_10002","message":"m"}`
	for _, test := range []struct{ then, whole, sent string }{
		{"{connection: truncate}", own, own[:len(own)/2]},
		{"{connection: {truncate: 20}}", own, own[:20]},
		{"{connection: {truncate: 0}}", own, ""},
		{"{connection: {truncate: 100000}}", own, own},
		{"{status: 401, error: {message: m}, connection: {truncate: 5}}", injected, injected[:5]},
	} {
		b := simtest.NewBank(t, simtest.WithFaults("- {name: f, operation: estatements.*, then: "+test.then+"}\n"))
		seen := read(t, b, getDisclosures.With("Connection", "close"))
		assert.ErrorIs(t, seen.end, io.EOF)
		res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(seen.all())), nil)
		require.NoError(t, err)
		assert.EqualValues(t, len(test.whole), res.ContentLength, "of the whole")
		assert.Equal(t, test.sent, seen.body())
		assert.Equal(t, test.sent, b.Last().Response.Body, "the journal has what was sent")
		_, err = getDisclosures.Try(b)
		if test.sent == test.whole {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	}
}

func TestMalformedOnTheWire(t *testing.T) {
	t.Parallel()
	b := faulty(t, "{connection: malformed}")
	for operation, call := range simtest.Calls {
		res, err := call.Try(b)
		require.NoError(t, err, operation)
		assert.Equal(t, "application/json", res.Header.Get("Content-Type"), operation)
		assert.False(t, json.Valid([]byte(res.Body)), "%s: %s", operation, res.Body)
		assert.NotEmpty(t, res.Body, operation)
		conn := write(t, b, call)
		raw, err := http.ReadResponse(bufio.NewReader(conn), call.Request(b))
		require.NoError(t, err, operation)
		data, err := io.ReadAll(raw.Body)
		require.NoError(t, err, "its Content-Length is right")
		assert.False(t, json.Valid(data), operation)
	}
}

// Not parallel: other work must not delay the reader, which would see several pieces as one.
func TestDribbleOnTheWire(t *testing.T) {
	b := simtest.NewBank(t, simtest.WithFaults("- {name: f, operation: groups.list, then: {status: 500, error: {code: '1', message: '0123456789'}, connection: {dribble: {bytes: 4, every: 5ms}}}}\n"))
	const body = `{"code":"1","message":"0123456789"}`
	// Each piece is a write of its own: a client that reads at once gets them one by one.
	seen := read(t, b, listGroups.With("Connection", "close"))
	assert.ErrorIs(t, seen.end, io.EOF)
	assert.Equal(t, body, seen.body())
	assert.GreaterOrEqual(t, len(seen.pieces), len(body)/4-1, "%q", seen.pieces)
	for _, piece := range seen.pieces[1:] {
		assert.Contains(t, []int{3, 4, 8}, len(piece), "%q", seen.pieces) // 8: two that came together
	}

	for range 3 { // and the connection stays in use
		res, err := listGroups.Try(b)
		require.NoError(t, err)
		assert.Equal(t, body, res.Body)
	}
}

func TestGarbageOnTheWire(t *testing.T) {
	t.Parallel()
	b := faulty(t, "{connection: garbage}")
	seen := read(t, b, listGroups)
	assert.ErrorIs(t, seen.end, io.EOF)
	assert.NotRegexp(t, `^HTTP/`, seen.all())
	assert.Contains(t, seen.all(), "HTTP/1.1 200 OK\r\n")
	assert.Contains(t, seen.body(), `"totalElements":23`)
	_, err := listGroups.Try(b)
	assert.ErrorContains(t, err, "malformed HTTP")
}

// A delay comes before the answer's first byte. Then the client gets the whole answer.
func TestDelayOnTheWire(t *testing.T) {
	t.Parallel()
	b := faulty(t, "{delay: 30ms}")
	began := time.Now()
	res, err := listGroups.Try(b)
	require.NoError(t, err)
	assert.Equal(t, 200, res.StatusCode)
	assert.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
	assert.EqualValues(t, 30_000, b.Last().Fault.DelayMicros)
	assert.GreaterOrEqual(t, b.Last().TookMicros, int64(30_000))
}
