package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	startTimeout = 5 * time.Minute // the build of the image, and the start of the shared container with it
	readyTimeout = time.Minute     // from a container's start to its first answer
)

// Run starts a simulator in a container and returns when it is ready. An empty image name stands for that of the environment
// variable BANKSIM_IMAGE or, without it, for an image of the version of banksim that the app's go.mod names. Run builds that
// image once, without any registry.
//
// The container runs without capabilities and not as root. It is removed when it ends: to start it again after Stop, let the
// engine keep it, and end it with Terminate. Its bank then begins anew, and its ports may be others.
//
//	testcontainers.WithHostConfigModifier(func(host *container.HostConfig) { host.AutoRemove = false })
//
// As long as the test binary runs, the container doesn't end by itself; after that, even if the test binary was killed, it
// ends within seconds, or after [DefaultExitWhenIdle] if it was still starting then. One that is reused by its name
// ([testcontainers.WithReuseByName]) ends [DefaultExitWhenIdle] after its last use instead, see [WithExitWhenIdle].
//
// If Run fails, it leaves no container behind and returns none. The error has the end of the container's log.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	docker, err := connect()
	if err != nil {
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	defer func() { _ = docker.Close() }()
	var host string
	if image, err = imageFor(ctx, docker, image); err == nil {
		host, err = docker.DaemonHost(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	on := netip.IPv4Unspecified()
	if host == "localhost" || host == "127.0.0.1" { // then no other machine has to reach it
		on = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	c, log := &Container{}, &startLog{docker: docker.Client()}
	follow := func(ctx context.Context, ctr testcontainers.Container) error {
		log.follow(ctx, ctr.GetContainerID())
		return nil
	}
	all := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(servicePort, httpsPort, controlPort),
		testcontainers.WithEnv(environment(rand.Text(), host)),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) { // those of the caller come after it
			confine(host, on)
		}),
		testcontainers.WithWaitStrategyAndDeadline(readyTimeout, wait.ForHTTP("/readyz").WithPort(controlPort)),
	}, opts...)
	all = append(all, testcontainers.CustomizeRequestOption(c.customize),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PreStarts:   []testcontainers.ContainerHook{follow},
			PostStarts:  []testcontainers.ContainerHook{follow},
			PostReadies: []testcontainers.ContainerHook{c.hold},
		}))
	ctr, err := testcontainers.Run(ctx, image, all...)
	if err := log.end(err); err != nil {
		c.release()
		err = fmt.Errorf("starting banksim in a container: %w", err)
		return nil, errors.Join(err, testcontainers.TerminateContainer(ctr))
	}
	c.Container = ctr
	return c, nil
}

// customize notes what is asked of the container.
func (c *Container) customize(r *testcontainers.GenericContainerRequest) error {
	c.reused, c.controlToken = r.Reuse, r.Env[tokenVariable]
	if len(r.Networks) > 0 {
		c.network = r.Networks[0]
		if aliases := r.NetworkAliases[c.network]; len(aliases) > 0 {
			c.alias = aliases[0]
		}
	}
	return nil
}

// environment configures the simulator. A header may name the sandbox of a request, as the clients of banks do that are a fixed
// host. Clients may ask for https by any name, such as one that testkit.AsHost leads there or
// an alias on a network, and by the host on which the ports are published: that may be an address.
func environment(token, host string) map[string]string {
	return map[string]string{
		"BANKSIM_LISTEN":    "0.0.0.0:8080,https://0.0.0.0:8443",
		"BANKSIM_TLS_HOSTS": "*," + host,
		"BANKSIM_CONTROL":   "0.0.0.0:8081",
		tokenVariable:       token,
		idleVariable:        DefaultExitWhenIdle.String(),
	}
}

// confine takes the rights from a container that the simulator doesn't need, and lets the engine publish each port on an
// IPv4 address, as a port that is free. On IPv6 beside it the engine may take another port, and whoever takes one for the other
// reaches another container.
func confine(host *container.HostConfig, on netip.Addr) {
	host.AutoRemove = true
	host.CapDrop = []string{"ALL"}
	host.SecurityOpt = append(host.SecurityOpt, "no-new-privileges")
	host.PortBindings = network.PortMap{}
	for _, port := range []string{servicePort, httpsPort, controlPort} {
		host.PortBindings[network.MustParsePort(port)] = []network.PortBinding{{HostIP: on, HostPort: "0"}}
	}
}
