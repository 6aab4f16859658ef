package main

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// anyControlFlags name a control API whose certificate isn't checked.
type anyControlFlags struct {
	Control    string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens."`
	ControlTLS bool   `name:"control-tls" help:"The control API speaks https, where --control has no scheme."`
}

func (f anyControlFlags) client() (*controlClient, error) {
	address, _ := fromLink(f.Control)
	base, err := controlURL(address, controlTLSFlags{ControlTLS: f.ControlTLS}.scheme())
	if err != nil {
		return nil, wrongUse{err}
	}
	anyCertificate := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // nothing secret is sent
	return &controlClient{Client: api.NewClient(base, "", anyCertificate)}, nil
}

type caCommand struct {
	anyControlFlags
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
	client, err := c.client()
	if err != nil {
		return err
	}
	return client.copy(ctx, "/ca.pem", s.out)
}
