package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/mcp"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// mcpCommand is described at length in docs/agents.md.
type mcpCommand struct {
	Scenario     string `xor:"bank" placeholder:"NAME|FILE" help:"Scenario of an own simulator. Default: retail."`
	Control      string `xor:"bank" placeholder:"ADDRESS|URL" help:"Control API of a running simulator. Default: an own one."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	controlTLSFlags
}

// Run serves the Model Context Protocol on standard input and output until the input ends.
func (c mcpCommand) Run(ctx context.Context, s streams) error {
	if c.Control == "" {
		c.Scenario = cmp.Or(c.Scenario, contract.ExampleScenario)
		sc, err := s.usableScenario(ctx, c.Scenario, s.loading())
		if err != nil {
			return err
		}
		banks := sandbox.Config{Scenario: sc}
		if c.Scenario == contract.ExampleScenario {
			seed := contract.ExampleSeed
			banks.Seed = &seed // so that the default sandbox accepts the examples, too
		}
		srv, err := server.Start(ctx, server.Config{
			Listen: []string{"127.0.0.1:0"}, Control: "127.0.0.1:0", ControlToken: c.ControlToken, Version: version(),
			Sandboxes: sandbox.NewRegistry(banks), Inference: infer.Inference(), Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return err
		}
		defer srv.Close()
		c.Control = srv.ControlURL()
		_, _ = fmt.Fprintf(s.err, "banksim: the bank is at %s, and what it is asked shows %s\n",
			srv.ServiceURL(), srv.ConsoleURL())
	}
	client, err := controlFlags{c.Control, c.ControlToken, c.controlTLSFlags}.client(ctx, "")
	if err != nil {
		return err
	}
	agent, err := mcp.New(ctx, client.Client, version(), readFile)
	if err != nil {
		return err
	}
	return agent.Run(ctx, mcp.Lines(s.in, s.out))
}

// agents returns what serves the Model Context Protocol on the control listener: it calls the control API from there,
// with the token of its caller.
func agents(srv *server.Server) http.Handler {
	own := &tls.Config{InsecureSkipVerify: true}
	return mcp.Handler(api.NewClient(srv.ControlURL(), "", own), version())
}
