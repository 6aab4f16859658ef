package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// startSecure starts a simulator that speaks https, too.
func startSecure(t testing.TB, cfg server.Config, hosts ...string) *simtest.Bank {
	t.Helper()
	var err error
	cfg.Certificates, err = tlsca.Open(tlsca.Config{Hosts: hosts})
	require.NoError(t, err)
	cfg.Listen = []string{"127.0.0.1:0", "https://127.0.0.1:0"}
	return simtest.Start(t, cfg)
}

// clientOf returns a client that trusts the CA of a simulator and, for every name, reaches one address; empty: it
// reaches what it asks for. It speaks HTTP/1 and, if it may, HTTP/2.
func clientOf(t testing.TB, ca []byte, address string, http2 bool) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(http2)
	if address != "" {
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: simtest.Patience}
}

// ask has a client request a URL of a bank with "Name: value" headers.
func ask(b *simtest.Bank, client *http.Client, url string, headers ...string) simtest.Answer {
	asked := *b
	asked.Client = client
	return asked.Do(b.Request("GET", url, "", headers...))
}

// The same bank answers by http and https, and links follow the URL that was asked.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{}, "api.bank.example", "*.bank.test")
	ca := []byte(b.Control(200, "GET /ca.pem", "").Body)
	assert.Equal(t, strings.TrimSpace(string(b.Server.CA())), string(ca))
	address := strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
	_, port, _ := net.SplitHostPort(address)
	for _, base := range []string{"https://localhost:" + port + "/sandboxes/default", "https://127.0.0.1:" + port,
		"https://api.bank.example", "https://mine.bank.test:8443"} {
		for _, http2 := range []bool{false, true} {
			url := base + simtest.GroupsPath + "?"
			res := ask(b, clientOf(t, ca, address, http2), url+"size=1", "transactionId: t-1")
			assert.Equal(t, 200, res.StatusCode)
			assert.Equal(t, map[bool]int{false: 1, true: 2}[http2], res.ProtoMajor, url)
			assert.GreaterOrEqual(t, res.TLS.Version, uint16(tls.VersionTLS12))
			assert.Contains(t, res.Body, `"href":"`+url, "links are for https")
			x := b.ExchangeOf(res)
			assert.Equal(t, url+"size=1", x.Request.URL)
			assert.Equal(t, []string{"t-1"}, x.Request.Headers.Values()["Transactionid"])
		}
	}
	info := b.Control(200, "GET /v1/info", "").Body
	assert.Contains(t, info, `"baseUrl":"`+b.Server.ServiceURL()+`","httpsUrl":"`+b.Server.HTTPSURL()+`"`)
	made := b.Control(201, "POST /v1/sandboxes", `{"name": "mine"}`).Body
	assert.Contains(t, made, `"httpsUrl":"`+b.Server.HTTPSURL()+`/sandboxes/mine"`)
}

// The log says which flag a client's name needs, in quotes, and why handshakes fail. No certificate is made for an
// address that is only asked for.
func TestHandshakesInTheLog(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := startSecure(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, "*.bank.test", "10.0.0.5")
	address := strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
	_, err := clientOf(t, b.Server.CA(), address, true).Get("https://other.example")
	require.ErrorContains(t, err, "unrecognized name")
	assert.Contains(
		t,
		log.String(),
		`level=WARN msg="a client asked for https by a name that has no certificate: add it with --tls-hosts" name=other.example`,
	)

	stranger := clientOf(t, startSecure(t, server.Config{}).Server.CA(), "", true)
	_, err = stranger.Get(b.Server.HTTPSURL())
	require.ErrorContains(t, err, "unknown authority")
	assert.Eventually(
		t, func() bool { return strings.Contains(log.String(), "TLS handshake error") }, simtest.Patience,
		time.Millisecond,
	)
}
