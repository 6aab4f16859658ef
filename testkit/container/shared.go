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
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit/internal/backend"
)

func init() { backend.Register(&containers{of: map[string]*shared{}}) }

// checkEvery is how often at most the shared container's lifeline is looked at.
const checkEvery = 100 * time.Millisecond

// containers are the containers of the test binary, which its banks share: one of each image. The engine's own client starts
// them, not testcontainers, which would start a container of its own, from an image registry, to clean up.
type containers struct {
	mu sync.Mutex
	of map[string]*shared // by the name of the image that was asked for
}

// shared is a container that the banks of the test binary share, or why it couldn't be started.
type shared struct {
	simulator backend.Simulator
	line      *lifeline
	checked   time.Time // when the lifeline was last found to hold
	err       error
}

// Ping asks the engine once for all tests.
func (*containers) Ping() error { return ping() }

// Shared returns the container of an image. It starts another one if it has ended, such as by docker stop, and doesn't try
// again if it couldn't be started. BANKSIM_IMAGE decides for all images.
func (c *containers) Shared(ctx context.Context, image string) (backend.Simulator, error) {
	if ruling := os.Getenv(imageVariable); ruling != "" {
		image = ruling
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.of[image]
	if s == nil || s.err == nil && !s.lives() {
		bounded, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		s = startShared(bounded, image)
		if s.err == nil || ctx.Err() == nil { // a caller that has given up says nothing about the container
			c.of[image] = s
		}
	}
	return s.simulator, s.err
}

// lives reports whether the container still runs.
func (s *shared) lives() bool {
	if time.Since(s.checked) < checkEvery {
		return true
	}
	if !s.line.holds() {
		s.line.release()
		return false
	}
	s.checked = time.Now()
	return true
}

// startShared starts a container. If that fails, it leaves nothing behind.
func startShared(ctx context.Context, image string) *shared {
	name, log := rand.Text(), &tail{}
	defer log.detach()
	s := &shared{checked: time.Now()}
	if s.err = s.start(ctx, name, image, log); s.err != nil {
		s.line.release()
		left := discard(name) // which also ends its log
		if log.hasEnded() != nil {
			s.err = fmt.Errorf("%w\nthe end of its log:\n%s", s.err, log.words())
		}
		s.err = errors.Join(fmt.Errorf("starting banksim in a container: %w", s.err), left)
	}
	return s
}

func (s *shared) start(ctx context.Context, name, image string, log *tail) error {
	docker, err := connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = provider.Close() }()
	host, err := provider.DaemonHost(ctx)
	if err != nil {
		return fmt.Errorf("finding the host of the Docker engine: %w", err)
	}
	on := netip.IPv4Unspecified()
	if host == "localhost" || host == "127.0.0.1" { // then no other machine has to reach it
		on = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		host = on.String() // localhost may also stand for ::1
	}
	if image, err = imageFor(ctx, docker, image); err == nil {
		err = pull(ctx, docker, provider, image)
	}
	if err != nil {
		return err
	}
	s.simulator.Token = rand.Text()
	created, err := docker.ContainerCreate(ctx, configuration(image, name, environment(s.simulator.Token, host), on))
	if err != nil {
		return fmt.Errorf("creating the container: %w", err)
	}
	log.attach(ctx, docker, created.ID)
	if _, err := docker.ContainerStart(ctx, created.ID, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("starting the container: %w", err)
	}
	log.attach(ctx, docker, created.ID)
	inspected, err := docker.ContainerInspect(ctx, created.ID, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("inspecting the container: %w", err)
	}
	ports := inspected.Container.NetworkSettings.Ports
	for _, one := range []struct {
		url          *string
		scheme, port string
	}{
		{&s.simulator.Service, "http", servicePort}, {&s.simulator.HTTPS, "https", httpsPort}, {&s.simulator.Control, "http", controlPort},
	} {
		if *one.url, err = published(ports, one.scheme, one.port, host); err != nil {
			return err
		}
	}
	if err := ready(ctx, s.simulator.Control, log.hasEnded()); err != nil {
		return err
	}
	if s.simulator.CA, err = readCA(ctx, s.simulator.Control); err != nil {
		return err
	}
	s.line, err = holdLifeline(ctx, s.simulator.Control, s.simulator.Token, linger)
	return err
}

// configuration describes a container whose ports are published on an address of the engine's host.
func configuration(image, name string, environment map[string]string, on netip.Addr) client.ContainerCreateOptions {
	settings := &container.Config{Image: image, Labels: map[string]string{runLabel: name}, ExposedPorts: network.PortSet{}}
	for variable, value := range environment {
		settings.Env = append(settings.Env, variable+"="+value)
	}
	settings.Env = append(settings.Env, "BANKSIM_NO_DEFAULT_SANDBOX=true") // a request that names no bank reaches none
	hostSettings := &container.HostConfig{}
	confine(hostSettings)
	publish(hostSettings, on)
	hostSettings.Mounts = nil // it gets its scenarios by the control API
	for port := range hostSettings.PortBindings {
		settings.ExposedPorts[port] = struct{}{}
	}
	return client.ContainerCreateOptions{Config: settings, HostConfig: hostSettings}
}

// published returns the URL at which a port of the container is published.
func published(ports network.PortMap, scheme, port, host string) (string, error) {
	bindings := ports[network.MustParsePort(port)]
	if len(bindings) == 0 {
		return "", fmt.Errorf("the engine doesn't publish port %s of the container: has it ended?", port)
	}
	return scheme + "://" + net.JoinHostPort(host, bindings[0].HostPort), nil
}

// ready waits until the simulator answers, or its log ends.
func ready(ctx context.Context, control string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if status, _, err := ask(ctx, control+"/readyz"); err == nil && status == http.StatusOK {
			return nil
		}
		select {
		case <-ended:
			return errors.New("the container has ended")
		case <-ctx.Done():
			return fmt.Errorf("the simulator isn't ready within %s: %w", readyTimeout, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 1 << 20

// ask asks the control API for what needs no token.
func ask(ctx context.Context, url string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without the proxies of the environment
	res, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, body, errors.Join(err, res.Body.Close())
}

// readCA returns the certificate of the simulator's CA.
func readCA(ctx context.Context, control string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	switch status, ca, err := ask(ctx, control+"/ca.pem"); {
	case err != nil:
		return nil, fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
	case status != http.StatusOK:
		return nil, fmt.Errorf("the simulator has no CA, it answers %d: does its image have the version of banksim that go.mod names?", status)
	default:
		return ca, nil
	}
}
