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
	path := "/state"
	if c.AsScenario {
		path += "?format=scenario"
	}
	state, err := client.Read(ctx, http.MethodGet, client.inSandbox(path), nil)
	if err != nil {
		return err
	}
	printed := bytes.NewBuffer(state)
	if !c.AsScenario {
		printed = &bytes.Buffer{}
		if err := json.Indent(printed, state, "", "  "); err != nil {
			return err
		}
	}
	_, err = printed.WriteTo(s.out)
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
	certificate, err := client.Read(ctx, http.MethodGet, "/ca.pem", nil)
	if err == nil {
		_, err = s.out.Write(certificate)
	}
	return err
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
