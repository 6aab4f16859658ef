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

	// DefaultExitWhenIdle is how long a container that nobody uses stays, if nothing else is said.
	DefaultExitWhenIdle = 2 * time.Minute

	readyTimeout = time.Minute // from the container's start to its first answer
	lastWords    = 4 << 10     // bytes of its log in an error

	engineTimeout = 5 * time.Second // for a Docker engine's first answer
)

// Container is a simulator that runs in a container.
type Container struct {
	testcontainers.Container
	controlToken string
}

// Run starts a simulator in a container, from an image or, where its name is empty, from one of the version of banksim
// that the test's go.mod names, which is built without any registry and kept. It returns when the simulator is ready.
//
// The container runs read-only, without capabilities and not as root. It ends, and is removed, by itself when nobody has
// used it for [DefaultExitWhenIdle] (see [WithExitWhenIdle]), so that a test run that was killed leaves nothing behind.
// With an error, the container is returned too, if there is one; the error holds the end of its log.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	if image == "" {
		var err error
		if image, err = buildImage(ctx); err != nil {
			return nil, fmt.Errorf("building the image: %w", err)
		}
	}
	// What it says is kept here: once it has ended, the engine removes it with its log.
	said := &tail{}
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
		return listen(said)(r)
	}))
	ctr, err := testcontainers.Run(ctx, image, all...)
	var c *Container
	if ctr != nil {
		c = &Container{Container: ctr, controlToken: token}
	}
	if err != nil {
		return c, fmt.Errorf("starting banksim in a container: %w\nits last words:\n%s", err, said)
	}
	return c, nil
}

// confine takes from a container what the simulator doesn't need.
func confine(host *container.HostConfig) {
	host.AutoRemove = true
	host.ReadonlyRootfs = true
	host.CapDrop = []string{"ALL"}
	host.SecurityOpt = append(host.SecurityOpt, "no-new-privileges")
	// Nothing can be copied onto a read-only file system, but onto a volume on it.
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

// ControlToken returns the token that calls of the control API have to bring.
func (c *Container) ControlToken() string { return c.controlToken }

// Terminate ends the container, which is then removed.
func (c *Container) Terminate(ctx context.Context, opts ...testcontainers.TerminateOption) error {
	err := c.Container.Terminate(ctx, opts...)
	if errdefs.IsConflict(err) || errdefs.IsNotFound(err) {
		return nil // it removes itself once it has ended
	}
	return err
}

// withEnv returns the option that sets a variable.
func withEnv(name, value string) testcontainers.CustomizeRequestOption {
	return testcontainers.WithEnv(map[string]string{name: value})
}

// WithScenario has the simulator start from a built-in scenario. Of several scenarios the last counts.
func WithScenario(name string) testcontainers.CustomizeRequestOption {
	return withEnv(scenarioVariable, name)
}

// WithScenarioFile has the simulator start from a scenario's YAML, which is read at once, so that the option can be given
// to several containers.
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

// putScenario puts a scenario into a container that was created and not started. testcontainers would copy it to the
// root of the file system, which is read-only, rather than to the volume that is mounted there.
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

// WithScenarioYAML has the simulator start from a scenario's YAML.
func WithScenarioYAML(yaml string) testcontainers.CustomizeRequestOption {
	return WithScenarioFile(strings.NewReader(yaml))
}

// WithSeed has the simulator draw its ids and tokens from a seed instead of the scenario's.
func WithSeed(seed uint64) testcontainers.CustomizeRequestOption {
	return withEnv("BANKSIM_SEED", strconv.FormatUint(seed, 10))
}

// WithControlToken sets the token of the control API. Without it, a random one is made.
func WithControlToken(token string) testcontainers.CustomizeRequestOption {
	return withEnv(tokenVariable, token)
}

// WithExitWhenIdle has the container end after so long without a request; 0: never.
func WithExitWhenIdle(after time.Duration) testcontainers.CustomizeRequestOption {
	return withEnv("BANKSIM_EXIT_WHEN_IDLE", after.String())
}

// WithLogs has the simulator's log in a test's, until the test ends.
func WithLogs(t testing.TB) testcontainers.CustomizeRequestOption {
	l := &testLog{t: t}
	t.Cleanup(l.end)
	return listen(l)
}

// listen has a container's log told to one more consumer: testcontainers.WithLogConsumers takes the place of others.
func listen(to testcontainers.LogConsumer) testcontainers.CustomizeRequestOption {
	return func(r *testcontainers.GenericContainerRequest) error {
		if r.LogConsumerCfg == nil {
			r.LogConsumerCfg = &testcontainers.LogConsumerConfig{}
		}
		r.LogConsumerCfg.Consumers = append(r.LogConsumerCfg.Consumers, to)
		return nil
	}
}

// testLog brings a container's log into a test's. The container may outlive the test, and a log to a test that is over
// would be a panic.
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

// end has what is said from now on forgotten.
func (l *testLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// dockerProblem says why no Docker engine can be used; nil: one answers.
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
