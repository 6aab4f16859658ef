package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
)

// maxOwn is how many listeners for one sandbox there are at most (choice). Each takes a port.
const maxOwn = 10_000

// ServeSandbox serves one sandbox on a listener of its own, on loopback, and returns its URL. That is another base URL of
// the sandbox, without a path that a client could drop, and leads to no other sandbox: its port is one that had no
// listener of a sandbox before. The listener ends with the server, or with end, which cuts off open requests and can be
// called again. It stays if the sandbox is deleted, and answers then that there is none.
func (s *Server) ServeSandbox(name string) (url string, end func(), err error) {
	return s.serveSandbox(name, plain{flag: "--tls-listen ADDRESS"})
}

// ServeSandboxTLS is ServeSandbox for https, by the certificates of the server's configuration.
func (s *Server) ServeSandboxTLS(name string) (url string, end func(), err error) {
	if s.certs == nil {
		return "", nil, fmt.Errorf("a listener for sandbox %s: the server was started without certificates", name)
	}
	return s.serveSandbox(name, s.speaksTLS(""))
}

func (s *Server) serveSandbox(name string, speaks protocol) (url string, end func(), err error) {
	on, err := s.ports.listen(func() (net.Listener, error) {
		var listen net.ListenConfig
		return listen.Listen(context.Background(), "tcp", "127.0.0.1:0")
	})
	if err != nil {
		return "", nil, fmt.Errorf("a listener for sandbox %s: %w", name, err)
	}
	l := s.newListener(on, s.idle.watch(s.bank.Only(name), nil), bankapi.WithConn, speaks)
	if err := s.keep(l); err != nil {
		return "", nil, errors.Join(fmt.Errorf("a listener for sandbox %s: %w", name, err), on.Close())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := l.serve(); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the listener of a sandbox failed", "sandbox", name, "error", err)
		}
	}()
	return l.url(), func() {
		s.mu.Lock()
		delete(s.own, l)
		s.mu.Unlock()
		_ = l.http.Close()
		_ = on.Close() // where Serve has not begun
		<-ended
	}, nil
}

// keep adds a listener for one sandbox to those that end with the server.
func (s *Server) keep(l *listener) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return http.ErrServerClosed
	case len(s.own) >= maxOwn:
		return fmt.Errorf("there are %d already: end some", maxOwn)
	}
	s.own[l] = true
	return nil
}

// takeOwn returns the listeners for one sandbox each. No other is added from now on.
func (s *Server) takeOwn() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	all := make([]*listener, 0, len(s.own))
	for l := range s.own {
		all = append(all, l)
	}
	return all
}

func (s *Server) closeOwn() {
	for _, l := range s.takeOwn() {
		_ = l.http.Close()
	}
}
