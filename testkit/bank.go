package testkit

import (
	"net/http"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Bank is a simulated bank of one test: a sandbox of its own. A call that the simulator refuses, or doesn't answer within
// ten seconds, ends the test with the reason. Its methods that end the test have to be called by the goroutine that runs
// it.
type Bank struct {
	t         testing.TB
	simulator simulator
	name      string       // of the sandbox
	baseURL   string       // see BaseURL
	unserve   []func()     // end its listeners
	httpsURL  string       // see HTTPSURL; empty: there is none
	hosts     hostSet      // see AsHost
	client    *api.Client  // of the control API
	apps      *http.Client // see Client
	failure   *Failure     // see Failure
	attempt   *attempt     // at an exploration; nil: it is no bank of one
}

// newBank creates a sandbox by a call of the control API, and removes it when the test ends.
func newBank(t testing.TB, s simulator, hosts hostSet, path string, body any) *Bank {
	t.Helper()
	b := &Bank{t: t, simulator: s, hosts: hosts, client: api.NewClient(s.control, s.token, nil)}
	var created api.Sandbox
	defer func() {
		if created.Name == "" { // the call has failed
			b.client.Close()
		}
	}()
	b.call(http.MethodPost, path, body, &created)
	b.name, b.baseURL = created.Name, s.service+"/sandboxes/"+created.Name
	if s.https != "" {
		b.httpsURL = s.https + "/sandboxes/" + b.name
	}
	if s.serve != nil {
		b.baseURL = b.serve(s.serve)
		b.httpsURL = b.serve(s.serveTLS)
	}
	b.apps = newAppClient(s, b.name, hosts, b.httpsURL)
	t.Cleanup(b.end)
	return b
}

// serve serves the bank on a listener of its own.
func (b *Bank) serve(on func(sandbox string) (baseURL string, end func(), err error)) string {
	b.t.Helper()
	url, end, err := on(b.name)
	if err != nil {
		b.t.Fatalf("testkit: starting the bank: %v", err)
	}
	b.unserve = append(b.unserve, end)
	return url
}

// appTimeout limits how long a request of an app may take, see Bank.Client.
const appTimeout = 30 * time.Second

// BaseURL returns the URL that clients of the bank append the interface's paths to, without a slash at its end. It leads to
// no other bank: in process each bank listens on a port of its own, on 127.0.0.1; in the container that the banks of a test
// binary share the URL has a path, and a request without that path is answered with 421, which says so. On a simulator that a
// test was given (see [On]), such a request reaches its default sandbox, and a failed test whose bank had no request says so.
func (b *Bank) BaseURL() string { return b.baseURL }

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

// Client returns an HTTP client for the bank, with a transport of its own and a time limit of 30 seconds for each request. By
// https it trusts the simulator's CA and no other, so that what is meant for the bank goes nowhere else: see [Bank.CACert].
// [AsHost] makes it lead hosts to the bank.
func (b *Bank) Client() *http.Client { return b.apps }

// end removes the bank and, if the test failed or panics, logs its exchanges first.
func (b *Bank) end() {
	if b.attempt == nil && (b.t.Failed() || panicking()) {
		b.report()
	}
	b.close()
	if b.attempt == nil || !b.attempt.removed {
		if err := b.try(http.MethodDelete, api.SandboxPath(b.name, ""), nil, nil); err != nil {
			b.t.Errorf("testkit: removing the bank: %v", err)
		}
	}
	if err := suite.write(b); err != nil {
		b.t.Errorf("testkit: writing the coverage, because %s is set: %v", coverageVariable, err)
	}
	b.client.Close()
}

// close ends the connections of apps, and the listeners that the bank has for itself. It can be called again.
func (b *Bank) close() {
	b.apps.CloseIdleConnections()
	for _, end := range b.unserve {
		end()
	}
}
