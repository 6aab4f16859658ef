package server_test

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Sandboxes name the public URL as their base URL, and so does what describes the simulator.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{PublicURL: "https://bank.example/staging"})
	made := b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`).Body
	assert.Contains(t, made, `"baseUrl":"https://bank.example/staging/sandboxes/mine"`)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/mine", "").Body, `"baseUrl":"https://bank.example/staging/sandboxes/mine"`)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/default", "").Body, `"baseUrl":"https://bank.example/staging"`)
	assert.Contains(t, b.Control(200, "GET /v1/info", "").Body, `"baseUrl":"https://bank.example/staging"`)
	for path, link := range map[string]string{"": "https://127.0.0.1/staging", "/sandboxes/mine": "https://127.0.0.1/staging/sandboxes/mine"} {
		assert.Contains(t, simtest.ListGroups.At(path+simtest.GroupsPath).Send(b).Body, `"`+link+simtest.GroupsPath+"?", "the host is the request's")
	}

	local := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Contains(t, local.ControlSandbox(200, "GET ", "").Body, `"baseUrl":"`+local.BaseURL()+`"`)
}

// Sandboxes name a URL for each pattern of hosts, with the scheme and the port at which clients reach the listener.
func TestHostURLs(t *testing.T) {
	t.Parallel()
	patterns := []string{"*.bank.test", "*.localhost"}
	b := simtest.Start(t, server.Config{SandboxHosts: patterns})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(b.Server.ServiceURL(), "http://"))
	require.NoError(t, err)
	assert.Contains(t, b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`).Body, `"hostUrls":["http://mine.bank.test:`+port+`","http://mine.localhost:`+port+`"]`)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/default", "").Body, `"hostUrls":["http://default.bank.test:`+port+`"`)
	assert.NotContains(t, b.Control(201, "POST /v1/sandboxes", `{"name":"mine-"}`).Body, "hostUrls", "it is no label of a host")

	for public, url := range map[string]string{
		"https://bank.example/staging": "https://mine.bank.test",
		"http://[2001:db8::1]:8443":    "http://mine.bank.test:8443",
		"http://[2001:db8::1]":         "http://mine.bank.test",
	} {
		b := simtest.Start(t, server.Config{SandboxHosts: patterns[:1], PublicURL: public})
		assert.Contains(t, b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`).Body, `"hostUrls":["`+url+`"]`)
		r := simtest.ListGroups.Request(b)
		r.Host = "mine.bank.test:1"
		assert.Contains(t, b.Do(r).Body, `"`+url+simtest.GroupsPath+"?")
	}
	assert.NotContains(t, simtest.NewBank(t, simtest.FrozenRetail).ControlSandbox(200, "GET ", "").Body, "hostUrls")
}

func TestCleanPublicURL(t *testing.T) {
	t.Parallel()
	for text, clean := range map[string]string{
		"http://bank.example":              "http://bank.example",
		"https://bank.example/":            "https://bank.example",
		"HTTPS://bank.example:8443/a/b//":  "https://bank.example:8443/a/b",
		"http://[2001:db8::1]:8080/a%2Fb/": "http://[2001:db8::1]:8080/a%2Fb",
		"http://127.0.0.1:49153":           "http://127.0.0.1:49153",
	} {
		got, err := server.CleanPublicURL(text)
		assert.NoError(t, err, text)
		assert.Equal(t, clean, got)
	}
	for text, wrong := range map[string]string{
		"":                              "is empty: give a URL such as",
		"bank.example":                  "give its scheme, http or https, and its host",
		"bank.example:8080":             "give its scheme",
		"//bank.example":                "give its scheme",
		"ftp://bank.example":            "give its scheme",
		"http://":                       "and its host",
		"http://:8080":                  "and its host",
		"http:///path":                  "and its host",
		"http://bank.example:port":      "give its scheme",
		"http://bank example":           "give its scheme",
		"http://u:s3cret@bank.example":  "has credentials: leave them out",
		"http://bank.example?a=b":       `"http://bank.example?a=b" has a query or a fragment: leave it out`,
		"http://bank.example/?":         "has a query or a fragment",
		"http://bank.example/#sandbox":  "has a query or a fragment",
		"http://bank.example/#":         "has a query or a fragment",
		"http://u:s3cret@bank.example?": "has credentials",
	} {
		_, err := server.CleanPublicURL(text)
		assert.ErrorContains(t, err, wrong, text)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}
