package container

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit/internal/backend"
)

func init() { backend.Register(containers{}) }

// engineTimeout limits how long an engine may take to answer a ping.
const engineTimeout = 5 * time.Second

// containers is what testkit runs its banks on.
type containers struct{}

// Ping asks the engine once for all tests.
func (containers) Ping() error { return ping() }

var ping = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	_, err = docker.Ping(ctx, client.PingOptions{})
	return errors.Join(err, docker.Close())
})

// Shared returns the container of the test binary. It ends by itself once it is idle.
func (containers) Shared(context.Context, string) (backend.Simulator, error) { return shared() }

var shared = sync.OnceValues(func() (backend.Simulator, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	ctr, err := Run(ctx, "")
	if err != nil {
		return backend.Simulator{}, err
	}
	service, err := ctr.BaseURL(ctx)
	if err != nil {
		return backend.Simulator{}, err
	}
	control, err := ctr.ControlURL(ctx)
	return backend.Simulator{Service: service, Control: control, Token: ctr.ControlToken()}, err
})
