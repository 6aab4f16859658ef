package testkit

import (
	"context"
	"log/slog"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// version is that of the simulator in the process of the test binary, as it states it.
const version = "testkit"

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
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	srv, err := server.Start(context.Background(), server.Config{
		Service:      "127.0.0.1:0",
		Control:      "127.0.0.1:0",
		Certificates: certificates,
		Sandboxes:    sandboxes,
		NoDefault:    true, // a request that names no bank reaches none
		Version:      version,
		Log:          slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return simulator{}, err
	}
	return simulator{
		service: srv.ServiceURL(), ca: srv.CA(), control: srv.ControlURL(),
		serve: srv.ServeSandbox, serveTLS: srv.ServeSandboxTLS,
		met: func() coverage.Run { return sandboxes.Coverage().Run(version) },
	}, nil
})
