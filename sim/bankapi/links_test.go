package bankapi_test

import (
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
		"none, in a sandbox":  {"", "bank:8080", inMine, "http://bank:8080/sandboxes/mine"},
		"its host alone":      {"https://bank.example:8443/a", "bank.example", "", "https://bank.example:8443/a"},
		"its standard port":   {staging + "/", "BANK.example:443", inMine, staging + "/sandboxes/mine"},
		"port within Docker":  {"http://bank:18080", "bank:8080", "", "http://bank:8080"},
		"other host":          {staging, "10.0.0.7:8080", inMine, "http://10.0.0.7:8080/sandboxes/mine"},
		"IPv6":                {"http://[2001:db8::1]:81/a", "[2001:DB8::1]:81", "", "http://[2001:db8::1]:81/a"},
		"other IPv6, no port": {"http://[2001:db8::1]:18080", "[::1]", "", "http://[::1]"},

		"sandbox's host":         {"https://bank.test/staging", "mine.bank.test", "", "https://mine.bank.test/staging"},
		"sandbox's host, proxy":  {alike, "mine.bank.test", "", "http://mine.bank.test:18080/a"},
		"sandbox's host, a port": {alike, "mine.bank.test:8080", "", "http://mine.bank.test:8080"},
	} {
		l := linking{path: c.path, host: c.host}
		l.PublicURL, l.SandboxHosts = c.public, []string{"*.bank.test"}
		assert.Equal(t, c.want, l.baseURL(t), name)
	}
}

// With TrustForwarded, links begin with what a proxy says that the client has called. What is no scheme, host, port or
// path is ignored.
func TestForwardedLinks(t *testing.T) {
	t.Parallel()
	const proto, host = "X-Forwarded-Proto: ", "X-Forwarded-Host: "
	const port, prefix = "X-Forwarded-Port: ", "X-Forwarded-Prefix: "
	for want, all := range map[string][][]string{
		"https://bank.example:8443/a": {{proto + "HTTPS", host + "bank.example", port + "8443", prefix + "/a/"},
			{proto + "https, http", host + "bank.example:8443, inner:80", port + "8443,80", prefix + "/a, /b"}},
		"https://a":                {{proto + "https", proto + "http", host + "a", host + "b"}},
		"https://bank":             {{proto + "https", port + "443"}},
		"https://bank:80":          {{proto + "https", port + "80"}},
		"http://[::1]:8443":        {{host + "[::1]", port + "8443"}},
		"http://bank/a%20b":        {{prefix + "/a%20b"}},
		"http://mine.bank.test/a":  {{host + "mine.bank.test", prefix + "/a"}},
		"http://bank:8443":         {{proto + "wss", port + "8443"}},
		"http://bank/evil.example": {{prefix + "//evil.example"}},
		"http://bank": {
			nil, {proto + "javascript"}, {proto + ", https"}, {port + "80@evil.example"},
			{host + "evil.example/x"}, {host + "bank@evil.example"}, {host + `"><script>`}, {host + ", other"},
			{host + "2001:db8::1"}, {prefix + "/a?b=c#d"}, {prefix + "/a b"}, {prefix + "/%zz"},
		},
	} {
		for _, headers := range all {
			l := linking{host: "bank", headers: headers}
			l.SandboxHosts = []string{"*.bank.test"}
			assert.Equal(t, "http://bank", l.baseURL(t), "%s: not trusted", headers)
			l.TrustForwarded = true
			assert.Equal(t, want, l.baseURL(t), headers)
		}
	}
	l := linking{
		Config: bankapi.Config{PublicURL: "https://bank.example/a", TrustForwarded: true},
		host:   "bank.example",
	}
	assert.Equal(t, "https://bank.example/a", l.baseURL(t), "the proxy says nothing")
	l.headers = []string{proto + "http", prefix + "/b"}
	assert.Equal(t, "http://bank.example/b", l.baseURL(t), "the proxy says more than the public URL")
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
