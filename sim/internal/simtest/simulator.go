package simtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Patience is how long tests wait for an event that comes at once on an idle machine.
const Patience = time.Minute

// FrozenRetail is the scenario retail with a seed, and its clock standing still.
const FrozenRetail = "name: test\nextends: retail\nseed: 7\nclock: {run: false}\n"

// WithFaults returns [FrozenRetail] with fault rules, given as a YAML list.
func WithFaults(rules string) string { return FrozenRetail + "faults:\n" + rules }

// start starts a simulator and returns its default sandbox. What the configuration leaves out is chosen: addresses on
// loopback with free ports, a log that is discarded, and a registry whose scenario is [FrozenRetail].
func start(ctx context.Context, t testing.TB, cfg server.Config) *Bank {
	t.Helper()
	if cfg.Sandboxes == nil {
		cfg.Sandboxes = Registry(t, FrozenRetail)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Listen == nil {
		cfg.Listen = []string{"127.0.0.1:0"}
	}
	cfg.Control = cmp.Or(cfg.Control, "127.0.0.1:0")
	cfg.Version = cmp.Or(cfg.Version, "test")
	cfg.Metrics = metrics.New(metrics.Config{Version: cfg.Version, Sandboxes: cfg.Sandboxes, Log: cfg.LogQueue})
	srv, err := server.Start(ctx, cfg)
	require.NoError(t, err)
	return &Bank{
		Sandbox:      cfg.Sandboxes.Default(),
		Sandboxes:    cfg.Sandboxes,
		Server:       srv,
		sandboxHosts: cfg.SandboxHosts,
	}
}

// close shuts the simulator down and ends its sandboxes.
func (b *Bank) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer b.Sandboxes.Close()
	return b.Server.Shutdown(ctx)
}

// of returns a sandbox of the bank's simulator for a test, with a client of its own.
func (b *Bank) of(t testing.TB, sb *sandbox.Sandbox) *Bank {
	t.Helper()
	other := &Bank{Sandbox: sb, Sandboxes: b.Sandboxes, Server: b.Server, sandboxHosts: b.sandboxHosts, t: t}
	other.UseTransport(&http.Transport{MaxIdleConnsPerHost: 64, ExpectContinueTimeout: Patience})
	return other
}

// shared is the simulator of the test binary. It starts with the first bank that needs it.
var shared struct {
	mu   sync.Mutex
	bank *Bank
}

func sharedBank(t testing.TB) *Bank {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.bank == nil {
		shared.bank = start(context.Background(), t, server.Config{})
	}
	return shared.bank
}

// Main runs the tests of a binary and exits. It closes the shared simulator, calls the functions that close what else
// the tests share, and fails if a goroutine is left.
func Main(m *testing.M, closers ...func()) {
	code := m.Run()
	for _, end := range closers {
		end()
	}
	if shared.bank != nil {
		if err := shared.bank.close(); err != nil {
			panic(err)
		}
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// NewBank returns a sandbox of the shared simulator, made from a scenario's YAML. It is deleted when the test ends.
func NewBank(t testing.TB, yaml string) *Bank {
	t.Helper()
	b := sharedBank(t)
	sb, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Scenario: Scenario(t, yaml)})
	require.NoError(t, err)
	t.Cleanup(func() {
		err := b.Sandboxes.Delete(t.Context(), sb)
		if !errors.Is(err, sandbox.ErrNoSandbox) { // the test may have deleted it
			assert.NoError(t, err)
		}
	})
	return b.of(t, sb)
}

// Start starts a simulator of the test's own and returns its default sandbox. The simulator ends with the test. See
// the package documentation for when a test needs one; parts of the configuration that are left out are chosen.
func Start(t testing.TB, cfg server.Config) *Bank {
	t.Helper()
	b := start(t.Context(), t, cfg)
	t.Cleanup(func() { require.NoError(t, b.close()) })
	return b.of(t, b.Sandbox)
}

// StartScenario is [Start] with a registry whose scenario is the given one.
func StartScenario(t testing.TB, yaml string) *Bank {
	t.Helper()
	return Start(t, server.Config{Sandboxes: Registry(t, yaml)})
}

// Registry returns a registry whose scenario is the given one.
func Registry(t testing.TB, yaml string) *sandbox.Registry {
	t.Helper()
	return sandbox.NewRegistry(sandbox.Config{Scenario: Scenario(t, yaml)})
}

// scenarios holds every scenario that was parsed, by its YAML. They are values that sandboxes fork and never change.
var scenarios sync.Map

// Scenario returns a scenario from its YAML. It is parsed once per test binary.
func Scenario(t testing.TB, yaml string) *scenario.Scenario {
	t.Helper()
	if known, ok := scenarios.Load(yaml); ok {
		return known.(*scenario.Scenario)
	}
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	require.NoError(t, err)
	known, _ := scenarios.LoadOrStore(yaml, sc)
	return known.(*scenario.Scenario)
}

// UseTransport gives the bank a client with connections of its own.
func (b *Bank) UseTransport(transport *http.Transport) {
	b.t.Cleanup(transport.CloseIdleConnections)
	b.Client = &http.Client{Transport: transport, Timeout: Patience}
	if _, benchmark := b.t.(*testing.B); !benchmark {
		b.Client.Transport = &checkedTransport{transport, b}
	}
}
