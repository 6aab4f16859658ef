package simtest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Bank is one sandbox of a running simulator, as a test uses it. Its methods may be called by many goroutines.
type Bank struct {
	Sandbox   *sandbox.Sandbox
	Sandboxes *sandbox.Registry // of the simulator: of all tests, unless it is the test's own
	Server    *server.Server
	Client    *http.Client // checks every exchange

	sandboxHosts []string     // patterns, as server.Config has them
	ids          fixtures.IDs // that requests of a golden exchange got
	t            testing.TB
}

// In returns another sandbox of the bank's simulator.
func (b *Bank) In(name string) *Bank {
	b.t.Helper()
	sb, err := b.Sandboxes.Find(b.t.Context(), name)
	require.NoError(b.t, err, "sandbox %q", name)
	other := *b
	other.Sandbox = sb
	return &other
}

// BaseURL returns the base URL of the sandbox. A client appends the interface's paths.
func (b *Bank) BaseURL() string {
	if b.Sandbox.Name() == sandbox.Default {
		return b.Server.ServiceURL()
	}
	return b.Server.ServiceURL() + "/sandboxes/" + b.Sandbox.Name()
}

// Dial opens a connection to the service listener for a test that speaks HTTP by itself, and sends texts. It ends with
// the test.
func (b *Bank) Dial(texts ...string) *net.TCPConn {
	b.t.Helper()
	return b.DialURL(b.Server.ServiceURL(), texts...)
}

// DialURL is Dial to the listener of a URL.
func (b *Bank) DialURL(url string, texts ...string) *net.TCPConn {
	b.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(b.t, conn.SetDeadline(time.Now().Add(Patience)))
	for _, text := range texts {
		_, err := io.WriteString(conn, text)
		require.NoError(b.t, err)
	}
	return conn.(*net.TCPConn)
}

// Answer is an answer whose body is read.
type Answer struct {
	*http.Response
	Body string // without white space around it
}

// Request returns a request with "Name: value" headers. The test's end cancels it.
func (b *Bank) Request(method, url, body string, headers ...string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
	require.NoError(b.t, err)
	r.Header = NewCall(method, url, body, headers...).Header
	return r
}

// Do sends a request that must be answered.
func (b *Bank) Do(r *http.Request) Answer {
	b.t.Helper()
	res, err := b.Try(r)
	require.NoError(b.t, err)
	return res
}

// Try sends a request that may fail.
func (b *Bank) Try(r *http.Request) (Answer, error) {
	res, err := b.Client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	data, err := io.ReadAll(res.Body)
	return Answer{res, string(bytes.TrimSpace(data))}, errors.Join(err, res.Body.Close())
}

// Control sends a call of the control API, such as "GET /v1/info", that must be answered with a status.
func (b *Bank) Control(status int, call, body string, headers ...string) Answer {
	b.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	res := b.Do(b.Request(method, b.Server.ControlURL()+path, body, headers...))
	require.Equal(b.t, status, res.StatusCode, "%s %s: %s", call, body, res.Body)
	return res
}

// ControlSandbox is Control for the bank's sandbox: the path begins below the sandbox, such as "POST /reset".
func (b *Bank) ControlSandbox(status int, call, body string, headers ...string) Answer {
	b.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	return b.Control(status, method+" "+b.ControlPath()+path, body, headers...)
}

// ControlPath returns the path of the sandbox in the control API.
func (b *Bank) ControlPath() string { return "/v1/sandboxes/" + b.Sandbox.Name() }

// Get returns what the control API answers to GET below the bank's sandbox, such as at /faults.
func (b *Bank) Get(path string) string {
	b.t.Helper()
	return b.ControlSandbox(http.StatusOK, "GET "+path, "").Body
}

// State returns the world as the control API shows it.
func (b *Bank) State() string {
	b.t.Helper()
	return b.Get("/state")
}

// Advance moves the virtual clock.
func (b *Bank) Advance(d time.Duration) {
	b.t.Helper()
	require.NoError(b.t, b.Sandbox.Change(b.t.Context(), func(tx *sandbox.Tx) error {
		tx.Clock = tx.Clock.Advance(d, tx.Wall)
		return nil
	}))
}

// AwaitFired waits until the first fault of the sandbox has fired so many times.
func (b *Bank) AwaitFired(times int) {
	b.t.Helper()
	hasFired := func() bool { return b.Sandbox.Known().Faults.Counts()[0].Fired == uint64(times) }
	require.Eventually(b.t, hasFired, Patience, time.Millisecond)
}

// World returns the present world of the sandbox.
func (b *Bank) World() *sim.World {
	b.t.Helper()
	v, err := b.Sandbox.Latest(b.t.Context())
	require.NoError(b.t, err)
	return v.World
}

// Journal returns the journal of the sandbox.
func (b *Bank) Journal() *journal.Journal { return b.Sandbox.Known().Journal }

// Exchanges returns the exchanges of the journal that match a query.
func (b *Bank) Exchanges(q journal.Query) []journal.Exchange {
	return slices.Collect(b.Journal().Select(q).Exchanges())
}

// Search returns the exchanges of the journal that match a search, such as outcome:refused.
func (b *Bank) Search(text string) []journal.Exchange {
	b.t.Helper()
	search, err := journal.ParseSearch(text)
	require.NoError(b.t, err)
	return b.Exchanges(journal.Query{Search: search})
}

// Last returns the newest exchange of the journal.
func (b *Bank) Last() journal.Exchange {
	b.t.Helper()
	all := b.Exchanges(journal.Query{Limit: 1, Newest: true})
	require.Len(b.t, all, 1)
	return all[0]
}

// ExchangeOf returns the journal's entry of an answer.
func (b *Bank) ExchangeOf(res Answer) journal.Exchange {
	b.t.Helper()
	x, ok := b.Journal().Get(res.Header.Get("Banksim-Exchange"))
	require.True(b.t, ok, "the answer names no exchange: %v", res.Header)
	return x
}
