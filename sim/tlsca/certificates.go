package tlsca

import (
	"crypto/tls"
	"errors"
	"os"
	"slices"
	"time"
)

// Config says where certificates come from: from a CA in memory, unless it names something else.
type Config struct {
	// Hosts are the names and addresses that certificates are for, besides those of this machine; see CheckHost.
	Hosts []string
	// Dir is the directory in which the CA is kept. Empty: in none.
	Dir string
	// CertFile and KeyFile hold a certificate and its private key (PEM), which are used instead of a CA.
	CertFile, KeyFile string

	Now  func() time.Time                  // nil: time.Now
	Read func(file string) ([]byte, error) // nil: os.ReadFile, which reads whatever there is
}

// Certificates are what a listener needs to speak TLS. All methods are safe for use by many goroutines.
type Certificates struct {
	ca     []byte   // PEM; nil: there is none
	hosts  []string // nil: it isn't known
	source func(*tls.ClientHelloInfo) (*tls.Certificate, error)
}

// Open opens the certificates. A CA that a directory is to keep, and that isn't there yet, is made.
func Open(cfg Config) (*Certificates, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Read == nil {
		cfg.Read = os.ReadFile
	}
	if cfg.CertFile != "" || cfg.KeyFile != "" {
		return openOwn(cfg)
	}
	for _, host := range cfg.Hosts {
		if err := CheckHost(host); err != nil {
			return nil, err
		}
	}
	authority, err := cfg.authority()
	if err != nil {
		return nil, err
	}
	hosts := append(ownHosts(), cfg.Hosts...)
	slices.Sort(hosts)
	hosts = slices.Compact(hosts)
	leaves := newLeaves(authority, hosts, cfg.Now)
	if _, err := leaves.of(""); err != nil {
		return nil, err
	}
	return &Certificates{ca: authority.pem, hosts: hosts, source: leaves.get}, nil
}

func (c Config) authority() (*authority, error) {
	if c.Dir == "" {
		return newAuthority(c.Now())
	}
	return c.keptAuthority()
}

func openOwn(cfg Config) (*Certificates, error) {
	switch {
	case cfg.CertFile == "" || cfg.KeyFile == "":
		return nil, errors.New("a certificate and its key belong together: name both files")
	case cfg.Dir != "" || len(cfg.Hosts) > 0:
		return nil, errors.New("there is a certificate, so none is made: name no directory of a CA, and no hosts")
	}
	own, err := newOwn(cfg)
	if err != nil {
		return nil, err
	}
	return &Certificates{source: own.get}, nil
}

// CA returns the certificate of the CA (PEM), which clients must trust. Nil: the certificate that was given has another one.
func (c *Certificates) CA() []byte { return slices.Clone(c.ca) }

// Hosts returns the names and addresses that certificates are for, sorted. Nil: those of the certificate that was given.
func (c *Certificates) Hosts() []string { return slices.Clone(c.hosts) }

// TLS returns the configuration of a listener. Where there is no certificate for the name that a client asks for, it calls
// unknown with the name, and the handshake fails with the alert unrecognized_name (RFC 6066 3).
func (c *Certificates) TLS(unknown func(name string)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			cert, err := c.source(hello)
			if cert == nil && err == nil {
				unknown(hello.ServerName)
			}
			return cert, err
		},
	}
}
