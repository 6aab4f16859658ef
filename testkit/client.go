package testkit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// appTimeout limits how long a request of an app may take, see Bank.Client.
const appTimeout = 30 * time.Second

// newAppClient returns a client for an app under test. It leads hosts to the bank, and uses no proxy, because a proxy
// can't reach a simulator that runs for the test.
func newAppClient(e endpoint, sandbox string, hosts []string, httpsURL string) *http.Client {
	dial := (&net.Dialer{}).DialContext
	if e.dial != nil {
		dial = e.dial
	}
	transport := &http.Transport{DialContext: dial, ForceAttemptHTTP2: true}
	if e.ca != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(e.ca)
	}
	client := &http.Client{Timeout: appTimeout, Transport: transport}
	if len(hosts) == 0 {
		return client
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !isOneOf(hosts, host) {
			return dial(ctx, network, address)
		}
		if port != "443" {
			return nil, fmt.Errorf(
				"testkit: AsHost leads https://%s to the bank, and not port %s: nothing was sent", host, port,
			)
		}
		bank, err := url.Parse(httpsURL)
		if err != nil {
			return nil, err
		}
		return dial(ctx, network, bank.Host)
	}
	if e.listen == nil { // otherwise the port says which bank it is
		client.Transport = hostHeader{hosts, sandbox, transport}
	}
	return client
}

// isOneOf reports whether a host is one of hosts, in any case and with a dot at the end or without.
func isOneOf(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(one string) bool {
		return strings.EqualFold(strings.TrimSuffix(one, "."), strings.TrimSuffix(host, "."))
	})
}

// hostHeader adds the name of a bank to requests to its hosts, as a header: they arrive on the listener of all banks.
type hostHeader struct {
	hosts   []string
	sandbox string
	*http.Transport
}

// RoundTrip sends a request.
func (n hostHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isOneOf(n.hosts, r.URL.Hostname()) {
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
