package container

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
)

const (
	servicePort = "8080/tcp"
	httpsPort   = "8443/tcp"
	controlPort = "8081/tcp"

	tokenVariable    = "BANKSIM_CONTROL_TOKEN"
	linger           = "3s"             // how long a container runs on after the test binary that it was started for
	keepaliveTimeout = 10 * time.Second // until a keepalive begins
)

// Container is a simulator that runs in a container. See [Container.Simulator] for banks on it.
type Container struct {
	testcontainers.Container
	controlToken string
	network      string // that WithNetwork names first, or "" if there is none
	alias        string // on that network, or "" for the container's id
	keepalive    net.Conn
}

// hold opens the keepalive that keeps a container which is ready. testcontainers calls it at each start.
func (c *Container) hold(ctx context.Context, started testcontainers.Container) error {
	networks, err := started.Networks(ctx)
	if err != nil {
		return err
	}
	if c.network != "" && !slices.Contains(networks, c.network) {
		return fmt.Errorf("the container is not connected to network %q: does the network exist?", c.network)
	}
	control, err := started.PortEndpoint(ctx, controlPort, "http")
	if err != nil {
		return err
	}
	c.release()
	if c.keepalive, err = openKeepalive(ctx, control, c.controlToken); err != nil {
		return fmt.Errorf("opening the keepalive: %w", err)
	}
	return nil
}

// openKeepalive opens a keepalive: an answer of the simulator that stays open. It keeps the container, and ends with
// this process, even if that is killed. It has no goroutine, so that no leak detector finds one.
func openKeepalive(ctx context.Context, control, token string) (net.Conn, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, control+"/v1/keepalive?linger="+linger, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	conn, err := (&net.Dialer{Timeout: keepaliveTimeout}).DialContext(ctx, "tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(conn.SetDeadline(time.Now().Add(keepaliveTimeout)), r.Write(conn)); err == nil {
		var res *http.Response
		if res, err = http.ReadResponse(bufio.NewReader(conn), r); err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf(
				"the simulator answers %s: does its image have the version of banksim that go.mod names?", res.Status,
			)
		}
	}
	if err = errors.Join(err, conn.SetDeadline(time.Time{})); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// release ends the keepalive.
func (c *Container) release() {
	if c.keepalive != nil {
		_ = c.keepalive.Close()
	}
}

// BaseURL returns the base URL of the default sandbox: every path of the interface is appended to it.
func (c *Container) BaseURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, servicePort, "http")
}

// HTTPSURL returns the BaseURL for https. Its certificates hold for any name of the container. The certificate of their
// CA is GET /ca.pem of the control API.
func (c *Container) HTTPSURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, httpsPort, "https")
}

// ControlURL returns the URL of the control API.
func (c *Container) ControlURL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, controlPort, "http")
}

// ControlToken returns the bearer token that calls of the control API need: a random one, unless testcontainers.WithEnv
// sets BANKSIM_CONTROL_TOKEN.
func (c *Container) ControlToken() string { return c.controlToken }

// Simulator says where the simulator is, for testkit.OnSimulator.
func (c *Container) Simulator(ctx context.Context) (testkit.Simulator, error) {
	service, serviceErr := c.BaseURL(ctx)
	https, httpsErr := c.HTTPSURL(ctx)
	control, controlErr := c.ControlURL(ctx)
	if err := errors.Join(serviceErr, httpsErr, controlErr); err != nil {
		return testkit.Simulator{}, fmt.Errorf("asking the engine where the container is: %w", err)
	}
	return testkit.Simulator{
		ControlURL: control, ControlToken: c.controlToken, ServiceURL: service, HTTPSURL: https,
	}, nil
}

// NetworkURL returns the base URL of a bank for apps in other containers on the network of [WithNetwork].
func (c *Container) NetworkURL(bank *testkit.Bank) (string, error) {
	if c.network == "" {
		return "", errors.New("the container is on no network of its own: run it with container.WithNetwork")
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepaliveTimeout)
	defer cancel()
	control, err := c.ControlURL(ctx)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(bank.ControlURL(), control+"/") {
		return "", fmt.Errorf(
			"the bank is on another simulator, at %s: start it with testkit.OnSimulator", bank.ControlURL(),
		)
	}
	host := cmp.Or(c.alias, c.GetContainerID()[:12]) // the name that an engine gives a container on its networks
	port := strings.TrimSuffix(servicePort, "/tcp")
	return "http://" + host + ":" + port + "/sandboxes/" + path.Base(bank.ControlURL()), nil
}

// Terminate ends the container and removes it. It is no error if it has ended already.
func (c *Container) Terminate(ctx context.Context, opts ...testcontainers.TerminateOption) error {
	c.release()
	opts = append([]testcontainers.TerminateOption{testcontainers.StopContext(ctx)}, opts...)
	return testcontainers.TerminateContainer(c.Container, opts...)
}
