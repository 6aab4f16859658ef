package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/testkit/internal/backend"
)

func init() { backend.Registered = &containers{byImage: map[string]*shared{}} }

// containers are the containers of the test binary, which its banks share: one of each image. The engine's client of
// testcontainers starts them, not testcontainers itself: that would start its reaper from an image registry, too, unless it is
// told not to, once for all containers of the process.
type containers struct {
	mu      sync.Mutex
	byImage map[string]*shared // by the name of the image that was asked for
}

// shared is a container that the banks of the test binary share, or why it couldn't be started.
type shared struct {
	simulator backend.Simulator
	lifeline  net.Conn
	err       error
}

// Ping asks the engine once for all tests.
func (*containers) Ping() error { return ping() }

// Shared returns the container of an image. It doesn't try again if that couldn't be started. BANKSIM_IMAGE decides for all
// images.
func (c *containers) Shared(ctx context.Context, image string) (backend.Simulator, error) {
	if ruling := os.Getenv(imageVariable); ruling != "" {
		image = ruling
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byImage[image]
	if s == nil {
		s = &shared{}
		bounded, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		if err := s.start(bounded, image); err != nil {
			s.err = fmt.Errorf("starting banksim in a container: %w", err)
		}
		if s.err == nil || ctx.Err() == nil { // a caller that has given up says nothing about the container
			c.byImage[image] = s
		}
	}
	return s.simulator, s.err
}

// start gets the image and runs a container of it. If that fails, it leaves nothing behind.
func (s *shared) start(ctx context.Context, image string) error {
	docker, err := connect()
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	if image, err = imageFor(ctx, docker, image); err != nil {
		return err
	}
	engine := docker.Client()
	if _, err := engine.ImageInspect(ctx, image); err != nil {
		if err := docker.PullImage(ctx, image); err != nil { // by exactly this name
			return fmt.Errorf("the engine doesn't have the image %s, and can't pull it: %w", image, err)
		}
	}
	host, err := docker.DaemonHost(ctx)
	if err != nil {
		return fmt.Errorf("finding the host of the Docker engine: %w", err)
	}
	on := netip.IPv4Unspecified()
	if host == "localhost" || host == "127.0.0.1" { // then no other machine has to reach it
		on = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		host = on.String() // localhost may also stand for ::1
	}
	s.simulator.Token = rand.Text()
	created, err := engine.ContainerCreate(ctx, configuration(image, environment(s.simulator.Token, host), on))
	if err != nil {
		return fmt.Errorf("creating the container: %w", err)
	}
	log := &startLog{docker: engine}
	log.follow(ctx, created.ID)
	if err := log.end(s.run(ctx, engine, created.ID, host, log)); err != nil {
		discard := client.ContainerRemoveOptions{Force: true}
		_, _ = engine.ContainerRemove(context.WithoutCancel(ctx), created.ID, discard) // unless the engine has done so
		return err
	}
	return nil
}

// configuration describes a container whose ports are published on an address of the engine's host.
func configuration(image string, environment map[string]string, on netip.Addr) client.ContainerCreateOptions {
	host := &container.HostConfig{}
	confine(host, on)
	settings := &container.Config{Image: image, ExposedPorts: network.PortSet{}}
	for port := range host.PortBindings {
		settings.ExposedPorts[port] = struct{}{}
	}
	for variable, value := range environment {
		settings.Env = append(settings.Env, variable+"="+value)
	}
	settings.Env = append(settings.Env, "BANKSIM_NO_DEFAULT_SANDBOX=true") // a request that names no bank reaches none
	return client.ContainerCreateOptions{Config: settings, HostConfig: host}
}

// run starts the container, waits until the simulator answers, and opens a lifeline.
func (s *shared) run(ctx context.Context, engine client.APIClient, id, host string, log *startLog) error {
	if _, err := engine.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("starting the container: %w", err)
	}
	log.follow(ctx, id)
	inspected, err := engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("inspecting the container: %w", err)
	}
	address := func(port string) string {
		if bindings := inspected.Container.NetworkSettings.Ports[network.MustParsePort(port)]; len(bindings) > 0 {
			return net.JoinHostPort(host, bindings[0].HostPort)
		}
		return "" // it has ended
	}
	s.simulator.Service = "http://" + address(servicePort)
	s.simulator.HTTPS = "https://" + address(httpsPort)
	s.simulator.Control = "http://" + address(controlPort)
	control := api.NewClient(s.simulator.Control, s.simulator.Token, nil)
	defer control.Close()
	if err := ready(ctx, control, log); err != nil {
		return err
	}
	ca, err := control.Open(ctx, http.MethodGet, "/ca.pem", nil)
	if err != nil {
		return fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
	}
	s.simulator.CA, err = io.ReadAll(ca)
	if err := errors.Join(err, ca.Close()); err != nil {
		return fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
	}
	s.lifeline, err = holdLifeline(ctx, s.simulator.Control, s.simulator.Token, linger)
	return err
}

// ready waits until the simulator answers, or its log ends.
func ready(ctx context.Context, control *api.Client, log *startLog) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		err := control.Call(ctx, http.MethodGet, "/readyz", nil, nil)
		if err == nil {
			return nil
		}
		select {
		case <-log.ended:
			return errors.New("the container has ended")
		case <-ctx.Done():
			return fmt.Errorf("the simulator isn't ready within %s: %w", readyTimeout, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
