package sim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Ids may have any characters, also those that separate the parts of a stored key.
func TestRowsOfOddIDsAreRestored(t *testing.T) {
	w := newBank(t)
	for _, id := range []string{"10", "10\x0001", "10\x01"} {
		require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: id, Username: id}))
		require.NoError(t, w.AddAccount(sim.Account{InstitutionID: "02688", HostUserID: id, AccountID: "\x01a"}))
	}
	restored, err := sim.RestoreWorld(w.Meta(), w.Policies(), w.Rows())
	require.NoError(t, err)
	assert.True(t, restored.Equal(w))
	for row := range w.Rows() { // a key is enough to find it
		row.Value, row.Removed = nil, true
		require.NoError(t, restored.Apply(w.Meta(), slices.Values([]sim.StoredRow{row})), "%q", row)
	}
	assert.Empty(t, slices.Collect(restored.Rows()))
}

func TestDamagedRowsAreRefused(t *testing.T) {
	for _, row := range []sim.StoredRow{
		{Table: "cheques", Key: "1"},
		{Table: "users", Key: "02688\x001", Value: []byte("{")},
		{Table: "users", Key: "02688", Removed: true},
		{Table: "alertPreferences", Key: "02688\x001\x00first", Removed: true},
	} {
		w := newBank(t)
		assert.Error(t, w.Apply(w.Meta(), slices.Values([]sim.StoredRow{row})), "%q", row)
	}
}
