package container

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/testkit/internal/backend"
)

func init() { backend.Registered = &containers{byImage: map[string]*shared{}} }

// containers are the containers of the test binary, which its banks share: one of each image. They end with the test binary,
// like all that [Run] starts.
type containers struct {
	mu      sync.Mutex
	byImage map[string]*shared // by the name of the image that was asked for
}

// shared is a container that the banks of the test binary share, or why it couldn't be started.
type shared struct {
	container *Container // whose lifeline is closed when nothing refers to it
	simulator backend.Simulator
	err       error
}

// Ping asks the engine once for all tests.
func (*containers) Ping() error { return ping() }

// Shared returns the container of an image. It doesn't try again if that couldn't be started. BANKSIM_IMAGE decides for all
// images.
func (c *containers) Shared(ctx context.Context, image string) (backend.Simulator, error) {
	image = cmp.Or(os.Getenv(imageVariable), image)
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byImage[image]
	if s == nil {
		s = &shared{}
		bounded, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		s.err = s.start(bounded, image)
		if s.err == nil || ctx.Err() == nil { // a caller that has given up says nothing about the container
			c.byImage[image] = s
		}
	}
	return s.simulator, s.err
}

// start runs a container in which a request that names no bank reaches none.
func (s *shared) start(ctx context.Context, image string) (err error) {
	if s.container, err = Run(ctx, image, withEnv("BANKSIM_NO_DEFAULT_SANDBOX", "true"), WithSeed(backend.Seed)); err != nil {
		return err
	}
	if s.simulator, err = s.container.simulator(ctx); err != nil {
		err = fmt.Errorf("asking banksim in a container where it is: %w", err)
		return errors.Join(err, s.container.Terminate(context.WithoutCancel(ctx)))
	}
	return nil
}

// simulator returns where the simulator is, and the certificate of its CA.
func (c *Container) simulator(ctx context.Context) (backend.Simulator, error) {
	service, serviceErr := c.BaseURL(ctx)
	https, httpsErr := c.HTTPSURL(ctx)
	control, controlErr := c.ControlURL(ctx)
	s := backend.Simulator{Service: service, HTTPS: https, Control: control, Token: c.controlToken}
	if err := errors.Join(serviceErr, httpsErr, controlErr); err != nil {
		return s, err
	}
	calls := api.NewClient(control, c.controlToken, nil)
	defer calls.Close()
	var err error
	s.CA, err = calls.Read(ctx, http.MethodGet, "/ca.pem", nil)
	return s, err
}
