package server

import (
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
)

// pipes is a listener whose connections stay in the process, so that they work in a synctest bubble with its fake time.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
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
	p = &pipes{make(chan net.Conn), make(chan struct{})}
	l := newListener(p, handler, slog.New(slog.DiscardHandler))
	go func() { _ = l.http.Serve(p) }()
	return p, func() { _ = l.http.Close() }
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
