package server_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Sandboxes name the public URL as their base URL, and so does what describes the simulator. What links begin with is
// tested in package bankapi.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{PublicURL: "https://bank.example/staging"})
	made := b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`).Body
	assert.Contains(t, made, `"baseUrl":"https://bank.example/staging/sandboxes/mine"`)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/default", "").Body, `"baseUrl":"https://bank.example/staging"`)
	assert.Contains(t, b.Control(200, "GET /v1/info", "").Body, `"baseUrl":"https://bank.example/staging"`)
}

func TestCleanPublicURL(t *testing.T) {
	t.Parallel()
	for text, clean := range map[string]string{
		"HTTPS://bank.example:8443/a/b//":  "https://bank.example:8443/a/b",
		"http://[2001:db8::1]:8080/a%2Fb/": "http://[2001:db8::1]:8080/a%2Fb",
	} {
		got, err := server.CleanPublicURL(text)
		assert.NoError(t, err, text)
		assert.Equal(t, clean, got)
	}
	for text, wrong := range map[string]string{
		"":                              "is empty: give a URL such as",
		"bank.example:8080":             "give its scheme, http or https, and its host",
		"ftp://bank.example":            "give its scheme",
		"http://:8080":                  "and its host",
		"http://bank.example?a=b":       `"http://bank.example?…" has a query or a fragment: leave it out`,
		"http://bank.example/?":         "has a query or a fragment",
		"http://bank.example/#":         "has a query or a fragment",
		"http://u:s3cret@bank.example?": "has credentials: leave them out",
	} {
		_, err := server.CleanPublicURL(text)
		assert.ErrorContains(t, err, wrong, text)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}
