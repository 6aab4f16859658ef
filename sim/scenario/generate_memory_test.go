package scenario_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// A scenario that generates more rows than the process has memory for is refused before any row is made.
func TestGenerateFitsIntoMemory(t *testing.T) { // not parallel: it sets the memory limit
	const (
		upToHere = " users, accounts, groups and participants, in all institutions up to here, more than "
		remedy   = " for which the process has memory: give the process more memory (GOMEMLIMIT, or the container's " +
			"limit), or ask for fewer"
	)
	second := "\n  - institutionId: \"05523\"\n    generate: "
	for name, c := range map[string]struct {
		memory   int64
		generate string
		problem  string // or empty
	}{
		"as many as fit": {2 << 20, "{users: 2048, accountsPerUser: 1}", ""},
		"one group more": {2 << 20, "{users: 2048, accountsPerUser: 1, groups: 1}",
			"test.yaml:3:15: generate makes 4097" + upToHere + "the 4095" + remedy},
		"users alone": {1 << 20, "{users: 1000000, accountsPerUser: 0}",
			"test.yaml:3:15: generate makes 1000000" + upToHere + "the 2048" + remedy},
		"two institutions": {1 << 20, "{users: 4, accountsPerUser: 0}" + second + "{users: 2045, accountsPerUser: 0}",
			"test.yaml:5:15: generate makes 2049" + upToHere + "the 2048" + remedy},
	} {
		t.Run(name, func(t *testing.T) {
			before := debug.SetMemoryLimit(c.memory)
			defer debug.SetMemoryLimit(before)
			source := []byte(bank("    generate: " + c.generate + "\n"))
			_, examined := scenario.Parse("test.yaml", source, scenario.WithoutWorld())
			_, err := scenario.Parse("test.yaml", source)
			assert.Equal(t, examined, err)
			if c.problem == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.problem)
			require.ErrorAs(t, err, new(scenario.Problems))
		})
	}
}

// What is built in is small, and can be listed and loaded with whatever memory there is.
func TestBuiltInFitsIntoMemory(t *testing.T) { // not parallel: it sets the memory limit
	before := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(before)
	_, err := scenario.Load("crowd")
	require.NoError(t, err)
	_, err = scenario.Parse("test.yaml", []byte("extends: crowd\n"))
	require.ErrorContains(t, err, "(inherited from crowd.yaml:")
}
