package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// halfSentTimeout is how long a request may still arrive once the server ends (choice). After that, only requests that were
// received completely are waited for: a client that doesn't go on sending must not hold the shutdown.
const halfSentTimeout = time.Second

// connections are the open connections of a listener.
type connections struct {
	mu      sync.Mutex
	open    map[*receivingConn]bool
	streams map[*receivingStream]bool // of HTTP/2, whose requests have not arrived completely
	over    bool                      // cut was called
}

func newConnections() *connections {
	return &connections{open: map[*receivingConn]bool{}, streams: map[*receivingStream]bool{}}
}

// receivingListener is a listener that knows which of its connections wait for a request, or for the rest of one.
type receivingListener struct {
	net.Listener
	of *connections
}

func (l receivingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &receivingConn{Conn: conn, of: l.of}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.open[c] = true
	return c, nil
}

// cut ends the reading on all connections and streams that still wait for a request, or for the rest of one. The handler of a
// half-sent request gets a time-out from its body, and answers.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for conn := range c.open {
		conn.cut()
	}
	for stream := range c.streams {
		stream.cut()
	}
}

// receivingConn is a connection that knows whether it waits for a request, or for the rest of one.
type receivingConn struct {
	net.Conn
	of *connections

	mu       sync.Mutex
	received bool // the request that is being answered has arrived completely
	many     bool // it is a connection of HTTP/2, which may have many requests at once
	ended    bool // no more is read
}

// NetConn returns the connection itself, without what the server has wrapped around it.
func (c *receivingConn) NetConn() net.Conn { return unwrapped(c.Conn) }

// CloseWrite ends what is written, if the connection can do that.
func (c *receivingConn) CloseWrite() error { return closeWrite(c.Conn) }

// Close closes the connection.
func (c *receivingConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// SetDeadline sets both deadlines.
func (c *receivingConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets the deadline for reading, unless the reading was ended.
func (c *receivingConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *receivingConn) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.received && !c.many { // of many requests, some may have been received: their streams know
		c.ended = true
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
	}
}

func (c *receivingConn) setReceived() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = true
}

// awaitNext notes that a request was answered.
func (c *receivingConn) awaitNext() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = false
}

func (c *receivingConn) setMany() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.many = true
}

type receivingKey struct{}

// withReceiving adds a connection to the context of its requests.
func withReceiving(ctx context.Context, conn net.Conn) context.Context {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	return context.WithValue(ctx, receivingKey{}, conn)
}

// noteReceived returns a handler that notes when a request has arrived completely: on the connection or, for HTTP/2, on the
// stream.
func noteReceived(of *connections, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, ok := r.Context().Value(receivingKey{}).(*receivingConn)
		switch {
		case !ok:
		case r.ProtoMajor == 2:
			conn.setMany()
			of.serveStream(w, r, next)
			return
		case r.Body == http.NoBody:
			conn.setReceived()
			defer conn.awaitNext()
		default:
			r.Body = &receivedBody{r.Body, conn}
			defer conn.awaitNext()
		}
		next.ServeHTTP(w, r)
	})
}

// receivedBody notes when a body was read to its end.
type receivedBody struct {
	io.ReadCloser
	of interface{ setReceived() }
}

func (b *receivedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.of.setReceived()
	}
	return n, err
}
