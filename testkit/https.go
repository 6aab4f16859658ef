package testkit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// HTTPSURL returns the base URL of the bank for https, over HTTP/1.1 and HTTP/2. It is as [Bank.BaseURL] is in all else. Its
// certificate is of a CA that the simulator has made for itself: [Bank.Client] trusts that, and an app of another kind does if
// it is given [Bank.CACert].
func (b *Bank) HTTPSURL() string {
	b.t.Helper()
	if b.httpsURL == "" {
		b.t.Fatalf("testkit: no https listener of the simulator is known: start it with --tls-listen, and give what testkit.On takes a method HTTPSURL")
	}
	return b.httpsURL
}

// CACert returns the certificate, as PEM, of the CA that clients of [Bank.HTTPSURL] must trust. An app in another process takes
// it from a file: curl by --cacert, Node by the environment variable NODE_EXTRA_CA_CERTS, Go on Linux by SSL_CERT_FILE. It
// stays the same while the simulator runs.
func (b *Bank) CACert() []byte {
	b.t.Helper()
	if b.simulator.ca == nil {
		b.t.Fatalf("testkit: the simulator has no CA: it speaks no https, or by a certificate that it was given")
	}
	return slices.Clone(b.simulator.ca)
}

// trusting returns the configuration of a client that trusts a CA and no other; nil: those of the system.
func trusting(ca []byte) *tls.Config {
	if ca == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &tls.Config{RootCAs: roots}
}

// maxCertificate is how many bytes of a certificate are read.
const maxCertificate = 64 << 10

// askForHTTPS asks a simulator that a test was given for the certificate of its CA, which it may not have, and whether a header may
// name a sandbox.
func (s *simulator) askForHTTPS(ctx context.Context) error {
	client := api.NewClient(s.control, s.token, nil)
	defer client.Close()
	answer, err := client.Open(ctx, http.MethodGet, "/ca.pem", nil)
	var refusal *api.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound: // it has none
	case err != nil:
		return fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
	default:
		s.ca, err = io.ReadAll(io.LimitReader(answer, maxCertificate))
		if err := errors.Join(err, answer.Close()); err != nil {
			return fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
		}
	}
	var info struct{ SandboxHeader bool }
	if err := client.Get(ctx, "/v1/info", &info); err != nil {
		return fmt.Errorf("asking what the simulator is like: %w", err)
	}
	s.header = info.SandboxHeader
	return nil
}
