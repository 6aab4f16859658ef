package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// A resolved scenario loads to the same as the scenario itself.
func TestResolveLoadsToTheSame(t *testing.T) {
	t.Parallel()
	for _, name := range scenario.Names() {
		layered, err := scenario.Load(name)
		require.NoError(t, err)
		resolved, err := layered.Resolve()
		require.NoError(t, err)
		alone, err := scenario.Parse("alone.yaml", []byte(resolved.YAML))
		require.NoError(t, err, resolved.YAML)
		requireSame(t, layered, alone)
	}
}

func requireSame(t *testing.T, want, got *scenario.Scenario) {
	t.Helper()
	for change := range got.World.Diff(want.World) {
		assert.Fail(t, "a row differs", "%s: %s\n%+v\n%+v", want.Name, change.Row, change.Before, change.After)
	}
	assert.True(t, want.World.Equal(got.World), want.Name)
	assert.Equal(t, want.Name, got.Name)
	assert.Equal(t, want.Description, got.Description)
	assert.Equal(t, want.Seed, got.Seed)
	assert.True(t, want.Start.Equal(got.Start))
	assert.Equal(t, want.Running, got.Running)
	assert.Equal(t, want.Faults, got.Faults)
}
