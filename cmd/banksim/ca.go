package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

type caCommand struct {
	Control    string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens. Default: 127.0.0.1:8081."`
	ControlTLS bool   `name:"control-tls" help:"The control API speaks https, where --control has no scheme."`
	TLSCA      string `name:"tls-ca" placeholder:"DIR" help:"Directory that keeps the CA, instead of asking a simulator. It is made there once."`
}

// maxCA is how long the answer with a certificate is at most, in bytes (choice).
const maxCA = 64 << 10

// Run prints the certificate of the CA.
func (c caCommand) Run(ctx context.Context, s streams) error {
	text, err := c.certificate(ctx)
	if err != nil {
		return err
	}
	if _, err := parseCertificate(text); err != nil {
		return fmt.Errorf("what came is no certificate (%w): say with --control where the control API of a simulator listens", err)
	}
	_, err = s.out.Write(text)
	return err
}

func parseCertificate(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// certificate returns the certificate (PEM).
func (c caCommand) certificate(ctx context.Context) ([]byte, error) {
	if c.TLSCA != "" {
		certificates, err := tlsca.Open(tlsca.Config{Dir: c.TLSCA})
		if err != nil {
			return nil, wrongUse{fmt.Errorf("--tls-ca: %w", err)}
		}
		return certificates.CA(), nil
	}
	address, _ := fromLink(c.Control)
	base, err := controlURL(address, controlTLSFlags{ControlTLS: c.ControlTLS}.scheme())
	if err != nil {
		return nil, wrongUse{err}
	}
	// Nothing is trusted before the CA is. Nothing secret is sent, and the fingerprint can be compared with the log's.
	client := &controlClient{Client: api.NewClient(base, "", &tls.Config{InsecureSkipVerify: true})} //nolint:gosec // see above
	var text []byte
	err = client.read(ctx, "/ca.pem", func(body io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(body, maxCA))
		return err
	})
	return text, err
}

// fingerprint returns what people compare to see whether two certificates are the same.
func fingerprint(cert *x509.Certificate) string { return fmt.Sprintf("%x", sha256.Sum256(cert.Raw)) }
