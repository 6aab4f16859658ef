package main

import (
	"context"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

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
	certificate, err := client.read(ctx, "/ca.pem")
	if err == nil {
		_, err = s.out.Write(certificate)
	}
	return err
}
