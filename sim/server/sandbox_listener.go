package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// ServeSandbox serves one sandbox on a listener of its own, on loopback, and returns its URL. That is another base URL of
// the sandbox, without a path that a client could drop, and leads to no other sandbox. The listener ends with the server, or
// with end, which cuts off open requests and can be called again. It stays if the sandbox is deleted, and answers then that
// there is none.
func (s *Server) ServeSandbox(name string) (url string, end func(), err error) {
	return s.serveSandbox(name, "127.0.0.1:0")
}

// ServeSandboxTLS is ServeSandbox for https, by the certificates of the server's configuration.
func (s *Server) ServeSandboxTLS(name string) (url string, end func(), err error) {
	return s.serveSandbox(name, "https://127.0.0.1:0")
}

func (s *Server) serveSandbox(name, address string) (url string, end func(), err error) {
	l, err := s.listen(context.Background(), "sandbox "+name, address)
	if err != nil {
		return "", nil, err
	}
	l.http.Handler = s.idle.watch(s.bank.Only(name), nil)
	if !s.keep(l) {
		l.close()
		return "", nil, fmt.Errorf("sandbox %s listener: %w", name, http.ErrServerClosed)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := l.serve(); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("the listener of a sandbox failed", "sandbox", name, "error", err)
		}
	}()
	return l.url(), func() {
		s.mu.Lock()
		delete(s.own, l)
		s.mu.Unlock()
		l.close()
		<-ended
	}, nil
}

// keep adds a listener for one sandbox to those that end with the server, unless that has ended.
func (s *Server) keep(l *listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.own[l] = true
	}
	return !s.closed
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
