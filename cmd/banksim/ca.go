package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

type caCommand struct {
	Control    string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API of a running simulator listens, which has the certificate. Default: 127.0.0.1:8081."`
	ControlTLS bool   `name:"control-tls" help:"The control API speaks https, where --control has no scheme."`
	TLSCA      string `name:"tls-ca" placeholder:"DIR" help:"Directory that keeps the CA, instead of asking a simulator. It is made there if there is none."`
	Out        string `env:"-" default:"banksim-ca.pem" placeholder:"FILE" help:"File to write; - for standard output, without a word besides. Default: banksim-ca.pem."`
}

// maxCA is how long the answer with a certificate is at most, in bytes (choice).
const maxCA = 64 << 10

// Run writes the certificate of the CA, and prints how clients come to trust it.
func (c caCommand) Run(ctx context.Context, s streams) error {
	text, err := c.certificate(ctx)
	if err != nil {
		return err
	}
	cert, err := parseCertificate(text)
	if err != nil {
		return fmt.Errorf("what came is no certificate (%w): say with --control where the control API of a simulator listens", err)
	}
	if c.Out == "-" {
		_, err := s.out.Write(text)
		return err
	}
	file, err := filepath.Abs(c.Out)
	if err != nil {
		return err
	}
	if _, err := replaceFile(file, ".ca-*", text, 0o644, nil); err != nil {
		return wrongUse{fmt.Errorf("--out: %w", err)}
	}
	_, err = strings.NewReplacer(
		"{name}", cmp.Or(cert.Subject.CommonName, cert.Subject.String()),
		"{until}", cert.NotAfter.Format(time.DateOnly),
		"{sum}", fingerprint(cert),
		"{file}", shellQuoted(file),
	).WriteString(s.out, howToTrust)
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

// howToTrust is printed with what is in braces replaced.
const howToTrust = `wrote {file}: {name}, until {until}, SHA-256 {sum}

Trust it in tests alone: whoever has the private key of the CA can pass for any host.

curl      curl --cacert {file} https://…
Go        roots.AppendCertsFromPEM(data) for tls.Config{RootCAs: roots}; on Linux also SSL_CERT_FILE={file} go test ./…
Node      NODE_EXTRA_CA_CERTS={file} node …
Python    SSL_CERT_FILE={file} python …; for requests, REQUESTS_CA_BUNDLE={file}
Java      keytool -importcert -noprompt -alias banksim -file {file} -keystore banksim.p12 -storepass changeit
          java -Djavax.net.ssl.trustStore=banksim.p12 -Djavax.net.ssl.trustStorePassword=changeit …
Chromium  on Linux: certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n banksim -i {file}
Firefox   Settings, Privacy & Security, View Certificates, Authorities, Import
macOS     security add-trusted-cert -k ~/Library/Keychains/login.keychain-db {file}
Windows   certutil -user -addstore Root {file}
`
