package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// An id is given once, also beside those of a scenario.
func TestAlertPreferenceIDs(t *testing.T) {
	w := newBank(t)
	for _, want := range []int64{1, 501} {
		created, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{})
		require.NoError(t, err)
		assert.Equal(t, want, created.AlertPrefID)
		w.AddAlertPreference(sim.AlertPreference{InstitutionID: "02688", HostUserID: "1002", AlertPrefID: 500})
	}
}
