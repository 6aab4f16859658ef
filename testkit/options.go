package testkit

// Option says how [Start] makes a bank.
type Option func(*settings)

// settings are what options set.
type settings struct {
	inProcess bool
	plan      plan
}

// plan is the body of the control API's call that creates a sandbox.
type plan struct {
	Scenario     string  `json:"scenario,omitzero"`
	ScenarioYAML string  `json:"scenarioYaml,omitzero"`
	Seed         *uint64 `json:"seed,omitzero"`
}

// InProcess has the bank in the test's own process, without Docker and within milliseconds.
func InProcess() Option { return func(s *settings) { s.inProcess = true } }

// Scenario has the bank start from a built-in scenario instead of retail.
func Scenario(name string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = name, "" }
}

// ScenarioYAML has the bank start from a scenario's YAML. It may extend a built-in one.
func ScenarioYAML(yaml string) Option {
	return func(s *settings) { s.plan.Scenario, s.plan.ScenarioYAML = "", yaml }
}

// Seed has the bank draw its ids and tokens from a seed instead of the scenario's.
func Seed(seed uint64) Option { return func(s *settings) { s.plan.Seed = &seed } }
