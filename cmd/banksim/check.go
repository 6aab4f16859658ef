package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type checkCommand struct {
	BaseURL       string            `name:"base-url" required:"" placeholder:"URL" help:"Address of the service: every path of the interface is appended to it."`
	BaseURLFor    map[string]string `name:"base-url-for" mapsep:"none" placeholder:"FAMILY=URL" help:"Another address for the operations of a family, such as groups=https://groups.bank.example. Repeatable."`
	Credentials   string            `placeholder:"FILE" help:"JSON object that maps values of the golden exchanges (demo-token, 1001, …) to those of the service. Exchanges with other values are skipped. Default: the service is a simulator on the scenario retail."`
	Dialect       string            `default:"document" enum:"document,public" help:"Whose golden exchanges are replayed: those at the prefixed paths of the interface's document, or those at the bare paths of the public API description."`
	Only          []string          `placeholder:"NAME" help:"Only these operations or exchanges, such as ${family}.* or ${operation}/200-created."`
	AllowWrites   bool              `help:"Also send requests that may create groups, alert preferences and tokens. They are deleted and revoked; the report lists what is left."`
	DryRun        bool              `help:"List the requests that would be sent, and send none."`
	Scenario      string            `placeholder:"NAME|FILE" help:"Scenario with the service's behavior switches: it is expected to answer as a simulator with these. Default: the defaults."`
	Behavior      []string          `sep:"none" placeholder:"KEY=VALUE" help:"A behavior switch that the service has, besides those of the scenario, such as groups.createStatus=201. Repeatable."`
	Ignore        []string          `placeholder:"ENTRY" help:"Entries of the ledger whose drifts don't count."`
	Baseline      string            `placeholder:"FILE" help:"Drifts that are known: only others count."`
	WriteBaseline string            `placeholder:"FILE" help:"Write the drifts to this file, as a baseline for later checks, and succeed in spite of them."`
	Header        []string          `sep:"none" placeholder:"NAME:VALUE" help:"A header for every request, such as one that a gateway wants. Repeatable."`
	ClientCert    string            `and:"client" placeholder:"FILE" help:"Certificate by which the check authenticates to the service (PEM)."`
	ClientKey     string            `and:"client" placeholder:"FILE" help:"Its private key (PEM)."`
	CA            string            `name:"ca" placeholder:"FILE" help:"Certificates that the service's own must be signed by, instead of the system's (PEM)."`
	Rate          float64           `placeholder:"N" help:"Maximum number of requests per second. Default: any."`
	Report        string            `default:"text" enum:"text,json,junit" help:"Format of the report: ${enum}."`
}

// Run replays the golden exchanges. It fails if an answer of the service differs from the simulator's, or an exchange
// could not be finished.
func (c checkCommand) Run(ctx context.Context, s streams) (err error) {
	cfg, err := c.config(ctx)
	if err != nil {
		return wrongUse{err}
	}
	if c.DryRun {
		return c.dryRun(cfg, s.out)
	}
	report, err := conformance.Run(ctx, cfg)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer) error{"text": report.WriteText, "json": report.WriteJSON, "junit": report.WriteJUnit}[c.Report]
	if err := write(s.out); err != nil {
		return err
	}
	if c.WriteBaseline != "" {
		if err := writeBaseline(c.WriteBaseline, report.Baseline(cfg.Baseline)); err != nil {
			return err
		}
	}
	return c.verdict(report)
}

// verdict returns an error if the check has found differences, or could not be finished.
func (c checkCommand) verdict(report conformance.Report) error {
	drifts, failures := len(report.Drifts()), report.Errors()
	if c.WriteBaseline != "" {
		drifts = 0
	}
	switch {
	case len(failures) > 0:
		return fmt.Errorf("the check could not be finished: %d exchanges failed, the first is %s", len(failures), failures[0])
	case report.Stopped != "":
		return fmt.Errorf("the check could not be finished: %s", report.Stopped)
	case drifts > 0:
		return fmt.Errorf("the service's answers differ from the simulator's in %d places", drifts)
	}
	return nil
}

// dryRun prints what would be sent.
func (c checkCommand) dryRun(cfg conformance.Config, out io.Writer) error {
	plan, err := conformance.DryRun(cfg)
	if err != nil {
		return err
	}
	if c.Report == "json" {
		return plan.WriteJSON(out)
	}
	return plan.WriteText(out)
}

// config returns the configuration that the flags make. It opens nothing for writing.
func (c checkCommand) config(ctx context.Context) (cfg conformance.Config, err error) {
	cfg = conformance.Config{BaseURL: c.BaseURL, BaseURLs: c.BaseURLFor, Only: c.Only, Dialect: sim.Dialect(c.Dialect), AllowWrites: c.AllowWrites, Ignore: c.Ignore, Rate: c.Rate}
	if c.DryRun && (c.Report == "junit" || c.WriteBaseline != "") {
		return cfg, errors.New("--dry-run sends nothing, so there is nothing for --report junit and --write-baseline: leave them out")
	}
	read := map[string][]byte{} // by flag; nil where it isn't given
	for flag, name := range map[string]string{"credentials": c.Credentials, "baseline": c.Baseline, "client-cert": c.ClientCert, "client-key": c.ClientKey, "ca": c.CA} {
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
	if c.Baseline != "" {
		if cfg.Baseline, err = conformance.ReadBaseline(read["baseline"]); err != nil {
			return cfg, fmt.Errorf("--baseline: %s: %w", c.Baseline, err)
		}
	}
	if c.WriteBaseline != "" {
		if folder, err := os.Stat(filepath.Dir(c.WriteBaseline)); err != nil || !folder.IsDir() {
			return cfg, fmt.Errorf("--write-baseline: there is no folder %s for the file: create it", filepath.Dir(c.WriteBaseline))
		}
	}
	if cfg.Behavior, err = conformance.Behavior(c.Scenario, c.Behavior); err != nil {
		var problems scenario.Problems
		if errors.As(err, &problems) {
			return cfg, err
		}
		return cfg, fmt.Errorf("expected behavior: %w", err)
	}
	if cfg.Header, err = conformance.ReadHeader(c.Header); err != nil {
		return cfg, fmt.Errorf("--header: %w", err)
	}
	if cfg.TLS, err = conformance.ReadTLS(read["client-cert"], read["client-key"], read["ca"]); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

// writeBaseline replaces a baseline, or leaves it as it is.
func writeBaseline(name string, b conformance.Baseline) error {
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if err := writeFile(name, data, plainMode); err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	return nil
}
