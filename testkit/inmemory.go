package testkit

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/pipe"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// controlHost is the host of the control API in memory.
const controlHost = "control.invalid"

// memory is a simulator without listeners.
type memory struct {
	bank *bankapi.Handler

	mu    sync.Mutex
	hosts map[string]*memoryHost

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
	m := &memory{bank: bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: silent}), hosts: map[string]*memoryHost{}}
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
		for _, h := range m.hosts {
			_ = h.server.Close()
		}
		m.mu.Unlock()
		sandboxes.Close()
		m.serving.Wait()
	}, nil
}

// serve serves a host until end is called.
func (m *memory) serve(host string, handler http.Handler) (end func()) {
	h := &memoryHost{
		pipe.Listen(),
		&http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute},
	}
	m.mu.Lock()
	m.hosts[host] = h
	m.mu.Unlock()
	m.serving.Go(func() { _ = h.server.Serve(h.Listener) })
	return func() { _ = h.server.Close() }
}

// memoryHost is a server, and the listener whose connections it accepts.
type memoryHost struct {
	*pipe.Listener
	server *http.Server
}

// dial connects a client to a host.
func (m *memory) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := strings.Cut(address, ":")
	m.mu.Lock()
	h := m.hosts[host]
	m.mu.Unlock()
	if h == nil {
		return nil, fmt.Errorf("testkit: a bank in memory has no host %s: its BaseURL is the only one", host)
	}
	return h.Dial(ctx)
}
