package testkit

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"
)

// The variable that chooses where the banks of a test binary run, and its values.
const (
	modeVariable  = "BANKSIM_TESTKIT"
	modeContainer = "container"
	modeInProcess = "inprocess"
)

// requireVariable, if it is 1, makes a test fail that would be skipped because no Docker engine answers.
const requireVariable = "BANKSIM_REQUIRE_DOCKER"

// startTimeout limits how long the container may take to start, including the build of its image.
const startTimeout = 5 * time.Minute

// simulator is a running simulator, which has the sandboxes of all banks.
type simulator struct {
	service string // URL of the service listener
	control string // URL of the control API
	token   string // of the control API; empty: it needs none

	// serve serves a sandbox on a listener of its own until end is called; nil: that can't be had, and the base URL has a path.
	serve func(sandbox string) (baseURL string, end func(), err error)
}

// Start returns a bank for a test, and removes it when the test ends. All banks of a test binary are sandboxes of one
// simulator, which starts with the first bank: in a container, unless BANKSIM_TESTKIT or [InProcess] says otherwise.
// Where no Docker engine answers, a test that needs one is skipped or, if BANKSIM_REQUIRE_DOCKER is 1, fails.
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
	simulator, err := start()
	if err != nil {
		t.Fatalf("testkit: starting the simulator: %v", err)
	}
	return newBank(t, simulator, "", s.plan)
}

// needDocker skips the test, or fails it, if no engine answers.
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

// dockerAnswers pings the engine, once for all tests.
var dockerAnswers = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return dockerProblem(ctx)
})

// sharedContainer starts the container of the test binary. It ends by itself once it is idle.
var sharedContainer = sync.OnceValues(func() (simulator, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	ctr, err := Run(ctx, "", withEnv("BANKSIM_NO_DEFAULT_SANDBOX", "true")) // a request that names no bank reaches none
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
