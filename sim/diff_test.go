package sim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// rows returns which rows differ.
func rows(changes []sim.Change) []string {
	names := []string{}
	for _, c := range changes {
		names = append(names, c.Row)
	}
	return names
}

func TestDiff(t *testing.T) {
	w := newBank(t)
	createGroups(t, w, "A", "B")
	require.NoError(t, w.AddAccount(sim.Account{InstitutionID: "02688", HostUserID: "1001", AccountID: "bare"}))
	before := w.Fork()
	assert.Empty(t, slices.Collect(w.Diff(start, before, start)))

	require.NoError(t, w.UpdateAccountPreference(document(w), anybody, "1001", "checking",
		sim.Preference{Activate: false}))
	assert.Empty(t, slices.Collect(w.Diff(start, before, start)), "an update that changes nothing is no difference")
	off := false
	require.NoError(t, w.PatchAccount("02688", "1001", "bare", sim.AccountPatch{ActivateEstatement: &off}, start))
	assert.Empty(t, slices.Collect(w.Diff(start, before, start)), "an update that changes nothing is no difference")

	require.NoError(t, updateUser(w, anybody, "1001", true))
	p, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{})
	require.NoError(t, err)
	changes := slices.Collect(w.Diff(start, before, start))
	assert.Equal(t, []string{"users/02688/1001", "accounts/02688/1001/bare", "accounts/02688/1001/checking",
		"accounts/02688/1001/savings", "alertPreferences/02688/1001/1"}, rows(changes))
	assert.False(t, changes[2].Before.(*sim.Account).ActivateEstatement)
	assert.True(t, changes[2].After.(*sim.Account).ActivateEstatement)
	assert.Nil(t, changes[4].Before)
	assert.Equal(t, p, changes[4].After)

	back := slices.Collect(before.Diff(start, w, start))
	assert.Equal(t, rows(changes), rows(back))
	assert.Nil(t, back[4].After, "the other way round, the row is gone")
}

// Two worlds that came to the same rows by ways of their own don't differ, whatever they have encoded since.
func TestEqualWorldsDontDiffer(t *testing.T) {
	one, other := newBank(t), newBank(t)
	createGroups(t, one, "A")
	createGroups(t, other, "A")
	page, _ := one.ListGroups("02688", nil, 0, 1)
	page[0].Encoded(func(*sim.Group) []byte { return []byte("A") })
	assert.Empty(t, slices.Collect(one.Diff(start, other, start)))
}
