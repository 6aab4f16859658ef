package server_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// bank is a simulator under test: a real server on ports of its own, and a client.
type bank struct {
	t         testing.TB
	server    *server.Server
	sandboxes *sandbox.Registry
	sandbox   *sandbox.Sandbox // the default one
	client    *http.Client
}

// frozenRetail is the scenario retail with its clock standing still.
const frozenRetail = "name: test\nextends: retail\nclock: {run: false}\n"

// startBank starts a simulator on a scenario's YAML.
func startBank(t testing.TB, yaml string) *bank {
	t.Helper()
	return startLoggingBank(t, yaml, io.Discard)
}

func startLoggingBank(t testing.TB, yaml string, log io.Writer) *bank {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	require.NoError(t, err)
	return serveBank(t, server.Config{
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
		Log:       slog.New(slog.NewTextHandler(log, nil)),
	})
}

// serveBank starts a simulator with sandboxes and a log of one's own making, on loopback unless the control address
// says otherwise.
func serveBank(t testing.TB, cfg server.Config) *bank {
	t.Helper()
	cfg.Service, cfg.Control, cfg.Version = "127.0.0.1:0", cmp.Or(cfg.Control, "127.0.0.1:0"), "test"
	sandboxes := cfg.Sandboxes
	srv, err := server.Start(t.Context(), cfg)
	require.NoError(t, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 64, ExpectContinueTimeout: 10 * time.Second}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, srv.Shutdown(ctx))
		sandboxes.Close()
	})
	b := &bank{t, srv, sandboxes, sandboxes.Default(), &http.Client{Transport: transport, Timeout: 30 * time.Second}}
	if _, benchmark := t.(*testing.B); !benchmark {
		b.client.Transport = &contractTransport{transport, b}
	}
	return b
}

// answer is what came back, its body read.
type answer struct {
	*http.Response
	body string
}

// send sends a request with "Name: value" headers.
func (b *bank) send(method, url, body string, headers ...string) answer {
	b.t.Helper()
	return b.do(b.request(method, url, body, headers...))
}

// request returns a request with "Name: value" headers.
func (b *bank) request(method, url, body string, headers ...string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
	require.NoError(b.t, err)
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ": ")
		require.True(b.t, ok, h)
		r.Header.Add(name, value)
	}
	return r
}

func (b *bank) do(r *http.Request) answer {
	b.t.Helper()
	res, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return answer{res, string(bytes.TrimSpace(data))}
}

// service sends a request to the simulated interface.
func (b *bank) service(method, path, body string, headers ...string) answer {
	b.t.Helper()
	return b.send(method, b.server.ServiceURL()+path, body, headers...)
}

// control sends a request to the control API.
func (b *bank) control(method, path, body string) answer {
	b.t.Helper()
	return b.send(method, b.server.ControlURL()+path, body)
}

// state returns the world as the control API shows it.
func (b *bank) state() string {
	b.t.Helper()
	res := b.control(http.MethodGet, "/v1/sandboxes/default/state", "")
	require.Equal(b.t, http.StatusOK, res.StatusCode, res.body)
	return res.body
}

// advance moves the virtual clock.
func (b *bank) advance(d time.Duration) {
	b.sandbox.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Advance(d, real) })
}
