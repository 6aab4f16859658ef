package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	servicePort = "8080/tcp"
	controlPort = "8081/tcp"

	scenarioFolder = "/scenarios"
	scenarioFile   = scenarioFolder + "/scenario.yaml"

	tokenVariable    = "BANKSIM_CONTROL_TOKEN"
	scenarioVariable = "BANKSIM_SCENARIO"

	// DefaultExitWhenIdle is how long a container without requests keeps running, unless WithExitWhenIdle changes it.
	DefaultExitWhenIdle = 2 * time.Minute

	readyTimeout = time.Minute // from the container's start to its first answer
	logTail      = 4 << 10     // bytes at the end of its log that an error shows

	engineTimeout = 5 * time.Second // for a Docker engine's answer to a ping
)

// Container is a simulator that runs in a container.
type Container struct {
	testcontainers.Container
	controlToken string
}

// Run starts a simulator in a container and returns when it is ready. An empty image name stands for an image of the
// version of banksim that the test's go.mod names; Run builds it once, without any registry.
//
// The container runs read-only, without capabilities and not as root. It ends by itself, and is removed, after
// [DefaultExitWhenIdle] without a request (see [WithExitWhenIdle]): a killed test run leaves nothing behind. With an
// error, which has the end of the container's log, Run also returns the container, if there is one.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	if image == "" {
		var err error
		if image, err = buildImage(ctx); err != nil {
			return nil, fmt.Errorf("building the image: %w", err)
		}
	}
	// The engine removes the container, with its log, as soon as it ends: the end of the log is kept here.
	log := &tail{}
	all := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(servicePort, controlPort),
		testcontainers.WithEnv(map[string]string{
			tokenVariable:            rand.Text(),
			"BANKSIM_EXIT_WHEN_IDLE": DefaultExitWhenIdle.String(),
		}),
		testcontainers.WithHostConfigModifier(confine),
		testcontainers.WithWaitStrategyAndDeadline(readyTimeout, wait.ForHTTP("/readyz").WithPort(controlPort)),
	}, opts...)
	var token string
	all = append(all, testcontainers.CustomizeRequestOption(func(r *testcontainers.GenericContainerRequest) error {
		token = r.Env[tokenVariable]
		return listen(log)(r)
	}))
	ctr, err := testcontainers.Run(ctx, image, all...)
	var c *Container
	if ctr != nil {
		c = &Container{Container: ctr, controlToken: token}
	}
	if err != nil {
		return c, fmt.Errorf("starting banksim in a container: %w\nthe end of its log:\n%s", err, log)
	}
	return c, nil
}

// confine takes the rights from a container that the simulator doesn't need.
func confine(host *container.HostConfig) {
	host.AutoRemove = true
	host.ReadonlyRootfs = true
	host.CapDrop = []string{"ALL"}
	host.SecurityOpt = append(host.SecurityOpt, "no-new-privileges")
	// A scenario can't be copied onto the read-only file system, but onto a volume that is mounted on it.
	host.Mounts = append(host.Mounts, mount.Mount{Type: mount.TypeVolume, Target: scenarioFolder})
}

// BaseURL returns the base URL of the default sandbox: every path of the interface is appended to it.
func (c *Container) BaseURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, servicePort, "http")
}

// ControlURL returns the URL of the control API.
func (c *Container) ControlURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, controlPort, "http")
}

// ControlToken returns the bearer token that calls of the control API need.
func (c *Container) ControlToken() string { return c.controlToken }

// Terminate ends the container, which is then removed.
func (c *Container) Terminate(ctx context.Context, opts ...testcontainers.TerminateOption) error {
	err := c.Container.Terminate(ctx, opts...)
	if errdefs.IsConflict(err) || errdefs.IsNotFound(err) {
		return nil // the engine is removing it already, or has done so
	}
	return err
}

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
	_, err = docker.CopyToContainer(ctx, ctr.GetContainerID(), client.CopyToContainerOptions{DestinationPath: scenarioFolder, Content: file})
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

// WithControlToken sets the token of the control API. Default: a random one.
func WithControlToken(token string) testcontainers.CustomizeRequestOption {
	return withEnv(tokenVariable, token)
}

// WithExitWhenIdle sets how long the container keeps running without a request; 0: forever.
func WithExitWhenIdle(after time.Duration) testcontainers.CustomizeRequestOption {
	return withEnv("BANKSIM_EXIT_WHEN_IDLE", after.String())
}

// WithLogs copies the simulator's log to a test's log, until the test ends.
func WithLogs(t testing.TB) testcontainers.CustomizeRequestOption {
	l := &testLog{t: t}
	t.Cleanup(l.end)
	return listen(l)
}

// listen adds a consumer of a container's log; testcontainers.WithLogConsumers would replace the others.
func listen(to testcontainers.LogConsumer) testcontainers.CustomizeRequestOption {
	return func(r *testcontainers.GenericContainerRequest) error {
		if r.LogConsumerCfg == nil {
			r.LogConsumerCfg = &testcontainers.LogConsumerConfig{}
		}
		r.LogConsumerCfg.Consumers = append(r.LogConsumerCfg.Consumers, to)
		return nil
	}
}

// testLog copies a container's log to a test's. The container may outlive the test, and logging to a test that has ended
// panics.
type testLog struct {
	t testing.TB

	mu    sync.Mutex
	ended bool
}

// Accept logs a line.
func (l *testLog) Accept(line testcontainers.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.t.Logf("banksim: %s", strings.TrimSpace(string(line.Content)))
	}
}

// end stops the copying.
func (l *testLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// dockerProblem returns why no Docker engine can be used; nil: one answers.
func dockerProblem(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	_, err = docker.Ping(ctx, client.PingOptions{})
	return errors.Join(err, docker.Close())
}
