package testkit_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// fixedHost is the host of the bank of an app that knows no other.
const fixedHost = "api.bank.example"

// send sends a request with a client, and returns the answer and its body.
func send(t testing.TB, client *http.Client, method, address, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(data)
}

// next returns the URL of the next page that an answer names.
func next(t testing.TB, body string) string {
	t.Helper()
	var page struct{ Links []struct{ Rel, Href string } }
	require.NoError(t, json.Unmarshal([]byte(body), &page), body)
	for _, link := range page.Links {
		if link.Rel == "next" {
			return link.Href
		}
	}
	t.Fatalf("there is no next page in %s", body)
	return ""
}

// A bank is the same by https as by http: on a host and port of its own, with links that lead there.
func TestHTTPSURL(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	fork := bank.Fork()
	assert.Regexp(t, `^https://127\.0\.0\.1:\d+$`, bank.HTTPSURL())
	assert.Equal(t, bank.HTTPSURL(), bank.For(t).HTTPSURL(), "it has one listener")
	assert.NotEqual(t, bank.HTTPSURL(), fork.HTTPSURL())
	for _, b := range []*testkit.Bank{bank, fork} {
		res, body := send(t, b.Client(), http.MethodGet, b.HTTPSURL()+groupsPath+"?size=2", "")
		assert.Equal(t, "HTTP/2.0", res.Proto)
		assert.Equal(t, b.HTTPSURL()+groupsPath+"?page=1&size=2", next(t, body))
		require.Len(t, b.Journal(""), 1)
		assert.Equal(t, b.HTTPSURL()+groupsPath+"?size=2", b.Journal("")[0].Request.URL)
	}
	res, _ := send(t, bank.Client(), http.MethodPost, bank.BaseURL()+groupsPath, `{"groupName":"Night owls"}`)
	assert.Equal(t, http.StatusOK, res.StatusCode, "the client has both schemes")
	res, body := send(t, bank.Client(), http.MethodPost, bank.HTTPSURL()+groupsPath, `{"groupName":"Night owls"}`)
	assert.Equal(t, http.StatusBadRequest, res.StatusCode, "both lead to one bank: %s", body)
}

// Apps whose bank is a fixed host each have a bank of their own, at the same time.
func TestAsHost(t *testing.T) {
	for n := range 20 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.InProcess(), testkit.Scenario("empty"), testkit.AsHost(fixedHost, "oauth.bank.example"))
			actsAsHost(t, bank, fixedHost)
			res, _ := send(t, bank.Client(), http.MethodGet, "https://OAuth.Bank.Example.:443"+groupsPath, "")
			assert.Equal(t, http.StatusOK, res.StatusCode, "names have no case")
		})
	}
}

// actsAsHost uses a bank, which is empty, as an app does that knows its host alone.
func actsAsHost(t *testing.T, bank *testkit.Bank, host string) {
	t.Helper()
	for _, b := range []*testkit.Bank{bank, bank.Fork()} {
		for _, name := range []string{"Night owls", "Early birds"} {
			res, body := send(t, b.Client(), http.MethodPost, "https://"+host+groupsPath, fmt.Sprintf(`{"groupName":%q}`, name))
			require.Equal(t, http.StatusOK, res.StatusCode, body)
			assert.Equal(t, "HTTP/2.0", res.Proto)
			assert.Equal(t, "https://"+host+groupsPath, res.Request.URL.String())
		}
		assert.Equal(t, []string{"Early birds", "Night owls"}, groupNames(b))
		res, body := send(t, b.Client(), http.MethodGet, "https://"+host+groupsPath+"?size=1", "")
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		assert.Equal(t, "https://"+host+groupsPath+"?page=1&size=1", next(t, body))
		res, body = send(t, b.Client(), http.MethodGet, next(t, body), "")
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		assert.Contains(t, body, "Early birds")
		last := b.Journal("groups.list")[1].Request
		assert.Equal(t, "https://"+host+groupsPath+"?page=1&size=1", last.URL)
		b.Verify(testkit.Expect{Path: groupsPath, Exactly: testkit.Times(4)})
	}
}

// What the simulator doesn't have is named, and what to do about it.
func TestWithoutHTTPS(t *testing.T) {
	srv := startElsewhere(t)
	plain := testkit.On(elsewhere{srv.ServiceURL(), srv.ControlURL()})
	text, _ := fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.HTTPSURL() }, plain)
	assert.Contains(t, text,
		"no https listener of the simulator is known: start it with --listen https://ADDRESS, too, and give what testkit.On takes a "+
			"method HTTPSURL")
	_, err := testkit.Started(t.Context(), plain, testkit.AsHost(fixedHost))
	assert.ErrorContains(t, err, "AsHost: start the simulator with --listen https://ADDRESS, too")

	named := startElsewhere(t, "other.example")
	on := testkit.On(securedElsewhere{elsewhere{named.ServiceURL(), named.ControlURL()}, named.HTTPSURL()})
	_, err = testkit.Start(t, on, testkit.AsHost(fixedHost)).Client().Get("https://" + fixedHost + groupsPath)
	assert.ErrorContains(t, err, "unrecognized name", "the simulator has no certificate for the host")
}

// An app of one's own that trusts the CA, and nobody else, reaches the bank by either version of HTTP.
func TestCACert(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(bank.CACert()))
	for version, protocol := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2.0": func(p *http.Protocols) { p.SetHTTP2(true) },
	} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: new(http.Protocols)}
		protocol(transport.Protocols)
		defer transport.CloseIdleConnections()
		res, _ := send(t, &http.Client{Transport: transport}, http.MethodGet, bank.HTTPSURL()+groupsPath, "")
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.Equal(t, version, res.Proto)
	}
	elsewhere := httptest.NewTLSServer(http.NotFoundHandler())
	defer elsewhere.Close()
	_, err := bank.Client().Get(elsewhere.URL)
	assert.ErrorContains(t, err, "certificate signed by unknown authority", "the client is for the bank alone")
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool()}}}
	_, err = stranger.Get(bank.HTTPSURL() + groupsPath)
	assert.ErrorContains(t, err, "certificate signed by unknown authority")
	assert.Equal(t, bank.CACert(), testkit.Start(t, testkit.InProcess()).CACert(), "all banks of a simulator have one CA")
}
