package testkit

import (
	"context"
	"log/slog"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// sharedServer starts the simulator in the process of the test binary, and it ends with that.
var sharedServer = sync.OnceValues(func() (simulator, error) {
	sc, err := scenario.Load("retail")
	if err != nil {
		return simulator{}, err
	}
	// Clients ask for any name: see AsHost.
	certificates, err := tlsca.Open(tlsca.Config{Hosts: []string{"*"}})
	if err != nil {
		return simulator{}, err
	}
	srv, err := server.Start(context.Background(), server.Config{
		Service:      "127.0.0.1:0",
		Control:      "127.0.0.1:0",
		Certificates: certificates,
		Sandboxes:    sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
		NoDefault:    true, // a request that names no bank reaches none
		Version:      "testkit",
		Log:          slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return simulator{}, err
	}
	return simulator{
		service: srv.ServiceURL(), ca: srv.CA(), control: srv.ControlURL(),
		serve: srv.ServeSandbox, serveTLS: srv.ServeSandboxTLS,
	}, nil
})
