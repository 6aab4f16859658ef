package testkit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// HTTPSURL returns the base URL of the bank for https, over HTTP/1.1 and HTTP/2. It is as [Bank.BaseURL] is in all else. Its
// certificate is of a CA that the simulator has made for itself: [Bank.Client] trusts that, and an app of another kind does if
// it is given [Bank.CACert].
func (b *Bank) HTTPSURL() string {
	b.t.Helper()
	if b.httpsURL == "" {
		b.t.Fatalf("testkit: no https listener of the simulator is known: start it with --listen https://ADDRESS, too, " +
			"and give what testkit.On takes a method HTTPSURL")
	}
	return b.httpsURL
}

// CACert returns the certificate, as PEM, of the CA that clients of [Bank.HTTPSURL] must trust. An app in another process takes
// it from a file: curl by --cacert, Node by the environment variable NODE_EXTRA_CA_CERTS, Go on Linux by SSL_CERT_FILE. It
// stays the same while the simulator runs.
func (b *Bank) CACert() []byte {
	b.t.Helper()
	if b.simulator.CA == nil {
		b.t.Fatalf("testkit: the simulator has no CA: it speaks no https, or by a certificate that it was given")
	}
	return slices.Clone(b.simulator.CA)
}

// askForHTTPS asks a simulator that a test was given for the certificate of its CA, which it may not have.
func (s *simulator) askForHTTPS(ctx context.Context) error {
	client := api.NewClient(s.Control, s.Token, nil)
	defer client.Close()
	var err error
	var refusal *api.Refusal
	if s.CA, err = client.Read(ctx, http.MethodGet, "/ca.pem", nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil // it has none
	} else if err != nil {
		return fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
	}
	return nil
}

// AsHost makes [Bank.Client] lead hosts to the bank, for an app whose bank is a fixed host: a request to
// https://api.bank.example/… reaches this bank and no other, though tests run at the same time that give the host banks of
// their own. The app need not be changed, but it has to use the client or its transport. Nothing that the client sends to such a
// host goes anywhere else: at another port than 443, such as that of http, its requests fail.
//
// The bank sees such a request as the app sends it: in process, because it has a port of its own, and elsewhere with a header that
// names it.
func AsHost(hosts ...string) Option {
	return func(s *settings) { s.hosts = append(s.hosts, hosts...) }
}

// checkHosts returns an error if one of the hosts of AsHost isn't a name.
func (s settings) checkHosts() error {
	for _, host := range s.hosts {
		if net.ParseIP(host) != nil || strings.Contains(host, "*") || tlsca.CheckHost(host) != nil {
			return fmt.Errorf("AsHost takes the names of hosts, without scheme and port, such as api.bank.example: %q is none", host)
		}
	}
	return nil
}

// hostSet are hosts that lead to a bank.
type hostSet []string

func (s hostSet) has(host string) bool {
	return slices.ContainsFunc(s, func(one string) bool {
		return strings.EqualFold(strings.TrimSuffix(one, "."), strings.TrimSuffix(host, "."))
	})
}

// newAppClient returns a client for an app under test, for which hosts lead to its bank.
func newAppClient(s simulator, sandbox string, hosts hostSet, httpsURL string) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // none of the environment reaches a simulator that runs for the test, though its host may be a remote engine's
	if s.CA != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(s.CA)
	}
	if s.dial != nil {
		transport.DialContext = s.dial
	}
	client := &http.Client{Timeout: appTimeout, Transport: transport}
	if len(hosts) == 0 {
		return client
	}
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !hosts.has(host) {
			return dial(ctx, network, address)
		}
		if port != "443" {
			return nil, fmt.Errorf("testkit: AsHost leads https://%s to the bank, and not port %s: nothing was sent", host, port)
		}
		bank, err := url.Parse(httpsURL)
		if err != nil {
			return nil, err
		}
		return dial(ctx, network, bank.Host)
	}
	if s.serve == nil { // else its port says which bank it is
		client.Transport = naming{hosts, sandbox, transport}
	}
	return client
}

// naming adds the name of a bank to requests to its hosts, as a header: the listener on which they arrive is that of all banks.
type naming struct {
	hosts   hostSet
	sandbox string
	*http.Transport
}

// RoundTrip sends a request.
func (n naming) RoundTrip(r *http.Request) (*http.Response, error) {
	if !n.hosts.has(r.URL.Hostname()) {
		return n.Transport.RoundTrip(r)
	}
	sent := r.Clone(r.Context())
	sent.Header.Set(contract.SandboxHeader, n.sandbox)
	res, err := n.Transport.RoundTrip(sent)
	if res != nil {
		res.Request = r
	}
	return res, err
}
