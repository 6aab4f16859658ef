package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
)

// ServeSandbox serves one sandbox on a listener of its own, on loopback, and returns its URL. That is another base
// URL of the sandbox, without a path that a client could drop, and leads to no other sandbox. The listener ends with
// the server, or by a call of end. end cuts off open requests and can be called again. If the sandbox is deleted, the
// listener stays and answers that there is no such sandbox. A secure one speaks https, by the certificates of the
// server's configuration.
func (s *Server) ServeSandbox(name string, secure bool) (url string, end func(), err error) {
	address := "127.0.0.1:0"
	if secure {
		address = "https://" + address
	}
	p, err := openPort(context.Background(), "sandbox "+name, address)
	if err != nil {
		return "", nil, err
	}
	l, err := s.newListener("sandbox "+name, p)
	if err != nil {
		return "", nil, err
	}
	l.serveBank(s.idle.watch(s.bank.Only(name), nil))
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.own[l] = true
	}
	s.mu.Unlock()
	if closed {
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

// takeOwn returns the listeners for one sandbox each. No other is added from now on.
func (s *Server) takeOwn() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return slices.Collect(maps.Keys(s.own))
}
