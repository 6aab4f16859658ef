package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// checkCommand is described at length in docs/conformance.md.
type checkCommand struct {
	BaseURL     string   `name:"base-url" required:"" placeholder:"URL" help:"Address of the service: paths of the interface are appended."`
	Credentials string   `placeholder:"FILE" help:"JSON object: values of the golden exchanges (demo-token, 1001, …), and the service's."`
	Dialect     string   `default:"document" enum:"document,public" help:"Whose golden exchanges are replayed: ${enum}."`
	Only        []string `placeholder:"NAME" help:"Only these operations or exchanges, such as FAMILY.* or OPERATION/200-created."`
	AllowWrites bool     `help:"Also send requests that create something, which is deleted again."`
	DryRun      bool     `help:"List the requests that would be sent, and send none."`
	Scenario    string   `placeholder:"NAME|FILE" help:"Scenario with the service's behavior switches. Default: the defaults."`
	Ignore      []string `placeholder:"ENTRY" help:"Entries of the ledger whose drifts don't count."`
	Header      []string `sep:"none" placeholder:"NAME:VALUE" help:"A header for every request, such as a gateway's key. Repeatable."`
	ClientCert  string   `and:"client" placeholder:"FILE" help:"Certificate by which the check authenticates to the service (PEM)."`
	ClientKey   string   `and:"client" placeholder:"FILE" help:"Its private key (PEM)."`
	CA          string   `name:"ca" placeholder:"FILE" help:"Certificates that the service's must be signed by (PEM)."`
	Rate        float64  `placeholder:"N" help:"Maximum number of requests per second. Default: any."`
	Report      string   `default:"text" enum:"text,json,junit" help:"Format of the report: ${enum}."`
}

// Run replays the golden exchanges. It fails if an answer of the service differs from the simulator's, or an exchange
// could not be finished.
func (c checkCommand) Run(ctx context.Context, s streams) error {
	cfg, err := c.config(ctx, s)
	if err != nil {
		return wrongUse{err}
	}
	if c.DryRun {
		return conformance.DryRun(s.out, cfg)
	}
	cfg.Progress = s.line.start("exchanges")
	report, err := conformance.Run(ctx, cfg)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer) error{"text": report.WriteText, "json": report.WriteJSON, "junit": report.WriteJUnit}[c.Report]
	if err := write(s.out); err != nil {
		return err
	}
	failures := report.Errors()
	switch drifts := len(report.Drifts()); {
	case ctx.Err() != nil:
		return errEndedEarly
	case len(failures) > 0:
		return fmt.Errorf("the check could not be finished: %d exchanges failed, the first is %s", len(failures), failures[0])
	case report.Stopped != "":
		return fmt.Errorf("the check could not be finished: %s", report.Stopped)
	case drifts > 0:
		return fmt.Errorf("the service's answers differ from the simulator's in %d places", drifts)
	}
	return nil
}

// config returns the configuration that the flags make.
func (c checkCommand) config(ctx context.Context, s streams) (cfg conformance.Config, err error) {
	cfg = conformance.Config{BaseURL: c.BaseURL, Only: c.Only, Dialect: sim.Dialect(c.Dialect), AllowWrites: c.AllowWrites,
		Ignore: c.Ignore, Rate: c.Rate}
	read := map[string][]byte{} // by flag; nil where it isn't given
	files := map[string]string{"credentials": c.Credentials, "client-cert": c.ClientCert, "client-key": c.ClientKey, "ca": c.CA}
	for flag, name := range files {
		if name == "" {
			continue
		}
		if read[flag], err = readFile(ctx, name, maxDocument); err != nil {
			return cfg, fmt.Errorf("--%s: %w", flag, err)
		}
	}
	if c.Credentials != "" {
		if cfg.Credentials, err = conformance.ReadCredentials(read["credentials"]); err != nil {
			return cfg, fmt.Errorf("--credentials: %s: %w", c.Credentials, err)
		}
	}
	if c.Scenario != "" {
		sc, err := loadScenario(ctx, c.Scenario, s.loading())
		if errors.As(err, new(scenario.Problems)) {
			return cfg, err
		} else if err != nil {
			return cfg, fmt.Errorf("--scenario: %w", err)
		}
		cfg.Behavior = sc.World.Behavior()
	}
	if cfg.Header, err = conformance.ReadHeader(c.Header); err != nil {
		return cfg, fmt.Errorf("--header: %w", err)
	}
	if cfg.TLS, err = conformance.ReadTLS(read["client-cert"], read["client-key"], read["ca"]); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}
