package container

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// How long things may take.
const (
	giveUpTimeout   = 5 * time.Second  // testcontainers, after the context of a call has ended
	startTimeout    = 5 * time.Minute  // Run, with the build or the pull of its image
	readyTimeout    = time.Minute      // from a container's start to its first answer
	lifelineTimeout = 10 * time.Second // the beginning of a lifeline
	discardTimeout  = 10 * time.Second // to remove what a failed start has left
)

// pingTimeout is how long an engine's first answers may take. A busy one takes seconds.
var pingTimeout = 15 * time.Second

// runLabel marks the containers of this package. Its value is that of one start.
const runLabel = "banksim.testkit.run"

// ping asks the engine, once for all tests. testcontainers remembers a failure for as long as the process runs, too.
var ping = sync.OnceValue(func() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // testcontainers panics if the engine stops answering between two calls
			err = fmt.Errorf("it stopped answering within %s: %v", pingTimeout, p)
		}
	}()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err == nil {
		_, err = docker.Ping(ctx, client.PingOptions{})
		err = errors.Join(err, docker.Close())
	}
	if ctx.Err() != nil {
		return fmt.Errorf("it doesn't answer within %s: %w", pingTimeout, err)
	}
	return err
})

// connect returns a client of the engine.
func connect(ctx context.Context) (*testcontainers.DockerClient, error) {
	if err := ping(); err != nil {
		return nil, fmt.Errorf("no Docker engine answers: %w", err)
	}
	return testcontainers.NewDockerClientWithOpts(ctx)
}

// discard removes the containers of a start that failed, with their volumes: also one that was created and not started,
// which the engine doesn't remove by itself.
func discard(run string) error {
	ctx, cancel := context.WithTimeout(context.Background(), discardTimeout)
	defer cancel()
	docker, err := connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	found, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", runLabel+"="+run)})
	if err != nil {
		return fmt.Errorf("looking for what the start has left: %w", err)
	}
	for _, left := range found.Items {
		_, err := docker.ContainerRemove(ctx, left.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && !isGone(err) {
			return fmt.Errorf("removing container %s: %w", left.ID, err)
		}
	}
	return nil
}

// isGone reports whether an engine refuses because the container is removed already, or is being removed. podman says so
// in words alone.
func isGone(err error) bool {
	return errdefs.IsNotFound(err) || errdefs.IsConflict(err) || err != nil && strings.Contains(err.Error(), "no such container")
}
