package testkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/testkit/internal/backend"
)

// The variable that chooses where the banks of a test binary run, and its values.
const (
	modeVariable  = "BANKSIM_TESTKIT"
	modeContainer = "container"
	modeInProcess = "inprocess"
)

// addressTimeout limits how long a simulator that a test was given may take to find out its addresses.
const addressTimeout = 10 * time.Second

// Simulator is a running simulator on which banks can be, see [On]. If it has a method NetworkURL, like BaseURL but for other
// containers on the simulator's network, [Bank.NetworkURL] works, too; if it has a method HTTPSURL, like BaseURL but for https,
// so does [Bank.HTTPSURL].
type Simulator interface {
	BaseURL(context.Context) (string, error)    // of its default sandbox
	ControlURL(context.Context) (string, error) // of its control API
	ControlToken() string                       // of its control API; empty: it needs none
}

// simulator is a running simulator, which has the sandboxes of all banks.
type simulator struct {
	backend.Simulator
	network string // base URL of the default sandbox for containers on the simulator's network; empty: none reaches it
	given   bool   // see On: its default sandbox answers requests that name no bank

	// serve serves a sandbox on a listener of its own until end is called; nil: that can't be had, and the base URL has a
	// path.
	serve func(sandbox string, secure bool) (baseURL string, end func(), err error)

	dial func(ctx context.Context, network, address string) (net.Conn, error) // to it; nil: over the network
}

// Start returns a bank for a test, and removes it when the test ends. All banks of a test binary are sandboxes of one
// simulator, which starts with the first bank.
//
// The simulator runs in the test's own process or, if the test binary imports package testkit/container, in a container.
// [InProcess] keeps a bank in the process all the same, and the environment variable BANKSIM_TESTKIT, container or
// inprocess, decides for all banks. Where no Docker engine answers within fifteen seconds, a test that needs one fails or,
// if container.SkipWithoutEngine or BANKSIM_TESTKIT_SKIP=1 says so, is skipped. The start of the simulator takes five minutes at
// most, including the build of its image.
func Start(t testing.TB, opts ...Option) *Bank {
	t.Helper()
	s := settle(opts)
	if s.inMemory {
		simulator, end, err := inMemory()
		if err != nil || s.on != nil || len(s.hosts) > 0 {
			t.Fatalf("testkit: InMemory goes with neither On nor AsHost, which are about addresses (error: %v)", err)
		}
		t.Cleanup(end)
		return newBank(t, simulator, nil, newSandboxPath, s.plan)
	}
	simulator, err := s.simulator(context.Background())
	var none noEngine
	switch {
	case errors.As(err, &none) && backend.SkipWithoutEngine:
		t.Skipf("testkit: %v", none)
	case err != nil:
		t.Fatalf("testkit: starting the simulator: %v", err)
	}
	return newBank(t, simulator, s.hosts, newSandboxPath, s.plan)
}

// noEngine is why no container can be started.
type noEngine struct{ reason error }

func (e noEngine) Error() string {
	return fmt.Sprintf("no Docker engine answers (%v): start one, set %s=%s to run without, or skip such tests by "+
		"container.SkipWithoutEngine() or BANKSIM_TESTKIT_SKIP=1", e.reason, modeVariable, modeInProcess)
}

// simulator returns the simulator on which a bank runs. It starts the shared one of the test binary, if that doesn't run.
func (s settings) simulator(ctx context.Context) (simulator, error) {
	if s.inMemory {
		return simulator{}, errors.New("InMemory is an option of Start alone")
	}
	if err := s.checkHosts(); err != nil {
		return simulator{}, err
	}
	if s.on != nil {
		on, err := given(ctx, s.on)
		if err == nil && len(s.hosts) > 0 && on.HTTPS == "" {
			err = errors.New("AsHost: start the simulator with --listen https://ADDRESS, too, and give testkit.On a method HTTPSURL")
		}
		return on, err
	}
	inProcess, err := s.runsInProcess()
	switch {
	case err != nil:
		return simulator{}, err
	case inProcess:
		return sharedServer()
	}
	containers := backend.Registered
	if containers == nil {
		return simulator{}, fmt.Errorf("%s is %s, but this test binary can't run containers: "+
			"import _ \"github.com/digitalbanking-sim/banksim/testkit/container\" in one of its test files", modeVariable, modeContainer)
	}
	if err := containers.Ping(); err != nil {
		return simulator{}, noEngine{err}
	}
	shared, err := containers.Shared(ctx, s.image)
	return simulator{Simulator: shared}, err
}

// given returns a simulator that a test was given.
func given(ctx context.Context, from Simulator) (s simulator, err error) {
	s.given = true
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	if s.Service, err = from.BaseURL(ctx); err != nil {
		return s, err
	}
	if s.Control, err = from.ControlURL(ctx); err != nil {
		return s, err
	}
	s.Token = from.ControlToken()
	if n, ok := from.(interface {
		NetworkURL(context.Context) (string, error)
	}); ok {
		s.network, _ = n.NetworkURL(ctx) // it may be on no network
	}
	if h, ok := from.(interface {
		HTTPSURL(context.Context) (string, error)
	}); ok {
		s.HTTPS, _ = h.HTTPSURL(ctx) // it may speak none
	}
	for _, url := range []*string{&s.Service, &s.HTTPS, &s.Control, &s.network} {
		*url = strings.TrimRight(*url, "/") // paths are appended
	}
	return s, s.askForHTTPS(ctx)
}

// runsInProcess decides where a bank runs: the variable before the option, and both before what the test binary imports.
func (s settings) runsInProcess() (bool, error) {
	switch mode := os.Getenv(modeVariable); mode {
	case "":
		return s.inProcess || backend.Registered == nil, nil
	case modeContainer:
		return false, nil
	case modeInProcess:
		return true, nil
	default:
		return false, fmt.Errorf("%s is %q: it must be %s or %s", modeVariable, mode, modeContainer, modeInProcess)
	}
}

// Option configures the bank that [Start] returns.
type Option func(*settings)

// settings holds what the options set.
type settings struct {
	inProcess bool
	inMemory  bool
	image     string
	on        Simulator
	hosts     hostSet
	plan      api.NewSandbox
}

// settle applies options.
func settle(opts []Option) settings {
	var s settings
	for _, opt := range opts {
		opt(&s)
	}
	return s
}

// newSandboxPath is the call that creates a bank's sandbox.
const newSandboxPath = "/v1/sandboxes"

// InProcess runs the bank in the test's own process: without Docker, within milliseconds.
func InProcess() Option { return func(s *settings) { s.inProcess = true } }

// Image runs the bank in a container of this image, instead of one that is built for the test binary; in process it has no
// effect. The environment variable BANKSIM_IMAGE decides for all banks. The image has to have the version of banksim that
// go.mod names. An engine that doesn't have it pulls it.
func Image(name string) Option { return func(s *settings) { s.image = name } }

// On runs the bank on a simulator that runs already, such as a container that container.Run has started. BANKSIM_TESTKIT has
// no effect on such a bank.
func On(simulator Simulator) Option { return func(s *settings) { s.on = simulator } }

// Scenario starts the bank from a built-in scenario instead of retail.
func Scenario(name string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = &name, nil }
}

// ScenarioYAML starts the bank from a scenario's YAML, which may extend a built-in one.
func ScenarioYAML(yaml string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = nil, &yaml }
}

// Seed sets the seed of the bank's ids and tokens, instead of the scenario's.
func Seed(seed uint64) Option { return func(s *settings) { s.plan.Seed = &seed } }

// version is that of the simulator in the process of the test binary, as it states it.
const version = "testkit"

// sharedServer starts the simulator in the process of the test binary, and it ends with that.
var sharedServer = sync.OnceValues(func() (simulator, error) {
	sc, err := scenario.Load("retail")
	if err != nil {
		return simulator{}, err
	}
	// Clients ask for any name: see AsHost.
	certificates, err := tlsca.Open(tlsca.Config{Hosts: []string{"*"}})
	if err != nil {
		return simulator{}, err
	}
	seed := uint64(backend.Seed)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Seed: &seed})
	srv, err := server.Start(context.Background(), server.Config{
		Listen:       []string{"127.0.0.1:0"},
		Control:      "127.0.0.1:0",
		Certificates: certificates,
		Sandboxes:    sandboxes,
		NoDefault:    true, // a request that names no bank reaches none
		Version:      version,
		Log:          slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return simulator{}, err
	}
	return simulator{
		Simulator: backend.Simulator{Service: srv.ServiceURL(), CA: srv.CA(), Control: srv.ControlURL()},
		serve:     srv.ServeSandbox,
	}, nil
})

// IgnoreGoroutines returns the names of the functions whose goroutines the simulator in the test's process keeps until the
// test binary ends: those of its two listeners. All else ends with the banks. A leak detector has to ignore these functions,
// wherever they are on a goroutine's stack. With go.uber.org/goleak:
//
//	func TestMain(m *testing.M) {
//		var options []goleak.Option
//		for _, function := range testkit.IgnoreGoroutines() {
//			options = append(options, goleak.IgnoreAnyFunction(function))
//		}
//		goleak.VerifyTestMain(m, options...)
//	}
func IgnoreGoroutines() []string {
	return []string{"github.com/digitalbanking-sim/banksim/sim/server.(*Server).serve"}
}
