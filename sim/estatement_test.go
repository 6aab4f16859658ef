package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

func accountPreference(w *sim.World, accountID string) (on, paperWaiver bool) {
	a, _ := w.Account("02688", "1001", accountID)
	return a.ActivateEstatement, a.Disclosures[0].PaperWaiver
}

// Each precondition of section 3 refuses alone, and the first of several that fail is the one that is named.
func TestPreconditions(t *testing.T) {
	notAccepted := []sim.Disclosure{{Name: "OLS", Status: sim.NotAccepted}}
	mixed := []sim.Disclosure{{Name: "OLS", Status: sim.Accepted}, {Name: "TERMS", Status: sim.NotAccepted}}
	unnamed := []sim.Disclosure{{Status: sim.Accepted}, {Status: sim.NotAccepted}}
	esign := []sim.Disclosure{{Name: sim.DisclosureESIGN, Status: sim.Accepted}}
	accepted := []sim.Disclosure{{Name: "OLS", Status: sim.Accepted}}
	tests := map[string]struct {
		multistatement, active  bool
		userLevel, accountLevel []sim.Disclosure
		accountID               string
		account, user           error // of the single-account and the all-accounts update
	}{
		"all hold": {true, true, accepted, accepted, "a", nil, nil},
		"multistatement": {false, false, notAccepted, notAccepted, "a", sim.MultistatementNotConfigured,
			sim.MultistatementNotConfigured},
		"active": {true, false, notAccepted, notAccepted, "a", sim.UserNotActive,
			sim.UserNotActive},
		"user level":    {true, true, notAccepted, accepted, "a", nil, sim.DisclosureNotAccepted},
		"account level": {true, true, accepted, notAccepted, "a", sim.DisclosureNotAccepted, nil},
		"no disclosure": {true, true, nil, nil, "a", sim.AccountUndisclosed,
			sim.DisclosuresNotAllAccepted},
		"one of several": {true, true, mixed, mixed, "a", sim.DisclosuresNotAllAccepted, nil}, // TERMS isn't OLS
		"one of several unnamed": {true, true, unnamed, unnamed, "a", sim.DisclosuresNotAllAccepted,
			sim.DisclosuresNotAllAccepted},
		"only another one":           {true, true, esign, accepted, "a", nil, sim.DisclosuresNotAllAccepted},
		"another account":            {true, true, accepted, accepted, "b", sim.AccountUnknown, nil},
		"another account, no rule 2": {true, false, accepted, accepted, "b", sim.UserNotActive, sim.UserNotActive},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, activate := range []bool{true, false} {
				w := sim.NewWorld(1, policies(sim.DefaultBehavior()))
				require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "02688",
					Multistatement: test.multistatement}))
				require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1", Active: test.active,
					Disclosures: test.userLevel}))
				require.NoError(t, w.AddAccount(sim.Account{InstitutionID: "02688", HostUserID: "1", AccountID: "a",
					ActivateEstatement: !activate, Disclosures: test.accountLevel}))
				assert.ErrorIs(t, w.Fork().UpdateAccountPreference(document(w), anybody, "1", test.accountID,
					sim.Preference{Activate: activate}),
					test.account)
				assert.ErrorIs(t, updateUser(w.Fork(), anybody, "1", activate), test.user)
			}
		})
	}
}

// Marked accounts stay as they are only where the behaviour lets updates be partial.
func TestPartialUpdate(t *testing.T) {
	allow := func(b *sim.Behavior) { b.Estatements.PartialUpdate = sim.PartialUpdateAllow }
	fails := true
	mark := func(w *sim.World, accounts ...string) {
		for _, id := range accounts {
			require.NoError(t, w.PatchAccount("02688", "1001", id, sim.AccountPatch{UpdateFails: &fails}, start))
		}
	}
	waived := func(w *sim.World) bool {
		u, _ := w.User("02688", "1001")
		return u.Disclosures[0].PaperWaiver
	}

	none := newBank(t)
	mark(none, "savings")
	updated, failed, err := none.UpdateUserPreference(document(none), anybody, "1001", sim.Preference{Activate: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"checking", "savings"}, updated)
	assert.Empty(t, failed)

	some := newBank(t, allow)
	mark(some, "savings")
	updated, failed, err = some.UpdateUserPreference(document(some), anybody, "1001", sim.Preference{Activate: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"checking"}, updated)
	assert.Equal(t, []string{"savings"}, failed)
	on, waiver := accountPreference(some, "checking")
	assert.True(t, on && waiver)
	on, waiver = accountPreference(some, "savings")
	assert.False(t, on || waiver, "it stays as it was")
	assert.True(t, waived(some))
	require.NoError(t, some.UpdateAccountPreference(document(some), anybody, "1001", "savings",
		sim.Preference{Activate: true}), "alone, it can be updated")

	all := newBank(t, allow)
	mark(all, "checking", "savings")
	before := all.Fork()
	updated, failed, err = all.UpdateUserPreference(document(all), anybody, "1001", sim.Preference{Activate: true})
	require.NoError(t, err)
	assert.Empty(t, updated)
	assert.Equal(t, []string{"checking", "savings"}, failed)
	assert.True(t, all.Equal(before), "where all fail, nothing changes")
}
