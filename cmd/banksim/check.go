package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

type checkCommand struct {
	BaseURL     string   `name:"base-url" required:"" placeholder:"URL" help:"Address of the service: every path of the interface is appended to it."`
	Credentials string   `placeholder:"FILE" help:"JSON object that maps values of the golden exchanges (demo-token, 1001, …) to those of the service. Exchanges with other values are skipped. Default: the service is a simulator on the scenario retail."`
	Only        []string `placeholder:"NAME" help:"Only these operations or exchanges, such as ${family}.* or ${operation}/200-created."`
	Report      string   `default:"text" enum:"text,json,junit" help:"Format of the report: ${enum}."`
	AllowWrites bool     `help:"Also send requests that may change the service's data. Changes that the interface can undo are undone; the report lists the others."`
	Record      string   `placeholder:"FILE" help:"Write the answers of the service to this file, redacted, as lines of JSON."`
}

// Run replays the golden exchanges. It fails if an answer of the service differs from the simulator's.
func (c checkCommand) Run(ctx context.Context, s streams) (err error) {
	cfg := conformance.Config{BaseURL: c.BaseURL, Only: c.Only, AllowWrites: c.AllowWrites}
	if c.Credentials != "" {
		data, err := os.ReadFile(c.Credentials)
		if err != nil {
			return wrongUse{fmt.Errorf("credentials: %w", err)}
		}
		if cfg.Credentials, err = conformance.ReadCredentials(data); err != nil {
			return wrongUse{fmt.Errorf("credentials: %s: %w", c.Credentials, err)}
		}
	}
	if err := cfg.Validate(); err != nil {
		return wrongUse{err}
	}
	if c.Record != "" {
		file, err := os.OpenFile(c.Record, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return wrongUse{fmt.Errorf("record: %w", err)}
		}
		defer func() {
			if closed := file.Close(); err == nil {
				err = closed
			}
		}()
		cfg.Record = file
	}
	report, err := conformance.Run(ctx, cfg)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer) error{"text": report.WriteText, "json": report.WriteJSON, "junit": report.WriteJUnit}[c.Report]
	if err := write(s.out); err != nil {
		return err
	}
	if drifts := len(report.Drifts()); drifts > 0 {
		return fmt.Errorf("the service's answers differ from the simulator's in %d places", drifts)
	}
	return nil
}
