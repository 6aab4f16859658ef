package main

import (
	"context"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// checkCommand is described at length in docs/conformance.md.
type checkCommand struct {
	BaseURL     string   `required:"" placeholder:"URL" help:"Base URL of the service."`
	Credentials string   `placeholder:"FILE" help:"JSON object: values of the golden exchanges, and the service's."`
	Dialect     string   `default:"document" enum:"document,public" help:"document or public. Default: ${default}."`
	Only        []string `placeholder:"NAME" help:"Only these, such as FAMILY.* or OPERATION/200-created."`
	AllowWrites bool     `help:"Also send requests that create something, which is deleted again."`
	Journeys    int      `placeholder:"N" help:"Also send N random sequences of requests about what they create."`
	Seed        uint64   `placeholder:"N" help:"Seed of the journeys, to repeat those of a report. Default: drawn."`
	Users       []string `placeholder:"USER" help:"Users for tests, such as 1001: the check may change their preferences."`
	DryRun      bool     `help:"List the requests that would be sent, and send none."`
	Scenario    string   `placeholder:"NAME|FILE" help:"Scenario with the service's behavior switches."`
	Ignore      []string `placeholder:"ENTRY" help:"Entries of the ledger whose drifts don't count."`
	Header      []string `sep:"none" placeholder:"NAME:VALUE" help:"A header of each request. Repeatable."`
	ClientCert  string   `and:"client" placeholder:"FILE" help:"Certificate by which the check authenticates (PEM)."`
	ClientKey   string   `and:"client" placeholder:"FILE" help:"Its private key (PEM)."`
	CA          string   `placeholder:"FILE" help:"Certificates that the service's must be signed by (PEM)."`
	Rate        float64  `placeholder:"N" help:"Maximum number of requests per second. Default: any."`
	Format      string   `default:"text" enum:"text,json,html,junit" placeholder:"FORMAT" help:"text, json, html or junit."`
}

// Validate refuses a seed of nothing.
func (c checkCommand) Validate(kctx *kong.Context) error {
	if c.Journeys != 0 {
		return nil
	}
	return refuseUseless(kctx, "without --journeys", "seed")
}

// Run replays the golden exchanges. It fails if an answer of the service differs from the simulator's, if an exchange
// could not be finished, or if something is left behind.
func (c checkCommand) Run(ctx context.Context, s streams) error {
	cfg, err := c.config(ctx, s)
	if err != nil {
		return wrongUse{err}
	}
	if c.DryRun {
		return conformance.DryRun(s.out, cfg)
	}
	cfg.Progress = s.line.start("exchanges")
	found, err := conformance.Run(ctx, cfg)
	if err != nil {
		return err
	}
	check := found.Check()
	if err := report.Write(s.out, report.Report{Version: version(), Check: check}, c.Format); err != nil {
		return err
	}
	failures, left := found.Errors(), check.LeftBehind
	switch {
	case ctx.Err() != nil:
		return errEndedEarly
	case len(failures) > 0:
		return fmt.Errorf("the check could not be finished: %s failed, the first is %s",
			wording.Count(len(failures), "exchange"), failures[0])
	case check.Stopped != "":
		return fmt.Errorf("the check could not be finished: %s", check.Stopped)
	case len(left) > 0:
		return fmt.Errorf("the check left something behind at the service: %s, the first is %s",
			wording.Count(len(left), "leftover"), left[0])
	case len(check.Findings) > 0:
		return fmt.Errorf("the service's answers differ from the simulator's: %s",
			wording.Count(len(check.Findings), "finding"))
	}
	return nil
}

// config returns the configuration that the flags make.
func (c checkCommand) config(ctx context.Context, s streams) (cfg conformance.Config, err error) {
	cfg = conformance.Config{
		BaseURL: c.BaseURL, Only: c.Only, Dialect: sim.Dialect(c.Dialect), AllowWrites: c.AllowWrites,
		Users: c.Users, Journeys: c.Journeys, Seed: c.Seed,
		Ignore: c.Ignore, Rate: c.Rate,
	}
	if c.Scenario != "" {
		sc, err := s.usableScenario(ctx, c.Scenario, s.loading())
		if err != nil {
			return cfg, err
		}
		cfg.Behavior = sc.World.Behavior()
	}
	read := func(flag, name string) (data []byte) {
		if name != "" && err == nil {
			if data, err = readFile(ctx, name); err != nil {
				err = fmt.Errorf("--%s: %w", flag, err)
			}
		}
		return data
	}
	credentials := read("credentials", c.Credentials)
	cert, key, ca := read("client-cert", c.ClientCert), read("client-key", c.ClientKey), read("ca", c.CA)
	if err != nil {
		return cfg, err
	}
	if c.Credentials != "" {
		if cfg.Credentials, err = conformance.ReadCredentials(credentials); err != nil {
			return cfg, fmt.Errorf("--credentials: %s: %w", c.Credentials, err)
		}
	}
	if cfg.Header, err = readHeader(c.Header); err != nil {
		return cfg, fmt.Errorf("--header: %w", err)
	}
	if cfg.TLS, err = readTLS(cert, key, ca); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}
