package testkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// Simulator says where a running simulator is.
type Simulator struct {
	ControlURL   string
	ControlToken string // or "" if the control API needs none
	ServiceURL   string // of the bank API, or "" for the address that the simulator knows
	HTTPSURL     string // the same for https
}

// simulatorFromEnvironment returns a simulator with the token and the service URL that the environment has.
func simulatorFromEnvironment(controlURL string) Simulator {
	if !strings.Contains(controlURL, "://") {
		controlURL = "http://" + controlURL
	}
	return Simulator{
		ControlURL:   controlURL,
		ControlToken: os.Getenv("BANKSIM_CONTROL_TOKEN"),
		ServiceURL:   os.Getenv("BANKSIM_SERVICE"),
	}
}

// endpoint is a running simulator, and how its banks are reached.
type endpoint struct {
	control  string // URL of the control API
	token    string
	service  string // URL of the bank API
	https    string // the same for https, or "" if none is known
	ca       []byte // certificate that clients of https must trust (PEM), or nil
	outlives bool   // whether the simulator may run on after the tests

	// listen serves a sandbox on a listener of its own until end is called. If it is nil, the base URLs of banks have
	// a path.
	listen func(sandbox string, secure bool) (baseURL string, end func(), err error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error) // or nil for the network
}

// newClient returns a client of the control API.
func (e endpoint) newClient() *api.Client {
	client := api.NewClient(e.control, e.token, nil)
	if e.dial != nil {
		client.DialBy(e.dial)
	}
	return client
}

// endpoint asks the simulator for what else the banks on it need.
func (s Simulator) endpoint(ctx context.Context, settings clientSettings) (endpoint, error) {
	clean := func(url string) string { return strings.TrimRight(url, "/") } // paths are appended
	e := endpoint{
		control: clean(s.ControlURL), token: s.ControlToken, service: clean(s.ServiceURL), https: clean(s.HTTPSURL),
		outlives: true,
	}
	client := e.newClient()
	defer client.Close()
	var known struct{ BaseURL, HTTPSURL string } // of the default sandbox, which the token need not cover
	if err := client.Get(ctx, "/v1/info", &known); err != nil {
		return e, fmt.Errorf("asking the simulator where it is: %w", plainly(err))
	}
	base := strings.TrimSuffix(known.BaseURL, "/sandboxes/default")
	if e.service == "" {
		e.service = base
	}
	if e.https == "" && strings.HasPrefix(base, "https://") {
		e.https = base
	} else if e.https == "" {
		e.https = strings.TrimSuffix(known.HTTPSURL, "/sandboxes/default")
	}
	if settings.https || len(settings.hosts) > 0 {
		var err error
		e.ca, err = client.Read(ctx, http.MethodGet, "/ca.pem", nil)
		var refusal *api.Refusal
		if err != nil && !(errors.As(err, &refusal) && refusal.Status == http.StatusNotFound) { // it may have none
			return e, fmt.Errorf("reading the certificate of the simulator's CA: %w", err)
		}
	}
	return e, nil
}

// defaultSeed is the seed of banks whose scenario has no seed. So a test draws the same ids and tokens in each run.
const defaultSeed = 7

// version is what the simulator in process states as its version.
const version = "testkit"

// sharedServer starts the simulator in the process of the test binary. All tests share it, and it ends with the
// process.
var sharedServer = sync.OnceValues(func() (endpoint, error) {
	sc, err := scenario.Load("retail")
	if err != nil {
		return endpoint{}, err
	}
	certificates, err := tlsca.Open(tlsca.Config{Hosts: []string{"*"}}) // for the names of AsHost
	if err != nil {
		return endpoint{}, err
	}
	seed := uint64(defaultSeed)
	srv, err := server.Start(context.Background(), server.Config{
		Listen:       []string{"127.0.0.1:0"},
		Control:      "127.0.0.1:0",
		Certificates: certificates,
		Sandboxes:    sandbox.NewRegistry(sandbox.Config{Scenario: sc, Seed: &seed}),
		NoDefault:    true, // a request that names no bank reaches none
		Version:      version,
		Log:          slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{
		control: srv.ControlURL(), service: srv.ServiceURL(), ca: srv.CA(), listen: srv.ServeSandbox,
	}, nil
})

// inBubble reports whether the caller is in a bubble of testing/synctest, where time begins with the year 2000.
func inBubble() bool { return time.Now().Year() < 2020 }
