package container

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
)

// withEnv sets an environment variable.
func withEnv(name, value string) testcontainers.CustomizeRequestOption {
	return testcontainers.WithEnv(map[string]string{name: value})
}

// WithScenario starts the simulator from a built-in scenario. Of several scenarios the last one counts.
func WithScenario(name string) testcontainers.CustomizeRequestOption {
	return withEnv(scenarioVariable, name)
}

// WithScenarioFile starts the simulator from a scenario's YAML. It reads the YAML at once, so that several containers can
// share the option.
func WithScenarioFile(yaml io.Reader) testcontainers.CustomizeRequestOption {
	source, err := io.ReadAll(yaml)
	return func(r *testcontainers.GenericContainerRequest) error {
		if err != nil {
			return fmt.Errorf("reading the scenario: %w", err)
		}
		put := func(ctx context.Context, ctr testcontainers.Container) error { return putScenario(ctx, ctr, source) }
		r.LifecycleHooks = append(r.LifecycleHooks, testcontainers.ContainerLifecycleHooks{PostCreates: []testcontainers.ContainerHook{put}})
		return withEnv(scenarioVariable, scenarioFile)(r)
	}
}

// putScenario copies a scenario into a container that was created and not started yet. testcontainers can't do that: it
// copies to the root of the file system, which is read-only, and not to the volume.
func putScenario(ctx context.Context, ctr testcontainers.Container, source []byte) error {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	file, err := archive(path.Base(scenarioFile), 0o444, source)
	if err != nil {
		return err
	}
	_, err = docker.CopyToContainer(ctx, ctr.GetContainerID(), client.CopyToContainerOptions{DestinationPath: scenarioFolder, Content: bytes.NewReader(file)})
	return err
}

// WithScenarioYAML starts the simulator from a scenario's YAML.
func WithScenarioYAML(yaml string) testcontainers.CustomizeRequestOption {
	return WithScenarioFile(strings.NewReader(yaml))
}

// WithSeed sets the seed of the simulator's ids and tokens, instead of the scenario's.
func WithSeed(seed uint64) testcontainers.CustomizeRequestOption {
	return withEnv("BANKSIM_SEED", strconv.FormatUint(seed, 10))
}

// WithNetwork connects the container to a network that exists, where other containers reach it by its aliases; see
// [Container.NetworkURL].
func WithNetwork(name string, aliases ...string) testcontainers.CustomizeRequestOption {
	return network.WithNetworkName(aliases, name)
}

// WithControlToken sets the token of the control API. Default: a random one.
func WithControlToken(token string) testcontainers.CustomizeRequestOption {
	return withEnv(tokenVariable, token)
}

// WithExitWhenIdle sets how long the container keeps running without a request and without the test binary that started it,
// if it is reused by its name; 0: forever, and even after a test binary that is killed.
func WithExitWhenIdle(after time.Duration) testcontainers.CustomizeRequestOption {
	return withEnv(idleVariable, after.String())
}
