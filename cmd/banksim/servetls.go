package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// certificates opens the certificates that the flags describe; nil: nothing speaks https. The hosts that the interface answers
// to by --host and --sandbox-hosts have some, too.
func (c serveCommand) certificates() (*tlsca.Certificates, error) {
	used := c.TLSListen != "" || c.ControlTLS
	own := c.TLSCert != "" || c.TLSKey != ""
	switch {
	case !used && (own || c.TLSCA != "" || len(c.TLSHosts) > 0):
		return nil, errors.New("--tls-hosts, --tls-ca, --tls-cert and --tls-key are about https, which nothing speaks: add --tls-listen ADDRESS or --control-tls, or leave them out")
	case !used:
		return nil, nil
	case own && (c.TLSCert == "" || c.TLSKey == ""):
		return nil, errors.New("--tls-cert and --tls-key belong together: give both, or none for certificates of a CA of the simulator")
	case own && (c.TLSCA != "" || len(c.TLSHosts) > 0):
		return nil, errors.New("--tls-cert is used for every name, so --tls-ca and --tls-hosts would have no effect: leave them out, or --tls-cert and --tls-key")
	}
	for _, host := range c.TLSHosts {
		if err := tlsca.CheckHost(host); err != nil {
			return nil, fmt.Errorf("--tls-hosts %w", err)
		}
	}
	hosts := slices.Concat(c.TLSHosts, c.SandboxHosts)
	for _, host := range c.Host {
		if host = strings.Trim(host, "[]"); tlsca.CheckHost(host) == nil {
			hosts = append(hosts, host)
		}
	}
	certificates, err := tlsca.Open(tlsca.Config{Hosts: hosts, Dir: c.TLSCA, CertFile: c.TLSCert, KeyFile: c.TLSKey})
	switch {
	case err == nil:
		return certificates, nil
	case own:
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	return nil, fmt.Errorf("--tls-ca: %w", err)
}

// logCertificates logs which names have certificates, and what clients must trust.
func (c serveCommand) logCertificates(log *slog.Logger, srv *server.Server, certificates *tlsca.Certificates) {
	switch {
	case certificates == nil:
	case certificates.CA() == nil:
		log.Info("https certificate", "file", c.TLSCert)
	default:
		about := []any{"hosts", strings.Join(certificates.Hosts(), ","), "ca", srv.ControlURL() + "/ca.pem"}
		if ca, err := parseCertificate(certificates.CA()); err == nil { // it is one
			about = append(about, "sha256", fingerprint(ca))
		}
		log.Info("https certificates", about...)
	}
}
