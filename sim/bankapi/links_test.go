package bankapi_test

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// linking is a request for a list whose answer has links, to a handler with a configuration.
type linking struct {
	bankapi.Config
	path, host string
	secure     bool // by TLS
	headers    []string
}

// baseURL returns what the links of the answer begin with.
func (l linking) baseURL(t *testing.T) string {
	t.Helper()
	l.Sandboxes, l.Log = simtest.Registry(t, simtest.FrozenRetail), slog.New(slog.DiscardHandler)
	t.Cleanup(l.Sandboxes.Close)
	_, err := l.Sandboxes.Create(t.Context(), sandbox.Plan{Name: "mine"})
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, l.path+simtest.GroupsPath, nil)
	r.Header, r.Host = simtest.NewCall("", "", "", append(l.headers, "transactionId: t-1")...).Header, l.host
	if l.secure {
		r.TLS = &tls.ConnectionState{}
	}
	w := httptest.NewRecorder()
	bankapi.New(l.Config).ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	_, href, _ := strings.Cut(w.Body.String(), `"href":"`)
	base, _, ok := strings.Cut(href, simtest.GroupsPath)
	require.True(t, ok, w.Body)
	return base
}

// Links begin with the public URL as a whole for callers that came by its host and port, or by its host alone as
// proxies send it. For all others they begin with the caller's own base URL.
func TestLinksOfThePublicURL(t *testing.T) {
	t.Parallel()
	const inMine, staging, alike = "/sandboxes/mine", "https://bank.example/staging", "http://bank.test:18080/a"
	for name, c := range map[string]struct{ public, host, path, want string }{
		"none":                {"", "bank:8080", "", "http://bank:8080"},
		"none, in a sandbox":  {"", "bank", inMine, "http://bank/sandboxes/mine"},
		"its host and port":   {"http://bank:18080", "bank:18080", "", "http://bank:18080"},
		"its host alone":      {"https://bank.example:8443/a", "bank.example", "", "https://bank.example:8443/a"},
		"its standard port":   {staging + "/", "BANK.example:443", "", staging},
		"in a sandbox":        {staging, "bank.example", inMine, staging + "/sandboxes/mine"},
		"port within Docker":  {"http://bank:18080", "bank:8080", "", "http://bank:8080"},
		"other port and path": {staging, "bank.example:8080", "", "http://bank.example:8080"},
		"other host":          {staging, "10.0.0.7:8080", inMine, "http://10.0.0.7:8080/sandboxes/mine"},
		"IPv6":                {"http://[2001:db8::1]:81/a", "[2001:DB8::1]:81", "", "http://[2001:db8::1]:81/a"},
		"IPv6, no port":       {"http://[2001:db8::1]:18080", "[2001:db8::1]", "", "http://[2001:db8::1]:18080"},
		"other IPv6":          {"http://[2001:db8::1]:18080", "[::1]:8080", "", "http://[::1]:8080"},

		"sandbox's host":             {"https://bank.test/staging", "mine.bank.test", "", "https://mine.bank.test/staging"},
		"sandbox's host and port":    {alike, "mine.bank.test:18080", "", "http://mine.bank.test:18080/a"},
		"sandbox's host, proxy":      {alike, "mine.bank.test", "", "http://mine.bank.test:18080/a"},
		"sandbox's host, other port": {alike, "mine.bank.test:8080", "", "http://mine.bank.test:8080"},
		"sandbox's host alone":       {"", "mine.bank.test:8080", "", "http://mine.bank.test:8080"},
	} {
		l := linking{path: c.path, host: c.host}
		l.PublicURL, l.SandboxHosts = c.public, []string{"*.bank.test"}
		assert.Equal(t, c.want, l.baseURL(t), name)
	}
	assert.Equal(t, "https://bank:8443", linking{host: "bank:8443", secure: true}.baseURL(t))
}

// With TrustForwarded, links begin with what a proxy says that the client has called. What is no scheme, host, port or
// path is ignored.
func TestForwardedLinks(t *testing.T) {
	t.Parallel()
	const proto, host = "X-Forwarded-Proto: ", "X-Forwarded-Host: "
	const port, prefix = "X-Forwarded-Port: ", "X-Forwarded-Prefix: "
	for name, c := range map[string]struct {
		headers []string
		want    string
	}{
		"nothing": {nil, "http://bank"},
		"all": {[]string{proto + "HTTPS", host + "bank.example", port + "8443", prefix + "/a/"},
			"https://bank.example:8443/a"},
		"several proxies": {[]string{proto + "https, http", host + "bank:8443, inner:80", port + "8443,80", prefix + "/a, /b"},
			"https://bank:8443/a"},
		"several headers":     {[]string{proto + "https", proto + "http", host + "a", host + "b"}, "https://a"},
		"standard port":       {[]string{proto + "https", port + "443"}, "https://bank"},
		"the other's port":    {[]string{proto + "https", port + "80"}, "https://bank:80"},
		"IPv6 host, port":     {[]string{host + "[::1]", port + "8443"}, "http://[::1]:8443"},
		"escaped prefix":      {[]string{prefix + "/a%20b"}, "http://bank/a%20b"},
		"host of a sandbox":   {[]string{host + "mine.bank.test", prefix + "/a"}, "http://mine.bank.test/a"},
		"scheme of a script":  {[]string{proto + "javascript"}, "http://bank"},
		"scheme of a socket":  {[]string{proto + "wss", port + "8443"}, "http://bank:8443"},
		"empty first scheme":  {[]string{proto + ", https"}, "http://bank"},
		"host with a path":    {[]string{host + "evil.example/x"}, "http://bank"},
		"host with a user":    {[]string{host + "bank@evil.example"}, "http://bank"},
		"host with quotes":    {[]string{host + `"><script>`}, "http://bank"},
		"empty first host":    {[]string{host + ", other"}, "http://bank"},
		"IPv6 without [":      {[]string{host + "2001:db8::1"}, "http://bank"},
		"port with a host":    {[]string{port + "80@evil.example"}, "http://bank"},
		"prefix with a query": {[]string{prefix + "/a?b=c#d"}, "http://bank"},
		"prefix with a gap":   {[]string{prefix + "/a b"}, "http://bank"},
		"broken escape":       {[]string{prefix + "/%zz"}, "http://bank"},
		"prefix is a host":    {[]string{prefix + "//evil.example"}, "http://bank/evil.example"},
	} {
		l := linking{host: "bank", headers: c.headers}
		l.SandboxHosts = []string{"*.bank.test"}
		assert.Equal(t, "http://bank", l.baseURL(t), "%s: not trusted", name)
		l.TrustForwarded = true
		assert.Equal(t, c.want, l.baseURL(t), name)
	}
	public := bankapi.Config{PublicURL: "https://bank.example/a", TrustForwarded: true}
	l := linking{Config: public, host: "bank.example"}
	assert.Equal(t, "https://bank.example/a", l.baseURL(t), "the proxy says nothing")
	l.headers = []string{proto + "http", prefix + "/b"}
	assert.Equal(t, "http://bank.example/b", l.baseURL(t), "the proxy says more than the public URL")
	l = linking{Config: public, host: "bank:8443", path: "/sandboxes/mine", secure: true}
	l.headers = []string{prefix + "/a"}
	assert.Equal(t, "https://bank:8443/a/sandboxes/mine", l.baseURL(t))
}

// The control API gives out base URLs whose hosts name the sandbox. They have the path of the public URL, as links do.
func TestHostURLs(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{
		PublicURL: "https://bank.test:8443/staging", SandboxHosts: []string{"*.bank.test"}, NoDefault: true,
	})
	made := b.Control(http.StatusCreated, "POST /v1/sandboxes", `{"name":"mine"}`).Body
	assert.Contains(t, made, `"hostUrls":["https://mine.bank.test:8443/staging"]`)
	assert.Contains(t, asking(b, listGroups, "bank.test").Body,
		"a base URL is https://bank.test:8443/staging/sandboxes/NAME or "+
			"https://NAME.bank.test:8443/staging; has")
	local := simtest.Start(t, server.Config{SandboxHosts: []string{"*.bank.test"}})
	_, port, _ := strings.Cut(strings.TrimPrefix(local.Server.ServiceURL(), "http://"), ":")
	assert.Contains(t, local.Control(http.StatusOK, "GET /v1/sandboxes/default", "").Body,
		`"hostUrls":["http://default.bank.test:`+port+`"]`)
}
