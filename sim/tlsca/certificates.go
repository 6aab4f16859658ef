// Package tlsca has the certificates of an https simulator: a certificate authority (CA) of its own signs them, or a
// file holds one. It serves nothing. Start at Open.
package tlsca

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const (
	// maxKept is how many certificates are kept (choice). Making one takes less time than the handshake.
	maxKept = 100
	// rereadAfter is when the files of a certificate that was given are read again (choice), because tools replace
	// them.
	rereadAfter = 10 * time.Second
	maxHostName = 253 // bytes (RFC 1035 2.3.4)
)

// Config says where certificates come from: from a CA in memory, unless it names something else.
type Config struct {
	// Hosts has further names and addresses for the certificates; the machine's own are always there. See CheckHost.
	Hosts []string
	// Dir is the directory that keeps the CA. If it is empty, the CA is in memory alone.
	Dir string
	// CertFile and KeyFile hold a certificate and its private key (PEM), to be used instead of a CA.
	CertFile, KeyFile string

	Read func(file string) ([]byte, error) // or nil for os.ReadFile, which reads whatever there is

	// Replaced is called after files with another certificate were read, which is used from then on until a time, and
	// after files that can't be used: then the last good certificate stays. It may be nil.
	Replaced func(until time.Time, problem error)
}

// Certificates are what a listener needs to speak TLS. All methods are safe for use by many goroutines.
type Certificates struct {
	cfg   Config           // Hosts are all there are, sorted
	ca    *tls.Certificate // or nil if the certificate was given
	again bool             // whether the files of one that was given can be read again

	mu   sync.Mutex
	kept map[string]*tls.Certificate // by name, or "" for the given one and the one for all hosts
	read time.Time                   // when the one that was given was

	problem error // with the files, or nil
	failed  bool  // whether the last reading failed
}

// Open opens the certificates. A CA that a directory is to keep, and that isn't there yet, is made.
func Open(cfg Config) (c *Certificates, err error) {
	if cfg.Read == nil {
		cfg.Read = os.ReadFile
	}
	c = &Certificates{kept: map[string]*tls.Certificate{}, read: time.Now()}
	if c.cfg = cfg; cfg.CertFile != "" {
		if c.kept[""], err = cfg.readPair(cfg.CertFile, cfg.KeyFile); err != nil {
			return nil, fmt.Errorf("the certificate %s with the key %s: %w", cfg.CertFile, cfg.KeyFile, err)
		}
		c.again = isRegular(cfg.CertFile) && isRegular(cfg.KeyFile) // unlike a pipe
		return c, nil
	}
	c.cfg.Hosts = []string{"localhost", "*.localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && CheckHost(name) == nil && !strings.Contains(name, "*") {
		c.cfg.Hosts = append(c.cfg.Hosts, normal(name))
	}
	for _, host := range cfg.Hosts {
		if err := CheckHost(host); err != nil {
			return nil, err
		}
		c.cfg.Hosts = append(c.cfg.Hosts, normal(host))
	}
	slices.Sort(c.cfg.Hosts)
	c.cfg.Hosts = slices.Compact(c.cfg.Hosts)
	if cfg.Dir == "" {
		c.ca, err = newCA()
	} else {
		c.ca, err = cfg.keptCA()
	}
	return c, err
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// hostName matches a DNS name in lower case, whose first label may be *.
var hostName = lazy.Regexp(`^(\*|(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*)$`)

// CheckHost returns an error if certificates can't be made for a host. It is a DNS name such as api.bank.example, one
// with a wildcard for one label, such as *.bank.example, an IP address, or * for any name.
func CheckHost(host string) error {
	if net.ParseIP(host) == nil && (len(host) > maxHostName || !hostName().MatchString(normal(host)) || host == "*.") {
		return fmt.Errorf("%s is not a name or an address without a port: give one such as api.bank.example, "+
			"*.bank.example, 10.0.0.5, or * for any name", wording.Quote(host))
	}
	return nil
}

// normal returns a name in lower case and without a final dot, for comparison.
func normal(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// CA returns the certificate of the CA (PEM) for clients to trust, or nil if a file holds the certificate.
func (c *Certificates) CA() []byte {
	if c.ca == nil {
		return nil
	}
	return certPEM(c.ca)
}

// Hosts returns the names and addresses of the certificates, sorted, or nil if a file holds the certificate.
func (c *Certificates) Hosts() []string { return slices.Clone(c.cfg.Hosts) }

// TLS returns the configuration of a listener. Where there is no certificate for the name that a client asks for, it
// calls unknown with the name, and the handshake fails with the alert unrecognized_name (RFC 6066 3).
func (c *Certificates) TLS(unknown func(name string)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			cert, err := c.get(hello.ServerName)
			if cert == nil && err == nil {
				unknown(hello.ServerName)
			}
			return cert, err
		},
	}
}

// get returns the certificate for a client that asks for a name, or nil. A certificate from a file goes to all
// clients: they decide whether it is right. A certificate of the CA goes to clients that ask for a known host, or for
// no name, because they have only the server's address. Clients that ask for a name that only a wildcard has get one
// of their own, because they disagree about wildcards in certificates.
func (c *Certificates) get(serverName string) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ca == nil {
		c.rereadIfDueLocked()
		return c.kept[""], nil
	}
	all, err := c.signedLocked("", c.cfg.Hosts)
	if err != nil {
		return nil, err
	}
	name := normal(serverName)
	known := all.Leaf.VerifyHostname(name) == nil
	isIP := net.ParseIP(name) != nil // which isn't a name that a client may ask for (RFC 6066 3), but some do
	switch {
	case name == "", known && (isIP || slices.Contains(c.cfg.Hosts, name)):
		return all, nil
	case !isIP && CheckHost(name) == nil && (known || slices.Contains(c.cfg.Hosts, "*")):
		return c.signedLocked(name, []string{name})
	}
	return nil, nil
}

func (c *Certificates) rereadIfDueLocked() {
	if c.again && time.Since(c.read) > rereadAfter {
		c.read = time.Now()
		c.rereadLocked()
	}
}

// rereadLocked reads the files of the certificate that was given. Two readings have to fail before that is told: while
// only one of the files is replaced, they don't fit.
func (c *Certificates) rereadLocked() {
	newer, err := c.cfg.readPair(c.cfg.CertFile, c.cfg.KeyFile)
	if err == nil && time.Now().After(newer.Leaf.NotAfter) {
		err = fmt.Errorf("it has expired on %s", newer.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	tell := func(until time.Time, problem error) {
		if c.cfg.Replaced != nil {
			c.cfg.Replaced(until, problem)
		}
	}
	switch old := c.kept[""]; {
	case err == nil:
		c.failed, c.problem = false, nil
		if !newer.Leaf.Equal(old.Leaf) {
			c.kept[""] = newer
			tell(newer.Leaf.NotAfter, nil)
		}
	case !c.failed:
		c.failed = true
	case c.problem == nil:
		c.problem = fmt.Errorf("the certificate %s with the key %s can't be used, the one before stays until %s: %w",
			c.cfg.CertFile, c.cfg.KeyFile, old.Leaf.NotAfter.UTC().Format(time.RFC3339), err)
		tell(old.Leaf.NotAfter, c.problem)
	}
}

// Problem returns why the files of a certificate can't be used at the moment, or nil. It reads them again like a
// handshake: behind a proxy that keeps its connections, there may be none for long.
func (c *Certificates) Problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rereadIfDueLocked()
	return c.problem
}

// signedLocked returns the certificate that is kept by a name. It makes one that isn't there, or that will expire soon.
func (c *Certificates) signedLocked(name string, hosts []string) (*tls.Certificate, error) {
	if kept := c.kept[name]; kept != nil && time.Until(kept.Leaf.NotAfter) > renewedBefore {
		return kept, nil
	}
	made, err := newLeaf(c.ca, hosts)
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	c.kept[name] = made
	return made, err
}
