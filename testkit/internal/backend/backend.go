// Package backend is how package testkit/container offers testkit to run simulators in containers. It starts none itself, so that
// an app that tests in process needs none of the modules that a container takes. Start at Registered.
package backend

import (
	"context"
	"os"
)

// Simulator is a running simulator.
type Simulator struct {
	Service string // base URL of the default sandbox
	HTTPS   string // the same for https; empty: none is known
	CA      []byte // certificate that clients of https must trust (PEM); nil: there is none
	Control string // URL of the control API
	Token   string // of the control API; empty: it needs none
}

// Containers runs simulators in containers.
type Containers interface {
	// Ping returns why no engine can be used; nil: one answers. It takes a bounded time.
	Ping() error
	// Shared returns the simulator that all tests of the test binary share, and starts it if it doesn't run, within a
	// bounded time. An empty image name stands for the image that is built for the test binary.
	Shared(ctx context.Context, image string) (Simulator, error)
}

// Seed is the seed of banks whose scenario gives none: a test draws the same ids and tokens in each run.
const Seed = 7

// SkipWithoutEngine is whether tests that need a container are skipped where no engine answers, see container.SkipWithoutEngine.
var SkipWithoutEngine = os.Getenv("BANKSIM_TESTKIT_SKIP") == "1"

// Registered is set by the init of package testkit/container; nil: the test binary doesn't import it.
var Registered Containers
