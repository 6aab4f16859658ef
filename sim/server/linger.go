package server

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A connection reads so many bytes after its last answer at most, and for so long (choice).
const (
	maxLinger     = 16 << 20
	lingerTimeout = 5 * time.Second
)

// lingeringListener is a listener whose connections read on at their end. Closing a connection with unread bytes resets
// it, and a client that is still sending may lose the answer (RFC 9112 9.6). net/http reads at most 256 kB, and then
// waits for half a second without reading.
type lingeringListener struct{ net.Listener }

func (l lingeringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		conn = &lingeringConn{TCPConn: tcp}
	}
	return conn, err
}

type lingeringConn struct {
	*net.TCPConn
	reading atomic.Int32 // calls of Read under way
	ending  atomic.Bool  // whether the end has begun
	resets  atomic.Bool  // whether the end is a reset
}

func (c *lingeringConn) Read(p []byte) (int, error) {
	c.reading.Add(1)
	defer c.reading.Add(-1)
	return c.TCPConn.Read(p)
}

// SetLinger is called for a reset.
func (c *lingeringConn) SetLinger(seconds int) error {
	c.resets.Store(true)
	return c.TCPConn.SetLinger(seconds)
}

// CloseWrite ends the connection like Close: net/http calls it half a second before Close.
func (c *lingeringConn) CloseWrite() error { return c.Close() }

// Close ends this side of the connection, and reads until the client has ended the other one. While a Read is under
// way, nothing is left unread, and the connection closes at once.
func (c *lingeringConn) Close() error {
	if c.reading.Load() > 0 || c.resets.Load() {
		return c.TCPConn.Close()
	}
	if c.ending.Swap(true) {
		return nil
	}
	if c.TCPConn.CloseWrite() != nil {
		return c.TCPConn.Close() // the client has gone
	}
	_ = c.SetReadDeadline(time.Now().Add(lingerTimeout))
	go func() {
		_, _ = io.CopyN(io.Discard, c.TCPConn, maxLinger)
		_ = c.TCPConn.Close()
	}()
	return nil
}
