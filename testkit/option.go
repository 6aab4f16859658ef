package testkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// Option configures the bank that [Start] returns, the [Suite] that [StartSuite] returns, or the banks and the runs of
// [Explore].
type Option func(*settings)

// settings holds what options set.
type settings struct {
	inMemory bool
	on       *Simulator // or nil for the simulator in process
	client   clientSettings
	plan     api.NewSandbox
	explore  exploreSettings
	problems []error
}

// clientSettings say how apps reach a bank.
type clientSettings struct {
	https bool
	hosts []string // that lead to the bank
}

// newSettings returns what options set.
func newSettings(opts []Option) (settings, error) {
	s := settings{explore: defaultExploreSettings()}
	for _, opt := range opts {
		if opt == nil {
			s.refuse("an option is nil")
			continue
		}
		opt(&s)
	}
	if s.inMemory && (s.on != nil || s.client.https || len(s.client.hosts) > 0) {
		s.refuse("InMemory goes with neither On nor HTTPS nor AsHost, which are about addresses")
	}
	return s, errors.Join(s.problems...)
}

// refuse notes that an option is wrong.
func (s *settings) refuse(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

// endpoint returns the simulator for a bank. In memory it starts one, and cleanup is given what ends it.
func (s settings) endpoint(ctx context.Context, cleanup func(func())) (endpoint, error) {
	if inBubble() && !s.inMemory {
		return endpoint{}, errors.New("a bubble of testing/synctest has no network: use testkit.InMemory()")
	}
	if s.on != nil {
		return s.on.endpoint(ctx, s.client)
	}
	if s.inMemory {
		e, end, err := inMemory()
		if err == nil {
			cleanup(end)
		}
		return e, err
	}
	return sharedServer()
}

// Scenario starts the bank from a built-in scenario instead of retail. It goes without ScenarioYAML.
func Scenario(name string) Option {
	return func(s *settings) {
		s.plan.Scenario = &name
		s.refuseTwoScenarios()
	}
}

// ScenarioYAML starts the bank from a scenario's YAML. It may extend a built-in one. It goes without Scenario.
func ScenarioYAML(yaml string) Option {
	return func(s *settings) {
		s.plan.ScenarioYAML = &yaml
		s.refuseTwoScenarios()
	}
}

func (s *settings) refuseTwoScenarios() {
	if s.plan.Scenario != nil && s.plan.ScenarioYAML != nil {
		s.refuse("Scenario and ScenarioYAML exclude each other")
	}
}

// Seed sets the seed of the bank's ids and tokens, instead of the scenario's.
func Seed(seed uint64) Option { return func(s *settings) { s.plan.Seed = &seed } }

// HTTPS makes the base URL of the bank one of https, over HTTP/1.1 and HTTP/2. The certificate is of a CA that the
// simulator has made for itself: [Bank.Client] trusts it, and other clients need [Bank.CACert].
func HTTPS() Option { return func(s *settings) { s.client.https = true } }

// AsHost makes [Bank.Client] lead hosts to the bank, for an app whose bank is a fixed host. A request to
// https://api.bank.example/… reaches this bank, though tests that run at the same time give the host banks of their
// own. The app has to use the client or its transport. At another port than 443 its requests to such a host fail.
func AsHost(hosts ...string) Option {
	return func(s *settings) {
		if len(hosts) == 0 {
			s.refuse("AsHost takes the name of a host, such as api.bank.example")
		}
		for _, host := range hosts {
			if net.ParseIP(host) != nil || strings.Contains(host, "*") || tlsca.CheckHost(host) != nil {
				s.refuse(
					"AsHost takes the names of hosts, without scheme and port, such as api.bank.example: %q is none",
					host,
				)
			}
		}
		s.client.hosts = append(s.client.hosts, hosts...)
	}
}

// InMemory starts the bank within the test, on connections in memory: it has no listener, and no goroutine that
// outlives the test. So the test may run in a bubble of testing/synctest. There the bank's clock runs by the time of
// the bubble: an hour of retries takes no time, and a token expires while the test sleeps.
//
// Only [Bank.Client] reaches the bank, and a client with its transport. A connection fault is what net/http makes of
// it, as over TCP.
func InMemory() Option { return func(s *settings) { s.inMemory = true } }

// On puts the bank on a simulator that runs already, by the URL of its control API. As in the other test kits, the
// environment variable BANKSIM_CONTROL_TOKEN has its token. BANKSIM_SERVICE has the URL of the bank API if the
// simulator doesn't know the address, such as that of a forwarded port.
func On(controlURL string) Option {
	return OnSimulator(simulatorFromEnvironment(controlURL))
}

// OnSimulator puts the bank on a simulator that runs already, such as one in a container: see package
// testkit/container.
func OnSimulator(running Simulator) Option { return func(s *settings) { s.on = &running } }
