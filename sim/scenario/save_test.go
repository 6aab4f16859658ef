package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Every built-in scenario, saved at its start, loads to an equal bank.
func TestSaveBuiltIn(t *testing.T) {
	t.Parallel()
	for _, name := range scenario.Names() {
		sc, err := scenario.Load(name)
		require.NoError(t, err)
		require.NoError(t, simtest.CheckSaved(sc.Bank()), name)
	}
}
