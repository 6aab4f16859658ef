package container

import (
	"strconv"
	"strings"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
)

const (
	scenarioVariable = "BANKSIM_SCENARIO"
	scenarioFile     = "/scenarios/scenario.yaml"
)

// withEnv sets an environment variable.
func withEnv(name, value string) testcontainers.CustomizeRequestOption {
	return testcontainers.WithEnv(map[string]string{name: value})
}

// WithScenario starts the simulator from a built-in scenario. Of several scenarios the last one counts.
func WithScenario(name string) testcontainers.CustomizeRequestOption {
	return withEnv(scenarioVariable, name)
}

// WithScenarioYAML starts the simulator from a scenario's YAML.
func WithScenarioYAML(yaml string) testcontainers.CustomizeRequestOption {
	return func(r *testcontainers.GenericContainerRequest) error {
		r.Files = append(r.Files, testcontainers.ContainerFile{
			Reader: strings.NewReader(yaml), ContainerFilePath: scenarioFile, FileMode: 0o444,
		})
		return withEnv(scenarioVariable, scenarioFile)(r)
	}
}

// WithSeed sets the seed of the simulator's ids and tokens, instead of the scenario's.
func WithSeed(seed uint64) testcontainers.CustomizeRequestOption {
	return withEnv("BANKSIM_SEED", strconv.FormatUint(seed, 10))
}

// WithNetwork connects the container to a network that exists, where other containers reach it by its aliases; see
// [Container.NetworkURL].
func WithNetwork(name string, aliases ...string) testcontainers.CustomizeRequestOption {
	return network.WithNetworkName(aliases, name)
}
