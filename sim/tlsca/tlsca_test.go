package tlsca_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

const day = 24 * time.Hour

// peer is a server's certificates and a client that trusts their CA.
type peer struct {
	server  *tls.Config
	client  *tls.Config
	unknown []string
	mu      sync.Mutex
}

func newPeer(t *testing.T, cfg tlsca.Config) *peer {
	t.Helper()
	certificates, err := tlsca.Open(cfg)
	require.NoError(t, err)
	p := new(peer)
	p.server = certificates.TLS(func(name string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unknown = append(p.unknown, name)
	})
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(certificates.CA()))
	p.client = &tls.Config{RootCAs: roots}
	return p
}

// shake shakes hands with the server by a name or an address, as a change of the client's configuration wants.
func (p *peer) shake(name string, change func(*tls.Config)) (tls.ConnectionState, error) {
	ours, theirs := net.Pipe()
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	served := make(chan error, 1)
	go func() { served <- tls.Server(theirs, p.server).Handshake() }()
	cfg := p.client.Clone()
	cfg.ServerName = name
	if change != nil {
		change(cfg)
	}
	client := tls.Client(ours, cfg)
	err := client.Handshake()
	_ = ours.Close()
	<-served
	return client.ConnectionState(), err
}

// What clients and their checks require of a certificate.
func TestCertificates(t *testing.T) {
	t.Parallel()
	p := newPeer(t, tlsca.Config{Hosts: []string{"API.bank.example", "*.bank.test", "10.0.0.5"}})
	for _, name := range []string{"api.bank.example", "localhost", "127.0.0.1", "::1", "10.0.0.5", "mine.bank.test",
		"other.bank.test",
		"mine.localhost"} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			state, err := p.shake(name, func(c *tls.Config) { c.MaxVersion = version })
			require.NoError(t, err, name)
			assert.Equal(t, version, state.Version, name)
			leaf, ca := state.PeerCertificates[0], state.PeerCertificates[1]
			assert.NoError(t, leaf.VerifyHostname(name))
			assert.Equal(t, elliptic.P256(), leaf.PublicKey.(*ecdsa.PublicKey).Curve, name)
			assert.LessOrEqual(t, leaf.NotAfter.Sub(leaf.NotBefore), 397*day-time.Second, name)
			assert.Greater(t, time.Until(leaf.NotAfter), 395*day, name)
			assert.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, leaf.ExtKeyUsage)
			assert.False(t, leaf.IsCA)
			assert.True(t, ca.IsCA && ca.MaxPathLenZero)
			assert.NotZero(t, leaf.SerialNumber.Sign())
			assert.Equal(t, ca.SubjectKeyId, leaf.AuthorityKeyId)
			assert.NotEmpty(t, ca.SubjectKeyId)
		}
	}
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
		_, err := p.shake("localhost", func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, version })
		assert.ErrorContains(t, err, "protocol version")
	}
	assert.Empty(t, p.unknown)
}

// A name that isn't listed has no certificate, and the simulator notes it.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	p := newPeer(t, tlsca.Config{Hosts: []string{"api.bank.example", "*.bank.test"}})
	others := []string{"bank.example", "x.api.bank.example", "bank.test", "a.b.bank.test", "_.example"}
	for _, name := range others {
		_, err := p.shake(name, nil)
		assert.ErrorContains(t, err, "unrecognized name", name)
	}
	assert.Equal(t, others, p.unknown)

	wildcard := newPeer(t, tlsca.Config{Hosts: []string{"*"}})
	for _, name := range append(others, "api.bank.example") {
		_, err := wildcard.shake(name, nil)
		assert.NoError(t, err, name)
	}
	_, err := wildcard.shake("10.9.8.7", nil) // of which a client can't say that it wants it
	assert.ErrorContains(t, err, "not 10.9.8.7")
	assert.Empty(t, wildcard.unknown)
}

// Clients don't meet a certificate that has expired, also if their clocks are a bit slow or fast.
func TestRenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, tlsca.Config{Hosts: []string{"*.bank.test"}})
		seen := map[string]map[string]bool{"localhost": {}, "a.bank.test": {}, "127.0.0.1": {}}
		for range 2 * 397 / 3 { // two years and more, some days at a time
			time.Sleep(3 * day)
			for name := range seen {
				for _, skew := range []time.Duration{-12 * time.Hour, 12 * time.Hour} {
					state, err := p.shake(
						name, func(c *tls.Config) { c.Time = func() time.Time { return time.Now().Add(skew) } },
					)
					require.NoError(t, err, name)
					seen[name][state.PeerCertificates[0].SerialNumber.String()] = true
				}
			}
		}
		for name, serials := range seen {
			assert.Len(t, serials, 3, name)
		}
	})
}

func TestCheckHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"localhost", "bank", "API.Bank.example", "api.bank.example.", "*.bank.test", "*",
		"10.0.0.5", "::1",
		"my_bank", "x-1.y"} {
		assert.NoError(t, tlsca.CheckHost(host), host)
	}
	for _, host := range []string{"", " ", "bank:8443", "https://bank", "bank/x", "a.*.test", "**", "*bank", "*.",
		"-bank", "bank-",
		"a..b", "[::1]", "ba nk", "bänk", strings.Repeat("a.", 127) + "aa"} {
		assert.ErrorContains(t, tlsca.CheckHost(host), "give one such as", host)
		_, err := tlsca.Open(tlsca.Config{Hosts: []string{host}})
		assert.Error(t, err)
	}
}
