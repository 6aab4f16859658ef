package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// An id is given once, also beside those of a scenario. Pages follow one another.
func TestAlertPreferenceIDs(t *testing.T) {
	w := newBank(t)
	for _, want := range []int64{1, 501, 502} {
		created, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{})
		require.NoError(t, err)
		assert.Equal(t, want, created.AlertPrefID)
		w.AddAlertPreference(sim.AlertPreference{InstitutionID: "02688", HostUserID: "1002", AlertPrefID: 500})
	}
	second := w.ListAlertPreferences("02688", "1001", sim.AlertQuery{Page: 1, Size: 2})
	require.Len(t, second, 1)
	assert.EqualValues(t, 502, second[0].AlertPrefID)
}
