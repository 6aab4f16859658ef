package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

// controlTLSFlags are about a control API that speaks https.
type controlTLSFlags struct {
	ControlTLS bool   `name:"control-tls" help:"The control API speaks https, where --control has no scheme."`
	ControlCA  string `name:"control-ca" placeholder:"FILE" help:"Certificates that that of the control API must be signed by (PEM). Default: the system's; on loopback any."`
}

// scheme returns the scheme of a control API at an address.
func (f controlTLSFlags) scheme() string {
	if f.ControlTLS {
		return "https"
	}
	return "http"
}

// transport returns a transport to a control API.
func (f controlTLSFlags) transport(base string) (*http.Transport, error) {
	// Proxies of the environment are not for this machine.
	transport := &http.Transport{DisableKeepAlives: true}
	u, err := url.Parse(base)
	if err != nil {
		return nil, wrongUse{err}
	}
	switch {
	case f.ControlCA != "":
		if transport.TLSClientConfig, err = conformance.ReadTLS("", "", f.ControlCA); err != nil {
			return nil, wrongUse{fmt.Errorf("--control-ca: %w", err)}
		}
	case isLoopback(u.Hostname()): // where http, of which nothing is checked, would do as well
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // see above
	}
	return transport, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
