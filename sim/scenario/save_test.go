package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
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

// An alert preference may have been created with ids that are empty: they contradict nothing, in a saved scenario
// either.
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

// A user's status is saved with its ids. Its times are in UTC, as all times of a world.
func TestSaveStatus(t *testing.T) {
	t.Parallel()
	sub := func(loggedIn, heldAt string) *scenario.Scenario {
		return parse(t, bank(`
    users:
      - hostUserId: "1"
      - hostUserId: "2"
        parentHostUserId: "1"
        customerId: 9D8C7B6A5F4E3D2C1B0A998877665544
      - hostUserId: "3"
        status: {onHold: true, failedLoginCount: 3, holdReason: Lost card, lastLoginDateTime: `+loggedIn+`,
          holdDateTime: `+heldAt+`}
`))
	}
	held := sub(`"2026-01-10T10:00:00,5+02:00"`, "2026-01-09T23:00:00-01:30")
	scenario.RequireSame(t, sub("2026-01-10T08:00:00.5Z", `"2026-01-10T00:30:00Z"`), held)
	require.NoError(t, simtest.CheckSaved(held.Bank()))
	saved, err := scenario.Save(held.Bank())
	require.NoError(t, err)
	require.Contains(t, string(saved), `status: {onHold: true, failedLoginCount: 3, `+
		`lastLoginDateTime: "2026-01-10T08:00:00.5Z", holdDateTime: "2026-01-10T00:30:00Z", holdReason: Lost card}`)
	require.Equal(t, 1, strings.Count(string(saved), "status:"), "ids are keys of the user")
}

// A saved token still has the scopes that the scenario gives it, and no others of its client.
func TestSaveScopes(t *testing.T) {
	t.Parallel()
	sc, err := scenario.Parse("scopes.yaml", []byte(`
institutions:
- institutionId: '02688'
  clients: [{sharedKey: app, secretKey: s, scopes: ['groups:read', 'groups:write']}]
  tokens: [{accessToken: narrow, client: app, scopes: ['groups:read']}, {accessToken: wide, client: app}]
`))
	require.NoError(t, err)
	require.NoError(t, simtest.CheckSaved(sc.Bank()))
	saved, err := scenario.Save(sc.Bank())
	require.NoError(t, err)
	again, err := scenario.Parse("saved.yaml", saved)
	require.NoError(t, err)
	_, err = again.World.Authorize("narrow", []string{"groups:write"}, again.Start)
	require.ErrorIs(t, err, sim.ScopeMissing)
	for _, token := range []string{"narrow", "wide"} {
		_, err = again.World.Authorize(token, []string{"groups:read"}, again.Start)
		require.NoError(t, err, token)
	}
}
