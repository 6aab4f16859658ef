package simtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Patience is how long tests wait for what comes at once on a machine that has nothing else to do.
const Patience = time.Minute

// FrozenRetail is the scenario retail with its clock standing still.
const FrozenRetail = "name: test\nextends: retail\nclock: {run: false}\n"

// WithFaults returns [FrozenRetail] with fault rules, given as a YAML list.
func WithFaults(rules string) string { return FrozenRetail + "faults:\n" + rules }

// simulator is a running server with the registry of its sandboxes.
type simulator struct {
	server    *server.Server
	sandboxes *sandbox.Registry
	config    server.Config
}

// start starts a simulator. What the configuration leaves out is chosen: addresses on loopback with free ports, a log
// that is discarded, and a registry whose scenario is [FrozenRetail].
func start(ctx context.Context, cfg server.Config) (*simulator, error) {
	if cfg.Sandboxes == nil {
		sc, err := parsed(FrozenRetail)
		if err != nil {
			return nil, err
		}
		cfg.Sandboxes = sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if cfg.Listen == nil {
		cfg.Listen = []string{"127.0.0.1:0"}
	}
	cfg.Control = cmp.Or(cfg.Control, "127.0.0.1:0")
	cfg.Version = cmp.Or(cfg.Version, "test")
	srv, err := server.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &simulator{srv, cfg.Sandboxes, cfg}, nil
}

// close shuts the server down and ends its sandboxes.
func (s *simulator) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer s.sandboxes.Close()
	return s.server.Shutdown(ctx)
}

// shared is the simulator of the test binary. It starts with the first bank that needs it.
var shared struct {
	once sync.Once
	*simulator
	err error
}

// Main runs the tests of a binary and exits. It closes the shared simulator, calls the functions that close what else the
// tests share, and fails if a goroutine is left.
func Main(m *testing.M, closers ...func()) {
	debug.SetGCPercent(400) // tests leave much garbage and hold little
	code := m.Run()
	if shared.simulator != nil {
		closers = append(closers, func() {
			if err := shared.close(); err != nil {
				panic(err)
			}
		})
	}
	for _, end := range closers {
		end()
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
	shared.once.Do(func() { shared.simulator, shared.err = start(context.Background(), server.Config{}) })
	require.NoError(t, shared.err)
	sb, err := shared.sandboxes.Create(sandbox.Plan{Scenario: Scenario(t, yaml)})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := shared.sandboxes.Delete(sb.Name()); err != nil && !errors.Is(err, sandbox.ErrNoSandbox) { // the test may have deleted it
			t.Error(err)
		}
	})
	return newBank(t, shared.simulator, sb)
}

// Start starts a simulator of the test's own and returns its default sandbox. The simulator ends with the test. See
// the package documentation for when a test needs one; parts of the configuration that are left out are chosen.
func Start(t testing.TB, cfg server.Config) *Bank {
	t.Helper()
	s, err := start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.close()) })
	return newBank(t, s, s.sandboxes.Default())
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
	sc, err := parsed(yaml)
	require.NoError(t, err)
	return sc
}

func parsed(yaml string) (*scenario.Scenario, error) {
	if known, ok := scenarios.Load(yaml); ok {
		return known.(*scenario.Scenario), nil
	}
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	if err != nil {
		return nil, err
	}
	known, _ := scenarios.LoadOrStore(yaml, sc)
	return known.(*scenario.Scenario), nil
}

// OverHTTP2 gives the bank a client that speaks HTTP/2, with prior knowledge.
func (b *Bank) OverHTTP2() {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	b.useTransport(transport)
}

// useTransport gives the bank a client with connections of its own.
func (b *Bank) useTransport(transport *http.Transport) {
	b.t.Cleanup(transport.CloseIdleConnections)
	b.Client = &http.Client{Transport: transport, Timeout: Patience}
	if _, benchmark := b.t.(*testing.B); !benchmark {
		b.Client.Transport = &checkedTransport{transport, b}
	}
}
