package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

// Groups are asked with the token of the credentials, as a bank wants it, unless the exchange shows what is answered
// without.
func TestGroupsAreAskedWithTheToken(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true,
		Only: []string{"groups.list/200-first-page", "groups.list/200-no-token", "groups.create/200-created"}})
	var got []string
	for _, r := range p.requests() {
		got = append(got, r.method+" "+r.query+" "+r.authorization)
	}
	const list = "GET size=2000 Bearer demo-token"
	assert.Equal(t, []string{
		"POST  Bearer demo-token", list, "DELETE  Bearer demo-token", list, "GET  Bearer demo-token", "GET size=2 ",
	}, got)

	p = startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, Only: []string{"groups.list/200-first-page"},
		Credentials: conformance.Credentials{"02688": "02688"}})
	assert.Empty(t, p.requests()[0].authorization, "the credentials have no token")
}

// The service's certificate may be signed by an authority of its own, and the check may have to show one, too.
func TestCertificates(t *testing.T) {
	var shown *x509.Certificate
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		shown = r.TLS.PeerCertificates[0]
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	service.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	service.StartTLS()
	defer service.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(service.Certificate())
	errorsWith := func(settings *tls.Config) string {
		report := run(t, conformance.Config{BaseURL: service.URL, TLS: settings,
			Only: []string{"groups.list/200-first-page"}})
		return strings.Join(report.Errors(), "\n")
	}
	assert.Empty(t, errorsWith(&tls.Config{RootCAs: trusted, Certificates: service.TLS.Certificates}))
	assert.True(t, service.Certificate().Equal(shown))
	// TLS 1.3 would refuse the request that follows
	assert.Contains(t, errorsWith(&tls.Config{RootCAs: trusted}), "handshake failure")
	assert.Contains(t, errorsWith(nil), "certificate signed by unknown authority")
}
