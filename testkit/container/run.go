package container

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	startTimeout = 5 * time.Minute // the build of the image, and the start of the shared container with it
	readyTimeout = time.Minute     // from a container's start to its first answer
)

// Run starts a simulator in a container and returns when it is ready. An empty image name stands for an image of the
// version of banksim that the app's go.mod names. Run builds it once, without any registry.
//
// The container runs without capabilities and not as root. It is removed when it ends: to start it again after Stop,
// let the engine keep it, and end it with Terminate. Its bank then begins again, and its ports may be others.
//
//	testcontainers.WithHostConfigModifier(func(host *moby.HostConfig) { host.AutoRemove = false })
//
// The container ends seconds after the test binary, even if that was killed. If the container was still starting then,
// it ends within two minutes. It can't be reused by its name: a new one starts at once.
//
// If Run fails, it leaves no container behind. The error has the end of the container's log.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	if err := ping(); err != nil {
		return nil, fmt.Errorf("starting banksim in a container: no Docker engine answers: %w", err)
	}
	docker, err := testcontainers.NewDockerProvider()
	if err != nil {
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	defer func() { _ = docker.Close() }()
	image, err = imageFor(ctx, docker, image)
	if err != nil {
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	host, err := docker.DaemonHost(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting banksim in a container: %w", err)
	}
	on := netip.IPv4Unspecified()
	if host == "localhost" || host == "127.0.0.1" { // then no other machine has to reach it
		on = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	c, log := &Container{}, &startLog{docker: docker.Client()}
	all := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(servicePort, httpsPort, controlPort),
		testcontainers.WithEnv(map[string]string{
			"BANKSIM_LISTEN":         "0.0.0.0:8080,https://0.0.0.0:8443",
			"BANKSIM_TLS_HOSTS":      "*," + host, // for https by any name, such as one that testkit.AsHost leads there
			"BANKSIM_CONTROL":        "0.0.0.0:8081",
			"BANKSIM_CLOCK_START":    "2026-01-15T09:00:00Z", // as in process: times repeat
			tokenVariable:            rand.Text(),
			"BANKSIM_EXIT_WHEN_IDLE": "2m", // one that nothing keeps, because the test binary was killed while it started
		}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) { // those of the caller come after it
			confine(host, on)
		}),
		testcontainers.WithWaitStrategyAndDeadline(readyTimeout, wait.ForHTTP("/readyz").WithPort(controlPort)),
	}, opts...)
	all = append(all, testcontainers.CustomizeRequestOption(c.customize),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PreStarts:   []testcontainers.ContainerHook{log.follow},
			PostReadies: []testcontainers.ContainerHook{c.hold},
		}))
	ctr, err := testcontainers.Run(ctx, image, all...)
	if err := log.end(err); err != nil {
		c.release()
		err = fmt.Errorf("starting banksim in a container: %w%s", err, reaperHint(err))
		return nil, errors.Join(err, testcontainers.TerminateContainer(ctr))
	}
	c.Container = ctr
	return c, nil
}

// reaperHint returns the remedy for an error of testcontainers' own cleaner, or "" for any other error.
func reaperHint(err error) string {
	if testcontainers.ReadConfig().RyukDisabled || !strings.Contains(err.Error(), "reaper") {
		return ""
	}
	return "\nthe cleaner of testcontainers (Ryuk) is an image of the Docker Hub: where that is out of reach, set " +
		"TESTCONTAINERS_RYUK_DISABLED=true; a container of banksim ends by itself"
}

// customize notes the token and the network of the container.
func (c *Container) customize(r *testcontainers.GenericContainerRequest) error {
	if r.Reuse {
		return errors.New("a container of banksim can't be reused by its name: start a new one")
	}
	c.controlToken = r.Env[tokenVariable]
	if len(r.Networks) > 0 {
		c.network = r.Networks[0]
		if aliases := r.NetworkAliases[c.network]; len(aliases) > 0 {
			c.alias = aliases[0]
		}
	}
	return nil
}

// confine takes the rights from a container that the simulator doesn't need, and lets the engine publish each port on
// an IPv4 address, as a port that is free. On IPv6 the engine may take another port, and a client that confuses the two
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

const (
	logTail   = 4 << 10         // bytes at the end of its log that an error shows
	lastWords = 2 * time.Second // for the end of the log of a container that has ended
)

// startLog is what a container logs while it starts. It is attached before the container starts, because the engine
// removes a container with its log as soon as it ends.
type startLog struct {
	docker client.APIClient
	stop   func()
	whole  chan string // has the log at its end, or nil if it isn't followed
}

// follow follows the log of a container that is about to start for the first time. Podman refuses it: an error of the
// start then has no log.
func (l *startLog) follow(ctx context.Context, ctr testcontainers.Container) error {
	if l.whole != nil {
		return nil
	}
	options := client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true, Logs: true}
	attached, err := l.docker.ContainerAttach(ctx, ctr.GetContainerID(), options)
	if err != nil {
		return nil
	}
	l.stop, l.whole = attached.Close, make(chan string, 1)
	go func() {
		var text bytes.Buffer
		_, _ = stdcopy.StdCopy(&text, &text, attached.Reader)
		l.whole <- strings.TrimSpace(text.String())
	}()
	return nil
}

// end ends the following. It returns the error of a start with the end of the log: a container that has failed may
// still be about to log why.
func (l *startLog) end(err error) error {
	if l.whole == nil {
		return err
	}
	defer l.stop()
	if err == nil {
		return nil
	}
	time.AfterFunc(lastWords, l.stop)
	text := <-l.whole
	return fmt.Errorf("%w\nthe end of its log:\n%s", err, text[max(0, len(text)-logTail):])
}
