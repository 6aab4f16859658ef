package testkit

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// Bank is a simulated bank of one test. A call that the simulator refuses, or doesn't answer within ten seconds, ends
// the test with the reason. So the goroutine that runs the test has to make the calls.
type Bank struct {
	t testing.TB
	*handle
	isShared   bool                   // whether other tests use the bank, too
	explores   *api.Beginning         // what the explored bank begins with, or nil for another bank
	concurrent atomic.Pointer[string] // a test that uses it at the same time, or nil
	injected   []string               // the names of faults
	taken      []string               // the names of its snapshots
	since      string                 // the newest exchange that the test doesn't see, or "0"
	misused    bool                   // whether a call by the test has failed it
	arranged   func()                 // called after a change past the bank's rules
}

// Start returns a bank for a test, and removes it when the test ends.
func Start(t testing.TB, opts ...Option) *Bank {
	t.Helper()
	s, err := newSettings(opts)
	if err == nil {
		err = s.refuseExploreOptions()
	}
	if err != nil {
		t.Fatalf("testkit: Start: %v", err)
	}
	if exploring {
		b, err := startExplored(t, s)
		if err != nil {
			t.Fatalf("testkit: Start: %v", err)
		}
		t.Cleanup(func() {
			b.conclude()
			b.removeSnapshots()
		})
		return b
	}
	b := start(t, s)
	t.Cleanup(b.end)
	return b
}

// start returns a bank for a test. The caller has to end it.
func start(t testing.TB, s settings) *Bank {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // a cleanup may start a bank, too
	e, err := s.endpoint(ctx, t.Cleanup)
	if err != nil {
		t.Fatalf("testkit: Start: %v", err)
	}
	h, err := createSandbox(ctx, e, s.client, s.plan)
	if err != nil {
		t.Fatalf("testkit: Start: %v", err)
	}
	return newBank(t, h)
}

// newBank returns the bank of a sandbox, for its only test.
func newBank(t testing.TB, h *handle) *Bank {
	return &Bank{t: t, handle: h, since: "0", arranged: func() {}}
}

// end reports what a test leaves, and removes its bank.
func (b *Bank) end() {
	b.conclude()
	b.removeOrFail()
}

// removeOrFail removes the bank.
func (b *Bank) removeOrFail() {
	if err := b.remove(); err != nil {
		b.t.Errorf("testkit: removing the bank: %v", err)
	}
}

// conclude fails the test with what the bank says about it, and logs the exchanges of a test that failed.
func (b *Bank) conclude() {
	v, err := b.verdict()
	if err != nil {
		b.t.Errorf("testkit: asking the bank for its verdict: %v", err)
	}
	b.fail(v)
	if b.t.Failed() || panicking() {
		b.report()
	}
	b.writeCoverage()
}

// writeCoverage writes what the tests of the test binary have covered so far, if that is wanted.
func (b *Bank) writeCoverage() {
	if err := binaryCoverage.write(b.handle); err != nil {
		b.t.Errorf("testkit: writing the coverage, because %s is set: %v", coverageVariable, err)
	}
}

// BaseURL returns the URL that the app appends the interface's paths to, without a slash at its end. It leads to no
// other bank. In process each bank listens on a port of its own, on 127.0.0.1; elsewhere the URL has a path, and a
// request without that path reaches the simulator's default sandbox. A failed test says so if its bank had no request.
func (b *Bank) BaseURL() string { return b.baseURL }

// ControlURL returns the control API's URL of the bank, for a call that Bank has no method for. In process it needs no
// token.
func (b *Bank) ControlURL() string { return b.simulator.control + "/v1/sandboxes/" + b.name }

// Client returns the HTTP client of the bank for the app: always the same one, with a transport of its own and a time
// limit of 30 seconds for each request. By https it trusts the simulator's CA and no other. [AsHost] makes it lead
// hosts to the bank. Wrap its transport rather than asserting its type.
func (b *Bank) Client() *http.Client { return b.apps }

// CACert returns the certificate (PEM) of the CA that clients of [HTTPS] must trust. An app in another process takes it
// from a file: curl by --cacert, Node by NODE_EXTRA_CA_CERTS, Go on Linux by SSL_CERT_FILE.
func (b *Bank) CACert() []byte {
	b.t.Helper()
	if b.simulator.ca != nil {
		return slices.Clone(b.simulator.ca)
	}
	ca, err := b.client.Read(context.Background(), http.MethodGet, "/ca.pem", nil)
	if err != nil {
		b.fatalf("CACert: %v", plainly(err))
	}
	return ca
}

// must makes a call about the bank for a method, and ends the test if it fails.
func (b *Bank) must(of, method, path string, body, into any) {
	b.t.Helper()
	if err := b.call(context.Background(), method, path, body, into); err != nil {
		b.fatalf("%s: %v", of, err)
	}
}

// fatalf ends the test because of a call that it has made.
func (b *Bank) fatalf(format string, args ...any) {
	b.t.Helper()
	b.misused = true
	b.t.Fatalf("testkit: "+format, args...)
}

// report logs the last exchanges that the test sees, with the decisions behind them.
func (b *Bank) report() {
	const most = 20
	seen, err := b.lastExchanges(context.Background(), most, "")
	if err == nil && len(seen) == 0 {
		b.reportNoRequest()
		return
	}
	var text []byte
	if err == nil {
		text, err = b.read(
			context.Background(), http.MethodGet, fmt.Sprintf("/journal?format=text&limit=%d", len(seen)),
		)
	}
	if err != nil {
		b.t.Logf("testkit: reading the bank's journal: %v", err)
		return
	}
	b.t.Logf("testkit: the bank's last exchanges, each with the decision behind its answer:\n%s", text)
}

// reportNoRequest logs what the bank says about a test without requests, unless the test itself has misused the bank:
// then it may not have come to a request.
func (b *Bank) reportNoRequest() {
	var v verdict.Verdict
	err := b.call(context.Background(), http.MethodGet, "/verdict?after="+b.since, nil, &v)
	if err != nil || b.misused {
		return
	}
	way := "BaseURL"
	if b.simulator.dial != nil { // in memory
		way = "Client"
	}
	for _, n := range v.Notes {
		if n.Kind == verdict.NoRequest {
			b.t.Logf("testkit: %s. Does the app use the bank's %s?", n.Text, way)
		}
	}
}

// panicking reports whether the goroutine that runs a test's cleanups is panicking. Then package testing has not marked
// the test as failed yet, and recover returns nothing, because package testing calls the cleanups.
func panicking() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}
