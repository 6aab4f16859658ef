package conformance_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	assert.Equal(t, []string{"POST  Bearer demo-token", got[1], "GET  Bearer demo-token", "GET size=2 "}, got)
	assert.True(t, strings.HasPrefix(got[1], "DELETE "))

	p = startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, Only: []string{"groups.list/200-first-page"},
		Credentials: conformance.Credentials{"02688": "02688"}})
	assert.Empty(t, p.requests()[0].authorization, "the credentials have no token")
}

// The service's certificate may be signed by an authority of its own, and the check may have to show one, too.
func TestCertificates(t *testing.T) {
	b := startBank(t, retail)
	target, err := url.Parse(b.url)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	transport := &http.Transport{}
	forward.Transport = transport
	var client string
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client = r.TLS.PeerCertificates[0].Subject.CommonName
		forward.ServeHTTP(w, r)
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	service.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	service.StartTLS()
	defer func() { service.Close(); transport.CloseIdleConnections() }()

	encode := func(kind string, data []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}) }
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "checker"},
		NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	encodedKey, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	certPEM, keyPEM := encode("CERTIFICATE", cert), encode("EC PRIVATE KEY", encodedKey)
	caPEM := encode("CERTIFICATE", service.Certificate().Raw)

	both, err := conformance.ReadTLS(certPEM, keyPEM, caPEM)
	require.NoError(t, err)
	only := []string{"groups.list/200-first-page"}
	assert.Empty(t, run(t, conformance.Config{BaseURL: service.URL, TLS: both, Only: only}).Errors())
	assert.Equal(t, "checker", client)

	none, err := conformance.ReadTLS(nil, nil, caPEM)
	require.NoError(t, err)
	report := run(t, conformance.Config{BaseURL: service.URL, TLS: none, Only: only})
	require.Len(t, report.Errors(), 1)
	assert.Contains(t, report.Errors()[0], "handshake failure") // TLS 1.3 would refuse the request that follows
	report = run(t, conformance.Config{BaseURL: service.URL, Only: only})
	require.Len(t, report.Errors(), 1)
	assert.Contains(t, report.Errors()[0], "certificate signed by unknown authority")

	for _, files := range [][3][]byte{{certPEM, nil, nil}, {nil, keyPEM, nil}, {certPEM, caPEM, nil}, {nil, nil, keyPEM}} {
		_, err := conformance.ReadTLS(files[0], files[1], files[2])
		assert.Error(t, err)
	}
}
