package container

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
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
