package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

type stateCommand struct {
	controlFlags
	AsScenario bool `env:"-" help:"Print a scenario that loads to an equal bank, instead of JSON."`
}

// Run prints what a sandbox of a running simulator holds.
func (c stateCommand) Run(ctx context.Context, s streams) error {
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	if c.AsScenario {
		return client.print(ctx, s, client.inSandbox("/state?format=scenario"))
	}
	return client.print(ctx, s, client.inSandbox("/state"))
}

// print prints what GET answers, JSON with one member a line.
func (c *controlClient) print(ctx context.Context, s streams, path string) error {
	answer, err := c.Read(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if json.Indent(&indented, answer, "", "  ") == nil {
		answer = indented.Bytes()
	}
	_, err = s.out.Write(answer)
	return err
}

type caCommand struct {
	controlFlags
	TLSCA string `name:"tls-ca" placeholder:"DIR" help:"Directory of the CA, instead of a simulator. One is made there if there is none."`
}

// Run prints the certificate of the CA. The fingerprint in the log tells whether it is the right one.
func (c caCommand) Run(ctx context.Context, s streams) error {
	if c.TLSCA != "" {
		certificates, err := tlsca.Open(tlsca.Config{Dir: c.TLSCA, Read: documentReader(ctx)})
		if err != nil {
			return wrongUse{fmt.Errorf("--tls-ca: %w", err)}
		}
		_, err = s.out.Write(certificates.CA())
		return err
	}
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	return client.print(ctx, s, "/ca.pem")
}

type healthcheckCommand struct{ controlFlags }

// Run succeeds if the simulator is ready.
func (c healthcheckCommand) Run(ctx context.Context, s streams) error {
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	if err := client.Get(ctx, "/readyz", nil); err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	_, err = fmt.Fprintln(s.out, "ready")
	return err
}
