package testkit

import "github.com/digitalbanking-sim/banksim/sim/api"

// Option configures the bank that [Start] returns.
type Option func(*settings)

// settings holds what the options set.
type settings struct {
	inProcess bool
	image     string
	on        Simulator
	hosts     hostSet
	plan      api.NewSandbox
}

// settle applies options.
func settle(opts []Option) settings {
	var s settings
	for _, opt := range opts {
		opt(&s)
	}
	return s
}

// newSandboxPath is the call that creates a bank's sandbox.
const newSandboxPath = "/v1/sandboxes"

// InProcess runs the bank in the test's own process: without Docker, within milliseconds.
func InProcess() Option { return func(s *settings) { s.inProcess = true } }

// Image runs the bank in a container of this image, instead of one that is built for the test binary; in process it has no
// effect. The environment variable BANKSIM_IMAGE decides for all banks. The image has to have the version of banksim that
// go.mod names. An engine that doesn't have it pulls it.
func Image(name string) Option { return func(s *settings) { s.image = name } }

// On runs the bank on a simulator that runs already, such as a container that container.Run has started. BANKSIM_TESTKIT has
// no effect on such a bank.
func On(simulator Simulator) Option { return func(s *settings) { s.on = simulator } }

// Scenario starts the bank from a built-in scenario instead of retail.
func Scenario(name string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = &name, nil }
}

// ScenarioYAML starts the bank from a scenario's YAML, which may extend a built-in one.
func ScenarioYAML(yaml string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = nil, &yaml }
}

// Seed sets the seed of the bank's ids and tokens, instead of the scenario's.
func Seed(seed uint64) Option { return func(s *settings) { s.plan.Seed = &seed } }
