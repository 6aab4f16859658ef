package testkit

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// controlHost is the host of the control API in memory.
const controlHost = "control.invalid"

// memory is a simulator without listeners.
type memory struct {
	bank *bankapi.Handler

	mu    sync.Mutex
	hosts map[string]*pipes

	serving sync.WaitGroup
}

// inMemory starts a simulator in memory. It runs until end is called.
func inMemory() (e endpoint, end func(), err error) {
	sc, err := scenario.Load("retail")
	if err != nil {
		return endpoint{}, nil, err
	}
	seed := uint64(defaultSeed)
	silent := slog.New(slog.DiscardHandler)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Seed: &seed})
	m := &memory{bank: bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: silent}), hosts: map[string]*pipes{}}
	control := controlapi.New(controlapi.Config{
		Sandboxes: sandboxes, Bank: m.bank, Ready: func() bool { return true }, ServiceURL: "http://bank.invalid",
		Version: version, StartedAt: time.Now().UTC(), Log: silent,
	})
	m.serve(controlHost, control)
	e = endpoint{
		control: "http://" + controlHost,
		dial:    m.dial,
		listen: func(name string, _ bool) (string, func(), error) {
			host := name + ".bank.invalid"
			return "http://" + host, m.serve(host, m.bank.Only(name)), nil
		},
	}
	return e, func() {
		m.mu.Lock()
		for _, p := range m.hosts {
			_ = p.server.Close()
		}
		m.mu.Unlock()
		sandboxes.Close()
		m.serving.Wait()
	}, nil
}

// serve serves a host until end is called.
func (m *memory) serve(host string, handler http.Handler) (end func()) {
	p := &pipes{
		server: &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute},
		conns:  make(chan net.Conn), closed: make(chan struct{}),
	}
	m.mu.Lock()
	m.hosts[host] = p
	m.mu.Unlock()
	m.serving.Go(func() { _ = p.server.Serve(p) })
	return func() { _ = p.server.Close() }
}

// dial connects a client to a host.
func (m *memory) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := strings.Cut(address, ":")
	m.mu.Lock()
	p := m.hosts[host]
	m.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("testkit: a bank in memory has no host %s: its BaseURL is the only one", host)
	}
	client, server := net.Pipe()
	reset := &atomic.Bool{}
	select {
	case p.conns <- &serverEnd{server, reset}:
		return &clientEnd{client, reset}, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is a listener of connections in memory, and the server that accepts them.
type pipes struct {
	server *http.Server
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// serverEnd is the bank's end of a connection. SetLinger announces a reset, as for TCP.
type serverEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (s *serverEnd) SetLinger(int) error {
	s.reset.Store(true)
	return nil
}

// clientEnd is the app's end. Where the bank resets the connection, it reads the error of TCP.
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
