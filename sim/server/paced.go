package server

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// A client that reads an answer slowly is waited for as long as it goes on reading. One that stops is disconnected (choice).
const (
	stallTimeout = 20 * time.Second // for a piece of an answer
	stallPiece   = 64 << 10         // bytes
)

// pacedListener is a listener whose connections bound each piece of what is written, and not the whole.
type pacedListener struct{ net.Listener }

func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{Conn: conn}, nil
}

// pacedConn is a connection whose peer has stallTimeout to take a piece of what is written.
type pacedConn struct {
	net.Conn
	deadline atomic.Pointer[time.Time] // that was set for writing; nil: none
}

// NetConn returns the connection itself, of which some know more, such as how to reset it.
func (c *pacedConn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends what is written, if the connection can do that.
func (c *pacedConn) CloseWrite() error { return closeWrite(c.Conn) }

// SetDeadline sets both deadlines.
func (c *pacedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetWriteDeadline sets a deadline for all that is written, in addition to that of each piece.
func (c *pacedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.deadline.Store(nil)
	} else {
		c.deadline.Store(&t)
	}
	return c.Conn.SetWriteDeadline(t)
}

// Write writes in pieces.
func (c *pacedConn) Write(p []byte) (n int, err error) {
	for {
		deadline := time.Now().Add(stallTimeout)
		if own := c.deadline.Load(); own != nil && own.Before(deadline) {
			deadline = *own
		}
		if err := c.Conn.SetWriteDeadline(deadline); err != nil {
			return n, err
		}
		written, err := c.Conn.Write(p[n:min(len(p), n+stallPiece)])
		n += written
		if err != nil || n == len(p) {
			return n, err
		}
	}
}
