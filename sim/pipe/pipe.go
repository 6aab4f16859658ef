// Package pipe connects clients and servers within the program, without a network.
package pipe

import (
	"context"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Listener is a listener of connections in memory.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

// Listen returns a listener. Its caller closes it in the end.
func Listen() *Listener {
	l := &Listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Dial connects a client. It fails with ECONNREFUSED once the listener is closed, and with the context's error.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	reset := &atomic.Bool{}
	select {
	case l.conns <- &serverEnd{server, reset}:
		return &clientEnd{client, reset}, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *Listener) Close() error {
	l.close()
	return nil
}

// Addr implements [net.Listener].
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// serverEnd is the server's end of a connection. SetLinger announces a reset, as for TCP.
type serverEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (s *serverEnd) SetLinger(int) error {
	s.reset.Store(true)
	return nil
}

// clientEnd is the client's end. Where the server resets the connection, it reads the error of TCP.
type clientEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (c *clientEnd) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}
