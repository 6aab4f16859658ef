package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

func channel(name string) sim.AlertContent {
	return sim.AlertContent{Details: &sim.AlertDetails{ChannelTypeName: &name}}
}

func TestAlertPreferenceIDs(t *testing.T) {
	w := newBank(t)
	first, err := w.CreateAlertPreference(document(w), "02688", "1001", channel("EMAIL"))
	require.NoError(t, err)
	second, err := w.CreateAlertPreference(document(w), "02688", "1001", channel("EMAIL"))
	require.NoError(t, err)
	assert.Equal(t, int64(1), first.AlertPrefID)
	assert.Equal(t, int64(2), second.AlertPrefID, "the same preference twice is two preferences")

	w.AddAlertPreference(sim.AlertPreference{InstitutionID: "02688", HostUserID: "1002", AlertPrefID: 500})
	next, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{})
	require.NoError(t, err)
	assert.Equal(t, int64(501), next.AlertPrefID)
	var ids []int64
	for p := range w.AlertPreferences("02688", "1001") {
		ids = append(ids, p.AlertPrefID)
	}
	assert.Equal(t, []int64{1, 2, 501}, ids)
}
