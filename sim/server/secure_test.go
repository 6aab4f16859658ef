package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
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

// clientOf returns a client that trusts the CA of a simulator and, for every name, reaches one address; empty: it reaches what
// it asks for. It speaks HTTP/1 and, if it may, HTTP/2.
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

// listAt lists the groups at a base URL, and returns the answer and its body.
func listAt(t testing.TB, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+simtest.GroupsPath+"?size=1", nil)
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	res, err := client.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res, string(body)
}

// The same bank answers by http and https, and links follow the URL that was asked.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{}, "api.bank.example", "*.bank.test")
	ca := []byte(b.Control(200, "GET /ca.pem", "").Body)
	assert.Equal(t, strings.TrimSpace(string(b.Server.CA())), string(ca))
	address := strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
	_, port, _ := net.SplitHostPort(address)
	asked := 0
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "api.bank.example", "mine.bank.test:8443"} {
		for _, http2 := range []bool{false, true} {
			for _, path := range []string{"", "/sandboxes/default"} {
				url := "https://" + host + path
				res, body := listAt(t, clientOf(t, ca, address, http2), url)
				asked++
				assert.Equal(t, 200, res.StatusCode)
				assert.Equal(t, map[bool]int{false: 1, true: 2}[http2], res.ProtoMajor, url)
				assert.GreaterOrEqual(t, res.TLS.Version, uint16(tls.VersionTLS12))
				assert.Contains(t, body, `"href":"`+url+simtest.GroupsPath+"?", "links are for https")
				x := b.Last()
				assert.Equal(t, url+simtest.GroupsPath+"?size=1", x.Request.URL)
				assert.Equal(t, []string{"t-1"}, x.Request.Headers["Transactionid"])
				assert.Equal(t, x.ID, res.Header.Get("Banksim-Exchange"))
			}
		}
	}
	assert.EqualValues(t, asked, b.Journal().Last())
	info := b.Control(200, "GET /v1/info", "").Body
	assert.Contains(t, info, `"baseUrl":"`+b.Server.ServiceURL()+`","httpsUrl":"`+b.Server.HTTPSURL()+`"`)
	made := b.Control(201, "POST /v1/sandboxes", `{"name": "mine"}`).Body
	assert.Contains(t, made, `"httpsUrl":"`+b.Server.HTTPSURL()+`/sandboxes/mine"`)
}

// A host that names a sandbox does so over https, too, and the sandbox says so.
func TestHTTPSOfASandboxHost(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{SandboxHosts: []string{"*.bank.test"}}, "*.bank.test")
	address := strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
	_, port, _ := net.SplitHostPort(address)
	_, plainPort, _ := net.SplitHostPort(strings.TrimPrefix(b.Server.ServiceURL(), "http://"))
	url := "https://mine.bank.test:" + port
	assert.Contains(t, b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`).Body, `"hostUrls":["http://mine.bank.test:`+plainPort+`","`+url+`"]`)
	for major, http2 := range []bool{1: false, 2: true}[1:] {
		res, body := listAt(t, clientOf(t, b.Server.CA(), address, http2), url)
		assert.Equal(t, []int{200, major + 1}, []int{res.StatusCode, res.ProtoMajor})
		assert.Contains(t, body, `"href":"`+url+simtest.GroupsPath+"?")
		assert.EqualValues(t, major+1, b.In("mine").Journal().Last())
	}
	assert.Zero(t, b.Journal().Last())
}

// Where clients have a URL of their own, it is the only one that they are given.
func TestHTTPSWithAPublicURL(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{PublicURL: "https://bank.example/staging"})
	info := b.Control(200, "GET /v1/info", "").Body
	assert.Contains(t, info, `"baseUrl":"https://bank.example/staging"`)
	assert.NotContains(t, info, "httpsUrl")
	assert.NotContains(t, b.Control(200, "GET /v1/sandboxes/default", "").Body, "httpsUrl")
}

// Without https there is no CA, and nothing says that there is.
func TestWithoutHTTPS(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Contains(t, b.Control(404, "GET /ca.pem", "").Body, "speaks no https")
	assert.NotContains(t, b.Control(200, "GET /v1/info", "").Body, "httpsUrl")
	assert.Empty(t, b.Server.HTTPSURL())
	assert.Nil(t, b.Server.CA())
	_, _, err := b.Server.ServeSandboxTLS("default")
	assert.ErrorContains(t, err, "needs certificates")
	for _, cfg := range []server.Config{{Listen: []string{"https://127.0.0.1:0"}, Control: "127.0.0.1:0"}, {Listen: []string{"127.0.0.1:0"}, Control: "https://127.0.0.1:0"}} {
		cfg.Log = slog.New(slog.DiscardHandler)
		_, err := server.Start(t.Context(), cfg)
		assert.ErrorContains(t, err, "needs certificates")
	}
}

// The plain listener speaks HTTP/2, too, with clients that know that.
func TestHTTP2WithPriorKnowledge(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	res, body := listAt(t, &http.Client{Transport: transport, Timeout: simtest.Patience}, b.Server.ServiceURL())
	assert.Equal(t, 2, res.ProtoMajor)
	assert.Equal(t, 200, res.StatusCode)
	assert.Contains(t, body, `"href":"`+b.Server.ServiceURL()+simtest.GroupsPath)

	b.OverHTTP2() // the control API, too
	events := b.Events(b.ControlPath()+"/journal/stream?after=0", 1)
	assert.Contains(t, events[0], `"operation":"groups.list"`)
}

// The control listener speaks https if it is asked to, and then nothing else.
func TestControlTLS(t *testing.T) {
	t.Parallel()
	certificates, err := tlsca.Open(tlsca.Config{})
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Control: "https://127.0.0.1:0", Certificates: certificates, ControlToken: "secret"})
	require.True(t, strings.HasPrefix(b.Server.ControlURL(), "https://"))
	assert.Equal(t, b.Server.ControlURL()+"/console/", b.Server.ConsoleURL())
	get := func(path, token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", b.Server.ControlURL()+path, nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := clientOf(t, b.Server.CA(), "", true).Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode, string(body)
	}
	status, body := get("/ca.pem", "")
	assert.Equal(t, 200, status, "it needs no token")
	assert.Equal(t, string(b.Server.CA()), body)
	status, _ = get("/v1/info", "")
	assert.Equal(t, 401, status)
	status, body = get("/v1/info", "secret")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"consoleUrl":"`+b.Server.ControlURL()+`/console/"`)
	assert.NotContains(t, body, "httpsUrl", "the simulated interface speaks http")
	res, err := http.Get(strings.Replace(b.Server.ControlURL(), "https", "http", 1) + "/healthz")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, 400, res.StatusCode)
}

// The log says which flag a client's name needs, in quotes, and why handshakes fail. No certificate is made for an address that is only
// asked for.
func TestHandshakesInTheLog(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := startSecure(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, "*.bank.test", "10.0.0.5")
	address := strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
	_, err := clientOf(t, b.Server.CA(), address, true).Get("https://other.example")
	require.ErrorContains(t, err, "unrecognized name")
	assert.Contains(t, log.String(), `level=WARN msg="a client asked for https by a name that has no certificate: add it with --tls-hosts" name=other.example`)

	stranger := clientOf(t, startSecure(t, server.Config{}).Server.CA(), "", true)
	_, err = stranger.Get(b.Server.HTTPSURL())
	require.ErrorContains(t, err, "unknown authority")
	assert.Eventually(t, func() bool { return strings.Contains(log.String(), "TLS handshake error") }, simtest.Patience, time.Millisecond)
}

// A sandbox can have an https listener of its own, for clients with a host and paths that are fixed.
func TestServeSandboxTLS(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{NoDefault: true}, "*")
	made := b.Control(201, "POST /v1/sandboxes", `{"name": "mine"}`)
	require.NotEmpty(t, made.Body)
	url, end, err := b.Server.ServeSandboxTLS("mine")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(url, "https://127.0.0.1:"))
	client := clientOf(t, b.Server.CA(), strings.TrimPrefix(url, "https://"), true)
	res, body := listAt(t, client, "https://api.bank.example")
	assert.Equal(t, 200, res.StatusCode)
	assert.Contains(t, body, `"href":"https://api.bank.example`+simtest.GroupsPath)
	assert.EqualValues(t, 1, b.In("mine").Journal().Last())
	end()
	_, err = client.Get("https://api.bank.example")
	assert.Error(t, err)
}

// A shutdown ends the https listener, too, with requests under way answered.
func TestShutdownOfHTTPS(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{})
	client := clientOf(t, b.Server.CA(), "", true)
	b.ControlSandbox(201, "POST /faults", `{"then": {"delay": "300ms"}}`)
	answered := make(chan int, 1)
	r, err := http.NewRequestWithContext(t.Context(), "GET", b.Server.HTTPSURL()+simtest.GroupsPath, nil)
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	go func() {
		res, err := client.Do(r)
		if err != nil {
			answered <- 0
			return
		}
		_ = res.Body.Close()
		answered <- res.StatusCode
	}()
	require.Eventually(t, func() bool {
		return strings.Contains(b.ControlSandbox(200, "GET /faults", "").Body, `"fired":1`)
	}, simtest.Patience, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx))
	assert.Equal(t, 200, <-answered)
	_, err = net.Dial("tcp", strings.TrimPrefix(b.Server.HTTPSURL(), "https://"))
	assert.Error(t, err)
}

// All streams of a connection are answered while their sandbox is reset again and again.
func TestResetsUnderManyStreams(t *testing.T) {
	t.Parallel()
	b := startSecure(t, server.Config{})
	client := clientOf(t, b.Server.CA(), "", true)
	listAt(t, client, b.Server.HTTPSURL()) // there is one connection, which all others use
	over := make(chan struct{})
	var resets, streams sync.WaitGroup
	resets.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				b.Sandbox.Reset()
			}
		}
	})
	for i := range 100 {
		streams.Go(func() {
			for j := range 5 {
				r := simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d %d"}`, i, j)).Request(b)
				r.URL.Scheme, r.URL.Host = "https", strings.TrimPrefix(b.Server.HTTPSURL(), "https://")
				res, err := client.Do(r)
				if !assert.NoError(t, err) {
					return
				}
				body, err := io.ReadAll(res.Body)
				assert.NoError(t, err)
				assert.NoError(t, res.Body.Close())
				assert.Equal(t, 2, res.ProtoMajor)
				if res.StatusCode != 200 { // it met one reset after the other
					assert.Equal(t, []any{503, "BANKSIM_GENERATION_ENDED"}, []any{res.StatusCode, contract.ErrorCode(body)}, "%s", body)
				}
			}
		})
	}
	streams.Wait()
	close(over)
	resets.Wait()
}
