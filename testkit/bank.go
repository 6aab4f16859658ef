package testkit

import (
	"net/http"
	"testing"
	"time"
)

// Bank is a simulated bank of one test: a sandbox of its own. A call that the simulator refuses ends the test with the
// reason.
type Bank struct {
	t         testing.TB
	simulator simulator
	name      string       // of the sandbox
	client    *http.Client // of the control API
	apps      *http.Client // see Client
}

// newBank creates a sandbox by a call of the control API, and removes it when the test ends.
func newBank(t testing.TB, s simulator, path string, body any) *Bank {
	t.Helper()
	b := &Bank{t: t, simulator: s, client: newClient(s), apps: newAppClient()}
	var created struct{ Name string }
	b.call(http.MethodPost, path, body, &created)
	b.name = created.Name
	t.Cleanup(b.end)
	return b
}

// newAppClient returns a client for an app under test.
func newAppClient() *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: newTransport()}
}

// BaseURL returns the URL that clients of the bank append the interface's paths to.
func (b *Bank) BaseURL() string { return b.simulator.service + "/sandboxes/" + b.name }

// NetworkURL returns the base URL of the bank for an app that runs in another container on the simulator's network. The bank
// has to be on a container that was run with container.WithNetwork, see [On].
func (b *Bank) NetworkURL() string {
	b.t.Helper()
	if b.simulator.network == "" {
		b.t.Fatalf("testkit: no container reaches the bank: run the simulator with container.WithNetwork, and start the bank with testkit.On")
	}
	return b.simulator.network + "/sandboxes/" + b.name
}

// ControlURL returns the control API's URL of the bank's sandbox.
func (b *Bank) ControlURL() string { return b.simulator.control + "/v1/sandboxes/" + b.name }

// Client returns an HTTP client for the bank, with a transport of its own and a time limit for each request.
func (b *Bank) Client() *http.Client { return b.apps }

// end removes the bank and, if the test failed, logs its exchanges first.
func (b *Bank) end() {
	if b.t.Failed() {
		b.report()
	}
	if err := b.try(http.MethodDelete, "/"+b.name, nil, nil); err != nil {
		b.t.Errorf("testkit: removing the bank: %v", err)
	}
	b.client.CloseIdleConnections()
	b.apps.CloseIdleConnections()
}
