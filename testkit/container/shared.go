package container

import (
	"context"
	"sync"
	"testing"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// sharedSeed is the seed of banks whose scenario has no seed, as in process.
const sharedSeed = 7

// shared starts the container of the test binary. It is not tried again.
var shared = sync.OnceValues(func() (*Container, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	return Run(ctx, "", withEnv("BANKSIM_NO_DEFAULT_SANDBOX", "true"), WithSeed(sharedSeed))
})

// Shared puts the bank of a test on a container that all tests of the test binary share. The first call builds the
// image and starts the container, within five minutes. The container ends with the test binary. Where no engine
// answers, the test fails: see testcontainers.SkipIfProviderIsNotHealthy.
func Shared(t testing.TB) testkit.Option {
	t.Helper()
	ctr, err := shared()
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
	running, err := ctr.Simulator(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
	return testkit.OnSimulator(running)
}
