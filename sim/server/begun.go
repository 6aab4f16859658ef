package server

import (
	"errors"
	"net"
	"sync"
	"time"
)

// begunListener is a listener whose connections are accepted once their client has begun to speak. Until then they are idle:
// net/http would count the time as that of their first request, and close a connection that a client opened in advance and
// kept in its pool, perhaps just when the client uses it. Clients that speak another protocol are answered, and not accepted.
type begunListener struct {
	net.Listener
	server *Server
	speaks protocol

	accepting sync.Once
	begun     chan accepted
	closed    chan struct{}

	mu     sync.Mutex
	silent map[net.Conn]bool // those whose client has not begun; nil: the listener is closed
}

// accepted is a connection, or why there is none.
type accepted struct {
	conn net.Conn
	err  error
}

func newBegunListener(l net.Listener, s *Server, speaks protocol) *begunListener {
	return &begunListener{Listener: l, server: s, speaks: speaks, begun: make(chan accepted), closed: make(chan struct{}), silent: map[net.Conn]bool{}}
}

// Accept returns the next connection whose client has begun to speak.
func (l *begunListener) Accept() (net.Conn, error) {
	l.accepting.Do(func() { go l.accept() })
	select {
	case next := <-l.begun:
		return next.conn, next.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listener and the connections whose client has not begun to speak.
func (l *begunListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent == nil {
		return net.ErrClosed
	}
	close(l.closed)
	errs := []error{l.Listener.Close()}
	for conn := range l.silent {
		errs = append(errs, conn.Close())
	}
	l.silent = nil
	return errors.Join(errs...)
}

// accept accepts connections until the listener is closed. The caller of Accept knows which errors pass.
func (l *begunListener) accept() {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err != nil && !l.deliver(accepted{err: err}):
			return
		case err == nil:
			go l.await(conn)
		}
	}
}

// deliver reports whether the caller of Accept took a connection or an error. It did not if the listener was closed.
func (l *begunListener) deliver(next accepted) bool {
	select {
	case l.begun <- next:
		return true
	case <-l.closed:
		return false
	}
}

// await waits until a client has begun to speak, and delivers its connection.
func (l *begunListener) await(conn net.Conn) {
	if !l.setSilent(conn, true) {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(idleTimeout))
	begun := &begunConn{Conn: conn}
	_, err := conn.Read(begun.first[:])
	if open := l.setSilent(conn, false); !open || err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	if answer := l.speaks.mistaken(begun.first[0], conn.LocalAddr()); answer != "" {
		l.server.answerMistaken(conn, answer)
		_ = conn.Close()
		return
	}
	if !l.deliver(accepted{conn: begun}) {
		_ = conn.Close()
	}
}

// setSilent notes whether a client has yet to begin. It reports whether the listener is still open.
func (l *begunListener) setSilent(conn net.Conn, silent bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.silent == nil:
		return false
	case silent:
		l.silent[conn] = true
	default:
		delete(l.silent, conn)
	}
	return true
}

// begunConn is a connection of which the first byte was read.
type begunConn struct {
	net.Conn
	first [1]byte
	given bool // first was read again; used by the reader alone
}

// Read reads what the client sends.
func (c *begunConn) Read(p []byte) (int, error) {
	if c.given || len(p) == 0 {
		return c.Conn.Read(p)
	}
	c.given = true
	return copy(p, c.first[:]), nil
}

// NetConn returns the connection itself, without what the server has wrapped around it.
func (c *begunConn) NetConn() net.Conn { return unwrapped(c.Conn) }

// CloseWrite ends what is written, if the connection can do that.
func (c *begunConn) CloseWrite() error { return closeWrite(c.Conn) }

// unwrapped returns the connection that a connection wraps, or the connection.
func unwrapped(conn net.Conn) net.Conn {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return wrapped.NetConn()
	}
	return conn
}

// closeWrite ends what is written, if a connection can do that. net/http does so before it closes a connection with unread
// data, which would lose the answer.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
