package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/testcontainers/testcontainers-go"
)

const (
	servicePort = "8080/tcp"
	httpsPort   = "8443/tcp"
	controlPort = "8081/tcp"

	tokenVariable = "BANKSIM_CONTROL_TOKEN"
	idleVariable  = "BANKSIM_EXIT_WHEN_IDLE"

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
	lifeline     net.Conn
}

// hold opens the lifeline that keeps a container which is ready. testcontainers calls it at each start.
func (c *Container) hold(ctx context.Context, started testcontainers.Container) error {
	inspected, err := started.Inspect(ctx)
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
	control, err := started.PortEndpoint(ctx, controlPort, "http")
	if err != nil {
		return err
	}
	after := linger
	if c.reused {
		after = "" // another process may come for it
	}
	c.release()
	c.lifeline, err = holdLifeline(ctx, control, c.controlToken, after)
	return err
}

// release ends the lifeline.
func (c *Container) release() {
	if c.lifeline != nil {
		_ = c.lifeline.Close()
	}
}

// BaseURL returns the base URL of the default sandbox: every path of the interface is appended to it.
func (c *Container) BaseURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, servicePort, "http")
}

// HTTPSURL returns the BaseURL for https. Its certificates are of a CA whose own one is CACert of a bank (see testkit.On), and
// GET /ca.pem of the control API. They are for any name by which the container may be asked.
func (c *Container) HTTPSURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, httpsPort, "https")
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

// Terminate ends the container, which is then removed. It is no error if it has ended already.
func (c *Container) Terminate(ctx context.Context, opts ...testcontainers.TerminateOption) error {
	c.release()
	opts = append([]testcontainers.TerminateOption{testcontainers.StopContext(ctx)}, opts...)
	return testcontainers.TerminateContainer(c.Container, opts...)
}
