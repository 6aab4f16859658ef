package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
)

// pipes is a listener whose connections stay in the process, so that they work in a synctest bubble with its fake time.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	of      *listener
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.waiting:
		return conn, nil
	case <-p.closed:
		return nil, errors.New("closed")
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.waiting <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listen serves a handler until the returned function is called.
func listen(handler http.Handler) (p *pipes, closed func()) {
	p = &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
	l := (&Server{log: slog.New(slog.DiscardHandler)}).newListener(p, handler, bankapi.WithConn, plain{})
	p.of = l
	go func() { _ = l.serve() }()
	return p, func() { _ = l.http.Close() }
}

// request sends a request on a connection of its own, and returns the connection.
func (p *pipes) request(t *testing.T) net.Conn {
	t.Helper()
	conn, err := p.dial(t.Context(), "", "")
	require.NoError(t, err)
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bank\r\n\r\n")
	require.NoError(t, err)
	return conn
}

// large answers with a megabyte.
func large(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) }

// A client that stops reading an answer is disconnected.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			large(w, r)
			ended <- time.Now()
		}))
		defer closed()
		began := time.Now()
		conn := p.request(t)
		_, err := io.ReadFull(conn, make([]byte, 100_000))
		require.NoError(t, err)
		assert.Equal(t, 20*time.Second, (<-ended).Sub(began))
		_, err = io.ReadAll(conn)
		assert.NoError(t, err, "the connection is closed")
	})
}

// A client that reads an answer slowly gets all of it, however long that takes.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := listen(http.HandlerFunc(large))
		defer closed()
		began := time.Now()
		conn := p.request(t)
		for range 1 << 20 >> 15 {
			time.Sleep(5 * time.Second)
			_, err := io.ReadFull(conn, make([]byte, 32<<10))
			require.NoError(t, err)
		}
		assert.Greater(t, time.Since(began), 2*time.Minute)
	})
}

// A deadline of the handler's holds for all that it writes.
func TestDeadlineOfAHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.NoError(t, http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second)))
			large(w, r)
			ended <- time.Now()
		}))
		defer closed()
		began := time.Now()
		p.request(t)
		assert.Equal(t, time.Second, (<-ended).Sub(began))
	})
}

// A client that doesn't complete its header is disconnected.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := listen(http.NotFoundHandler())
		defer closed()
		conn, err := p.dial(t.Context(), "", "")
		require.NoError(t, err)
		began := time.Now()
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bank\r\n")
		require.NoError(t, err)
		_, err = io.ReadAll(conn) // until the server closes the connection
		require.NoError(t, err)
		assert.Equal(t, readHeaderTimeout, time.Since(began))
	})
}

// A client that opened a connection in advance may let it wait as long as one that it has used. Its first request then has the
// time of any other.
func TestSilentConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := listen(http.NotFoundHandler())
		defer closed()
		silent, err := p.dial(t.Context(), "", "")
		require.NoError(t, err)
		conn, err := p.dial(t.Context(), "", "")
		require.NoError(t, err)
		began, ended := time.Now(), make(chan time.Time, 1)
		go func() {
			_, err := io.ReadAll(silent) // until the server closes the connection
			assert.NoError(t, err)
			ended <- time.Now()
		}()
		time.Sleep(idleTimeout - time.Second)
		for range 2 {
			_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: bank\r\n")
			require.NoError(t, err)
			time.Sleep(readHeaderTimeout - time.Second)
			_, err = io.WriteString(conn, "Content-Length: 1\r\n\r\n")
			require.NoError(t, err)
			time.Sleep(readTimeout - readHeaderTimeout)
			_, err = io.WriteString(conn, "x")
			require.NoError(t, err)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			assert.Equal(t, 404, res.StatusCode)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
		}
		assert.Equal(t, idleTimeout, (<-ended).Sub(began))
	})
}
