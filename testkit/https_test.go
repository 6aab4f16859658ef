package testkit_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// fixedHost is the host of the bank of an app that knows no other.
const fixedHost = "api.bank.example"

// next returns the URL of the next page that an answer names.
func next(t testing.TB, body string) string {
	t.Helper()
	link := regexp.MustCompile(`"rel":"next","href":"(.*?)"`).FindStringSubmatch(body)
	require.NotNil(t, link, body)
	return link[1]
}

// By https a bank has a host and port of its own, with links that lead there. Every client that trusts the CA, and no
// other, reaches it.
func TestHTTPS(t *testing.T) {
	bank := testkit.Start(t, testkit.HTTPS())
	for _, b := range []*testkit.Bank{bank, bank.Fork()} {
		assert.Regexp(t, `^https://127\.0\.0\.1:\d+$`, b.BaseURL())
		res, body := get(t, b.Client(), b.BaseURL()+groupsPath+"?size=2")
		assert.Equal(t, "HTTP/2.0", res.Proto)
		assert.Equal(t, b.BaseURL()+groupsPath+"?page=1&size=2", next(t, body))
		require.Len(t, b.Journal(""), 1)
	}
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(testkit.Start(t).CACert()), "all banks of a simulator have one CA")
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	res, _ := get(t, &http.Client{Transport: transport}, bank.BaseURL()+groupsPath)
	assert.Equal(t, "HTTP/1.1", res.Proto)
	_, err := bank.Client().Get(startElsewhere(t, both).HTTPSURL())
	assert.ErrorContains(t, err, "certificate signed by unknown authority", "the client is for the bank alone")
}

// Apps whose bank is a fixed host each have a bank of their own, at the same time.
func TestAsHost(t *testing.T) {
	elsewhere := testkit.On(startElsewhere(t, both, fixedHost, "oauth.bank.example").ControlURL())
	for n := range 20 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			opts := []testkit.Option{testkit.Scenario("empty"), testkit.AsHost(fixedHost, "oauth.bank.example")}
			if n%2 == 0 {
				opts = append(opts, elsewhere)
			}
			bank := testkit.Start(t, opts...)
			for _, b := range []*testkit.Bank{bank, bank.Fork()} {
				actsAsHost(t, b)
			}
		})
	}
}

// actsAsHost uses a bank, which is empty, as an app does that knows its host alone.
func actsAsHost(t *testing.T, bank *testkit.Bank) {
	t.Helper()
	const address = "https://" + fixedHost + groupsPath
	for _, name := range []string{"Night owls", "Early birds"} {
		res, body, err := request(bank.Client(), http.MethodPost, address, "", fmt.Sprintf(`{"groupName":%q}`, name))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		assert.Equal(t, address, res.Request.URL.String())
	}
	assert.Equal(t, []string{"Early birds", "Night owls"}, groupNames(bank))
	_, body := get(t, bank.Client(), address+"?size=1")
	assert.Equal(t, address+"?page=1&size=1", next(t, body))
	assert.Equal(t, address+"?size=1", bank.Journal(testkit.GroupsList)[0].Request.URL)

	res, _ := get(t, bank.Client(), "https://OAuth.Bank.Example.:443"+groupsPath)
	assert.Equal(t, http.StatusOK, res.StatusCode, "names have no case")
	_, err := bank.Client().Get("https://" + fixedHost + ":8443" + groupsPath)
	assert.ErrorContains(t, err, "AsHost leads https://"+fixedHost+" to the bank, and not port 8443: nothing was sent")
}

// A simulator that runs elsewhere may lack what https needs.
func TestHTTPSElsewhere(t *testing.T) {
	secure := startElsewhere(t, both, "other.example")
	bank := testkit.Start(t, testkit.On(secure.ControlURL()), testkit.HTTPS())
	assert.Regexp(t, `^`+secure.HTTPSURL()+`/sandboxes/[^/]+$`, bank.BaseURL())
	assert.Equal(t, http.StatusOK, createGroup(bank, "Night owls"))
	_, err := testkit.Start(t, testkit.On(secure.ControlURL()), testkit.AsHost(fixedHost)).Client().
		Get("https://" + fixedHost + groupsPath)
	assert.ErrorContains(t, err, "unrecognized name", "the simulator has no certificate for the host")
	for _, opt := range []testkit.Option{testkit.HTTPS(), testkit.AsHost(fixedHost)} {
		_, err := testkit.StartSuite(t.Context(), testkit.On(startElsewhere(t, plain).ControlURL()), opt)
		assert.ErrorContains(t, err,
			"the simulator speaks no https that is known: start it with --listen https://ADDRESS, too")
	}
}
