package container

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/testcontainers/testcontainers-go"
)

// pingTimeout is how long an engine's first answers may take. A busy one takes seconds.
var pingTimeout = 15 * time.Second

// ping asks the engine, once for all tests. It doesn't wait for an engine that hangs: testcontainers would.
var ping = sync.OnceValue(func() error {
	done := make(chan error, 1)
	go func() {
		docker, err := testcontainers.NewDockerProvider()
		if err == nil {
			err = errors.Join(docker.Health(context.Background()), docker.Close())
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(pingTimeout):
		return fmt.Errorf("it doesn't answer within %s", pingTimeout)
	}
})

// connect returns what testcontainers uses of the engine.
func connect() (*testcontainers.DockerProvider, error) {
	if err := ping(); err != nil {
		return nil, fmt.Errorf("no Docker engine answers: %w", err)
	}
	return testcontainers.NewDockerProvider()
}
