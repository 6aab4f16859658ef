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

// An alert preference may have been created with ids that are empty: they contradict nothing, in a saved scenario either.
func TestSaveEmptyIDs(t *testing.T) {
	t.Parallel()
	sc, err := scenario.Parse("empty.yaml", []byte(`
behavior: {alerts: {contradiction: reject}}
institutions:
- institutionId: '02688'
  users:
  - hostUserId: '1001'
    alertPreferences:
    - alertPreferenceDetails: {alertPrefId: 1, institutionId: '', institutionCustomerId: ''}
`))
	require.NoError(t, err)
	require.NoError(t, simtest.CheckSaved(sc.Bank()))
}
