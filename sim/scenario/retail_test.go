package scenario_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Facts of the default scenario that documents and checks rely on.

func retail(t *testing.T) *scenario.Scenario {
	t.Helper()
	return load(t, "retail")
}

func TestRetailStart(t *testing.T) {
	t.Parallel()
	s := retail(t)
	assert.Equal(t, uint64(7), s.Seed)
	assert.Equal(t, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), s.Start)
	assert.True(t, s.Running)
	assert.Equal(t, sim.DefaultBehavior(), *s.World.Behavior())
}

func TestRetailInstitutions(t *testing.T) {
	t.Parallel()
	w := retail(t).World
	first, ok := w.Institution("02688")
	require.True(t, ok)
	assert.True(t, first.Multistatement)
	assert.NoError(t, w.AuthorizeClient("02688", "demo-app", "demo-secret"))

	second, ok := w.Institution("05523")
	require.True(t, ok)
	assert.False(t, second.Multistatement)
	assert.NoError(t, w.AuthorizeClient("05523", "second-app", "second-secret"))
	assert.Error(t, w.AuthorizeClient("05523", "demo-app", "demo-secret"))

	home, err := w.GroupInstitution(sim.Caller{}, "")
	require.NoError(t, err)
	assert.Equal(t, "02688", home)
}

func TestRetailTokens(t *testing.T) {
	t.Parallel()
	s := retail(t)
	weeksLater := s.Start.Add(8 * 7 * 24 * time.Hour)
	callers := map[string]sim.Caller{
		"demo-token":   {InstitutionID: "02688", SharedKey: "demo-app"},
		"demo-token-2": {InstitutionID: "02688", SharedKey: "demo-app"},
		"avery-token":  {InstitutionID: "02688", SharedKey: "demo-app", HostUserID: "1001"},
		"second-token": {InstitutionID: "05523", SharedKey: "second-app"},
	}
	for token, want := range callers {
		caller, err := s.World.Authenticate(token, weeksLater)
		require.NoError(t, err, token)
		assert.Equal(t, want, caller, token)
	}

	w := s.World.Fork()
	_, err := w.Revoke("02688", "demo-app", sim.TokenRequest{RefreshToken: "demo-refresh"})
	require.NoError(t, err)
	_, err = w.Authenticate("demo-token-2", s.Start)
	assert.ErrorIs(t, err, sim.TokenUnknown, "revoking demo-refresh also revokes demo-token-2")
	_, err = w.Authenticate("demo-token", s.Start)
	assert.NoError(t, err, "demo-token is of another grant")

	_, err = s.World.Fork().IssueTokens("02688", "demo-app", sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "demo"}, s.Start)
	assert.NoError(t, err)
}

func TestRetailUsers(t *testing.T) {
	t.Parallel()
	s := retail(t)
	type user struct {
		active   bool
		status   string            // of the user-level disclosure
		accounts map[string]string // status of the account-level disclosure by account
	}
	want := map[string]map[string]user{
		"02688": {
			"1001": {true, sim.Accepted, map[string]string{"acc-1001-checking": sim.Accepted, "acc-1001-savings": sim.Accepted}},
			"1002": {false, sim.Accepted, map[string]string{"acc-1002-checking": sim.Accepted}},
			"1003": {true, sim.NotAccepted, map[string]string{"acc-1003-checking": sim.Accepted}},
			"1004": {true, sim.Accepted, map[string]string{"acc-1004-checking": sim.Accepted, "acc-1004-savings": sim.NotAccepted}},
		},
		"05523": {
			"2001": {true, sim.Accepted, map[string]string{"acc-2001-checking": sim.Accepted}},
		},
	}
	got := map[string]map[string]user{}
	only := func(disclosures []sim.Disclosure) string {
		disclosures = slices.DeleteFunc(slices.Clone(disclosures), func(d sim.Disclosure) bool { return d.Name == sim.DisclosureESIGN })
		require.Len(t, disclosures, 1)
		assert.Equal(t, "OLS", disclosures[0].Name)
		assert.True(t, disclosures[0].StatusUpdate.Before(s.Start), "answered before the clock starts")
		return disclosures[0].Status
	}
	for i := range s.World.Institutions() {
		got[i.InstitutionID] = map[string]user{}
		for u := range s.World.Users(i.InstitutionID) {
			accounts := map[string]string{}
			for a := range s.World.Accounts(i.InstitutionID, u.HostUserID) {
				accounts[a.AccountID] = only(a.Disclosures)
			}
			got[i.InstitutionID][u.HostUserID] = user{u.Active, only(u.Disclosures), accounts}
		}
	}
	assert.Equal(t, want, got)
}

func TestRetailPreconditions(t *testing.T) {
	t.Parallel()
	s := retail(t)
	first, second := sim.Caller{InstitutionID: "02688"}, sim.Caller{InstitutionID: "05523"}
	assert.NoError(t, s.World.Fork().UpdateAccountPreference(first, "1001", "acc-1001-checking", sim.Preference{Activate: true}))
	assert.NoError(t, updateUser(s.World.Fork(), first, "1001", true))
	assert.ErrorIs(t, updateUser(s.World.Fork(), second, "2001", true), sim.MultistatementNotConfigured)
	assert.ErrorIs(t, s.World.Fork().UpdateAccountPreference(first, "1002", "acc-1002-checking", sim.Preference{Activate: true}), sim.UserNotActive)
	assert.ErrorIs(t, updateUser(s.World.Fork(), first, "1003", true), sim.DisclosureNotAccepted)
	assert.NoError(t, s.World.Fork().UpdateAccountPreference(first, "1003", "acc-1003-checking", sim.Preference{Activate: true}))
	assert.NoError(t, s.World.Fork().UpdateAccountPreference(first, "1004", "acc-1004-checking", sim.Preference{Activate: true}))
	assert.ErrorIs(t, s.World.Fork().UpdateAccountPreference(first, "1004", "acc-1004-savings", sim.Preference{Activate: true}), sim.DisclosureNotAccepted)
	assert.NoError(t, updateUser(s.World.Fork(), first, "1004", true))
}

func TestRetailGroups(t *testing.T) {
	t.Parallel()
	w := retail(t).World
	groups, total := w.ListGroups("02688", sim.GroupOrder{}, 0, 100)
	assert.Equal(t, 23, total)
	counts := map[int]int{}
	for _, g := range groups {
		assert.NotEmpty(t, g.Description, g.Name)
		counts[g.ParticipantCount]++
	}
	assert.True(t, slices.ContainsFunc(groups, func(g *sim.Group) bool { return g.Name == "Early adopters" }))
	assert.Greater(t, len(counts), 10, "participant counts differ")
	assert.Less(t, len(counts), total, "some participant counts are equal")
}

func TestRetailAlertPreferences(t *testing.T) {
	t.Parallel()
	w := retail(t).World
	var channels []string
	for p := range w.AlertPreferences("02688", "1001") {
		channels = append(channels, *p.Details.ChannelTypeName)
		assert.Positive(t, p.AlertPrefID)
	}
	assert.Equal(t, []string{"EMAIL", "SMS"}, channels)
}

func updateUser(w *sim.World, caller sim.Caller, hostUserID string, activate bool) error {
	_, _, err := w.UpdateUserPreference(caller, hostUserID, sim.Preference{Activate: activate})
	return err
}
