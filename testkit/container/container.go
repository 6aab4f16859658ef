package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

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
	idleVariable     = "BANKSIM_EXIT_WHEN_IDLE"

	// DefaultExitWhenIdle is how long a container keeps running without a request and without the test binary that started
	// it, unless WithExitWhenIdle changes it.
	DefaultExitWhenIdle = 2 * time.Minute
)

// Container is a simulator that runs in a container. Banks can be on it: testkit.Start(t, testkit.On(ctr)).
type Container struct {
	testcontainers.Container
	controlToken string
	reused       bool   // or may be, by another process
	network      string // that WithNetwork names first; empty: none
	alias        string // on that network; empty: the container's id
	line         *lifeline
}

// Run starts a simulator in a container and returns when it is ready. An empty image name stands for that of the environment
// variable BANKSIM_IMAGE or, without it, for an image of the version of banksim that the app's go.mod names. Run builds that
// image once, without any registry.
//
// The container runs read-only, without capabilities and not as root. It is removed when it ends. As long as the test binary
// runs, it doesn't end by itself; after that, even if the test binary was killed, it ends within seconds. One that is reused by
// its name ([testcontainers.WithReuseByName]) ends [DefaultExitWhenIdle] after its last use instead, see [WithExitWhenIdle].
//
// Run takes five minutes at most, or until ctx ends, and another fifteen seconds to clean up; fifteen seconds if no
// engine answers. If it fails, it leaves no container behind and returns none. The error has the end of the container's log.
func Run(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	// testcontainers copies the log for as long as the context lasts: it ends when the start has failed, not when it is done.
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
	name, log, c := rand.Text(), &tail{}, &Container{}
	all := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(servicePort, controlPort),
		testcontainers.WithEnv(environment(rand.Text())),
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
				if own != nil { // which may loosen what is confined
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

// adopt finds out what is needed to use the container, and keeps it.
func (c *Container) adopt(ctx context.Context) error {
	inspected, err := c.Inspect(ctx)
	if err != nil {
		return err
	}
	for _, variable := range inspected.Config.Env { // a container that is reused has its own token
		if token, ok := strings.CutPrefix(variable, tokenVariable+"="); ok {
			c.controlToken = token
		}
	}
	if c.network != "" && inspected.NetworkSettings.Networks[c.network] == nil {
		return fmt.Errorf("the container is not connected to network %q: does the network exist?", c.network)
	}
	if !inspected.State.Running { // see testcontainers.WithNoStart
		return nil
	}
	return c.hold(ctx)
}

// hold opens the lifeline that keeps the container.
func (c *Container) hold(ctx context.Context) error {
	control, err := c.ControlURL(ctx)
	if err != nil {
		return err
	}
	after := linger
	if c.reused {
		after = "" // another process may come for it
	}
	c.line.release()
	c.line, err = holdLifeline(ctx, control, c.controlToken, after)
	return err
}

// environment configures the simulator.
func environment(token string) map[string]string {
	return map[string]string{
		"BANKSIM_LISTEN":  "0.0.0.0:8080",
		"BANKSIM_CONTROL": "0.0.0.0:8081",
		tokenVariable:     token,
		idleVariable:      DefaultExitWhenIdle.String(),
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

// BaseURL returns the base URL of the default sandbox: every path of the interface is appended to it.
func (c *Container) BaseURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, servicePort, "http")
}

// ControlURL returns the URL of the control API.
func (c *Container) ControlURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, controlPort, "http")
}

// ControlToken returns the bearer token that calls of the control API need. A container that is reused by its name keeps the
// token with which it was created.
func (c *Container) ControlToken() string { return c.controlToken }

// NetworkURL returns the base URL of the default sandbox for other containers on the network of [WithNetwork].
func (c *Container) NetworkURL(context.Context) (string, error) {
	if c.network == "" {
		return "", errors.New("the container is on no network of its own: run it with container.WithNetwork")
	}
	host := c.alias
	if host == "" {
		host = c.GetContainerID()[:12] // the name that an engine gives a container on its networks
	}
	return "http://" + host + ":" + strings.TrimSuffix(servicePort, "/tcp"), nil
}

// Start starts a container again. That works for one that its engine keeps when it ends; by default it doesn't, because
// nothing of the bank outlives the simulator. To stop and start a container, run it with
//
//	testcontainers.WithHostConfigModifier(func(host *container.HostConfig) { host.AutoRemove = false })
//
// and end it with Terminate. Its bank then begins anew, and its ports may be others.
func (c *Container) Start(ctx context.Context) error {
	err := c.Container.Start(ctx)
	if isGone(err) {
		return fmt.Errorf("starting banksim's container again: it was removed when it ended: Run another one, or let the engine keep it (AutoRemove = false): %w", err)
	}
	if err != nil {
		return err
	}
	return c.hold(ctx)
}

// Terminate ends the container, which is then removed.
func (c *Container) Terminate(ctx context.Context, opts ...testcontainers.TerminateOption) error {
	if c == nil || c.Container == nil {
		return nil
	}
	c.line.release()
	err := c.Container.Terminate(ctx, opts...)
	if isGone(err) {
		return nil // the engine is removing it already, or has done so
	}
	return err
}

// ready waits until the simulator answers, or its log ends.
func ready(ctx context.Context, control string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without the proxies of the environment
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, control+"/readyz", nil)
		if err != nil {
			return err
		}
		if res, err := client.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
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
