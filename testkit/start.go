package testkit

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Where the banks of a test binary are.
const (
	modeVariable  = "BANKSIM_TESTKIT"
	modeContainer = "container"
	modeInProcess = "inprocess"
)

// requireVariable makes a test fail that would be skipped because no Docker engine answers.
const requireVariable = "BANKSIM_REQUIRE_DOCKER"

// startTimeout bounds the start of a simulator, the building of its image included.
const startTimeout = 5 * time.Minute

// simulator is a running simulator that sandboxes are made in.
type simulator struct {
	service string // base URL of the default sandbox
	control string // URL of the control API
	token   string // of the control API; empty: none is needed
}

// Start makes a bank for a test, which is removed when the test ends. All banks of a test binary are sandboxes of one
// simulator, which is started with the first of them: in a container, unless BANKSIM_TESTKIT or [InProcess] says
// otherwise. Where no Docker engine answers, a test that needs one is skipped, or fails if BANKSIM_REQUIRE_DOCKER is 1.
func Start(t testing.TB, opts ...Option) *Bank {
	t.Helper()
	var s settings
	for _, opt := range opts {
		opt(&s)
	}
	inProcess := s.inProcess
	switch mode := os.Getenv(modeVariable); mode {
	case "":
	case modeContainer:
		inProcess = false
	case modeInProcess:
		inProcess = true
	default:
		t.Fatalf("testkit: %s is %q: it must be %s or %s", modeVariable, mode, modeContainer, modeInProcess)
	}
	start := sharedContainer
	if inProcess {
		start = sharedServer
	} else {
		needDocker(t)
	}
	sim, err := start()
	if err != nil {
		t.Fatalf("testkit: starting the simulator: %v", err)
	}
	b := &Bank{t: t, simulator: sim, client: newClient(sim)}
	var info controlapi.SandboxInfo
	b.call(http.MethodPost, "", s.plan, &info)
	b.name = info.Name
	t.Cleanup(b.end)
	return b
}

// needDocker skips the test, or fails it, where no engine answers.
func needDocker(t testing.TB) {
	t.Helper()
	err := dockerAnswers()
	if err == nil {
		return
	}
	if os.Getenv(requireVariable) == "1" {
		t.Fatalf("testkit: %s is 1, but no Docker engine answers: %v", requireVariable, err)
	}
	t.Skipf("testkit: no Docker engine answers (%v): start one, or set %s=%s to run without", err, modeVariable, modeInProcess)
}

// dockerAnswers looks for an engine once for all tests.
var dockerAnswers = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return dockerProblem(ctx)
})

// sharedContainer starts the container of the test binary. Nobody has to end it: it does so itself once it is idle.
var sharedContainer = sync.OnceValues(func() (simulator, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	ctr, err := Run(ctx, "")
	if err != nil {
		return simulator{}, err
	}
	service, err := ctr.BaseURL(ctx)
	if err != nil {
		return simulator{}, err
	}
	controlURL, err := ctr.ControlURL(ctx)
	return simulator{service: service, control: controlURL, token: ctr.ControlToken()}, err
})

// sharedServer starts the simulator in the process of the test binary, with which it ends.
var sharedServer = sync.OnceValues(func() (simulator, error) {
	sc, err := scenario.Load("retail")
	if err != nil {
		return simulator{}, err
	}
	srv, err := server.Start(context.Background(), server.Config{
		Service:   "127.0.0.1:0",
		Control:   "127.0.0.1:0",
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
		Version:   "testkit",
		Log:       slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return simulator{}, err
	}
	return simulator{service: srv.ServiceURL(), control: srv.ControlURL()}, nil
})

// end removes the bank, after telling of a failed test what the bank was asked.
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
