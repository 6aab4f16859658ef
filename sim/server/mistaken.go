package server

import (
	"fmt"
	"io"
	"net"
	"time"
)

// How much of what such a client sends is read, and for how long (choice).
const (
	maxMistaken     = 64 << 10 // bytes
	mistakenTimeout = time.Second
)

// checkedListener is a listener whose clients are answered if they speak http where https is spoken, or the other way round.
type checkedListener struct {
	net.Listener
	server *Server
	speaks protocol
}

func (l checkedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &checkedConn{Conn: conn, of: l}, nil
}

// checkedConn is a connection whose first byte is checked.
type checkedConn struct {
	net.Conn
	of      checkedListener
	checked bool // used by the reader alone
}

// NetConn returns the connection itself.
func (c *checkedConn) NetConn() net.Conn {
	if wrapped, ok := c.Conn.(interface{ NetConn() net.Conn }); ok {
		return wrapped.NetConn()
	}
	return c.Conn
}

// CloseWrite ends what is written, if the connection can do that.
func (c *checkedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Read reads what the client sends.
func (c *checkedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.checked || n == 0 {
		return n, err
	}
	c.checked = true
	if answer := c.of.speaks.mistaken(p[0], c.LocalAddr()); answer != "" {
		c.answer(answer)
		return 0, io.EOF // of which net/http and crypto/tls make nothing more
	}
	return n, err
}

// answer answers in plain HTTP, which is what the client speaks, or what its TLS library recognizes: many then say that the
// port speaks no TLS. Closing a connection with unread bytes would lose the answer.
func (c *checkedConn) answer(text string) {
	c.of.server.tls.mistaken.log(c.of.server.log, text, "client", c.RemoteAddr().String())
	_ = c.SetDeadline(time.Now().Add(mistakenTimeout))
	text += "\n"
	_, err := fmt.Fprintf(c.Conn, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(text), text)
	if err == nil && c.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, maxMistaken)
	}
}
