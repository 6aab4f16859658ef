package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
)

// A variable means one thing: a flag of serve, or where the control API is, in whatever command asks for it.
func TestVariables(t *testing.T) {
	t.Parallel()
	parser := kong.Must(new(commandLine), parserVars())
	nameVariables(parser.Model)
	flags := map[string][]string{} // of each variable
	commands := map[string][]string{}
	for _, leaf := range parser.Model.Leaves(false) {
		for _, flag := range leaf.Flags {
			for _, variable := range flag.Envs {
				flags[variable] = append(flags[variable], flag.Name)
				commands[variable] = append(commands[variable], leaf.Name)
			}
			assert.True(t, leaf.Name != "serve" || len(flag.Envs) == 1, flag.Name)
		}
	}
	assert.Equal(t, []string{"serve"}, commands["BANKSIM_SEED"])
	for variable, names := range flags {
		if len(names) > 1 {
			assert.Contains(t, []string{"BANKSIM_CONTROL", "BANKSIM_CONTROL_TOKEN", "BANKSIM_CONTROL_CA"}, variable)
			assert.Len(t, slices.Compact(names), 1, variable)
		}
	}
	// Those that an image and package testkit/container set.
	for _, variable := range []string{"LISTEN", "CONTROL", "CONTROL_TOKEN", "TLS_HOSTS", "CLOCK_START", "EXIT_WHEN_IDLE",
		"SCENARIO", "SEED", "NO_DEFAULT_SANDBOX"} {
		assert.Contains(t, commands["BANKSIM_"+variable], "serve")
	}
}
