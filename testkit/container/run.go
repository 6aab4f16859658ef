package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// Run starts a simulator in a container and returns when it is ready. An empty image name stands for that of the environment
// variable BANKSIM_IMAGE or, without it, for an image of the version of banksim that the app's go.mod names. Run builds that
// image once, without any registry.
//
// The container runs read-only, without capabilities and not as root. It is removed when it ends. As long as the test binary
// runs, it doesn't end by itself; after that, even if the test binary was killed, it ends within seconds, or after
// [DefaultExitWhenIdle] if it was still starting then. One that is reused by its name ([testcontainers.WithReuseByName]) ends
// [DefaultExitWhenIdle] after its last use instead, see [WithExitWhenIdle].
//
// Run takes five minutes at most, or until ctx ends, and another fifteen seconds to clean up; fifteen seconds if no
// engine answers. If it fails, it leaves no container behind and returns none. The error has the end of the container's log.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	// testcontainers copies the log for as long as the context lasts: it ends when the start has failed, not when it is
	// done.
	ctx, end := context.WithCancelCause(ctx)
	late := time.AfterFunc(startTimeout, func() { end(fmt.Errorf("it takes more than %s", startTimeout)) })
	defer late.Stop()
	c, err := run(ctx, image, opts)
	if err != nil {
		end(err)
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	return c, nil
}

func run(ctx context.Context, image string, opts []testcontainers.ContainerCustomizer) (*Container, error) {
	docker, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = docker.Close() }()
	if image, err = imageFor(ctx, docker, image); err != nil {
		return nil, err
	}
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return nil, err
	}
	defer func() { _ = provider.Close() }()
	host, err := provider.DaemonHost(ctx)
	if err != nil {
		return nil, fmt.Errorf("finding the host of the Docker engine: %w", err)
	}
	name, log, c := rand.Text(), &tail{}, &Container{}
	all := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(publishedPorts...),
		testcontainers.WithEnv(environment(rand.Text(), host)),
		testcontainers.WithWaitStrategyAndDeadline(readyTimeout, wait.ForHTTP("/readyz").WithPort(controlPort)),
	}, opts...)
	all = append(all, testcontainers.WithLabels(map[string]string{runLabel: name}),
		testcontainers.CustomizeRequestOption(func(r *testcontainers.GenericContainerRequest) error {
			c.reused = r.Reuse
			if len(r.Networks) > 0 {
				c.network = r.Networks[0]
				c.alias = strings.Join(r.NetworkAliases[c.network][:min(1, len(r.NetworkAliases[c.network]))], "")
			}
			own := r.HostConfigModifier
			r.HostConfigModifier = func(host *container.HostConfig) {
				confine(host)
				publish(host, netip.IPv4Unspecified())
				if own != nil { // which may loosen what is confined, and publish the ports elsewhere
					own(host)
				}
			}
			attach := func(ctx context.Context, ctr testcontainers.Container) error {
				log.attach(ctx, docker, ctr.GetContainerID())
				return nil
			}
			r.LifecycleHooks = append(r.LifecycleHooks, testcontainers.ContainerLifecycleHooks{
				PreStarts: []testcontainers.ContainerHook{attach}, PostStarts: []testcontainers.ContainerHook{attach},
			})
			return nil
		}))
	defer log.detach()
	err = start(ctx, name, image, all, c)
	if err == nil {
		err = c.adopt(ctx)
	}
	if err != nil {
		c.line.release()
		left := discard(name) // which also ends its log
		return nil, errors.Join(fmt.Errorf("%w\nthe end of its log:\n%s", err, log.words()), left)
	}
	return c, nil
}

// start calls testcontainers, which doesn't heed its context everywhere: an engine that hangs doesn't hold the caller.
func start(ctx context.Context, name, image string, opts []testcontainers.ContainerCustomizer, c *Container) error {
	type started struct {
		ctr *testcontainers.DockerContainer
		err error
	}
	done := make(chan started, 1)
	go func() {
		var s started
		defer func() {
			if p := recover(); p != nil { // as of testcontainers, if the engine stops answering
				s.err = fmt.Errorf("panic: %v", p)
			}
			done <- s
		}()
		s.ctr, s.err = testcontainers.Run(ctx, image, opts...)
	}()
	var s started
	select {
	case s = <-done:
	case <-ctx.Done():
		select { // it needs a moment to give up
		case s = <-done:
		case <-time.After(giveUpTimeout):
			go func() { // nobody waits for it any more
				if late := <-done; late.ctr != nil {
					_ = discard(name)
				}
			}()
			return fmt.Errorf("the Docker engine doesn't answer: %w", context.Cause(ctx))
		}
	}
	if s.err == nil {
		c.Container = s.ctr
	}
	return s.err
}

// publishedPorts are the ports of a container that are published.
var publishedPorts = []string{servicePort, httpsPort, controlPort}

// environment configures the simulator. A header may name the sandbox of a request, as the clients of banks do that are a fixed
// host. Clients may ask for https by any name, such as one that testkit.AsHost leads there or
// an alias on a network, and by the host on which the ports are published: that may be an address.
func environment(token, host string) map[string]string {
	return map[string]string{
		"BANKSIM_LISTEN":         "0.0.0.0:8080",
		"BANKSIM_TLS_LISTEN":     "0.0.0.0:8443",
		"BANKSIM_TLS_HOSTS":      "*," + host,
		"BANKSIM_SANDBOX_HEADER": "true",
		"BANKSIM_CONTROL":        "0.0.0.0:8081",
		tokenVariable:            token,
		idleVariable:             DefaultExitWhenIdle.String(),
	}
}

// publish lets the engine publish the ports on an IPv4 address, each as a port that is free. On IPv6 beside it the engine may
// take another port, and whoever takes one for the other reaches another container.
func publish(host *container.HostConfig, on netip.Addr) {
	host.PortBindings = network.PortMap{}
	for _, port := range publishedPorts {
		host.PortBindings[network.MustParsePort(port)] = []network.PortBinding{{HostIP: on, HostPort: "0"}}
	}
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
