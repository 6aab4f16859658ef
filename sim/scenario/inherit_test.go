package scenario_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// rows lists what the first institution of a scenario has.
func rows(s *scenario.Scenario) map[string][]string {
	const home = "02688"
	all := map[string][]string{}
	for c := range s.World.Clients(home) {
		all["clients"] = append(all["clients"], c.SharedKey)
	}
	for u := range s.World.Users(home) {
		all["users"] = append(all["users"], u.HostUserID)
		for a := range s.World.Accounts(home, u.HostUserID) {
			all["accounts"] = append(all["accounts"], a.AccountID)
		}
		for p := range s.World.AlertPreferences(home, u.HostUserID) {
			all["alertPreferences"] = append(all["alertPreferences"], *p.Details.AlertTypeName+" "+*p.Details.ChannelTypeName)
		}
	}
	groups, _ := s.World.ListGroups(home, nil, 0, 100)
	for _, g := range groups {
		all["groups"] = append(all["groups"], g.Name)
	}
	for _, f := range s.Faults {
		all["faults"] = append(all["faults"], f.Name)
	}
	return all
}

const whole = `clock: {start: 2026-01-15T09:00:00Z}
faults:
  - {name: first, operation: groups.list, then: {status: 500}}
  - {name: second, then: {delay: 1ms}}
institutions:
  - institutionId: "02688"
    clients:
      - {sharedKey: app, secretKey: secret}
      - {sharedKey: other, secretKey: other}
    tokens:
      - {accessToken: one, client: app, refreshToken: again}
      - {accessToken: two, client: app}
    users:
      - hostUserId: "1"
        username: avery
        password: demo
        disclosures:
          - {institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED,
              institutionUserDisclosureStatusUpdateDateTime: 2025-03-04T05:06:07Z}
        accounts:
          - accountId: a
            activateEstatement: true
            disclosures:
              - {institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED, paperWaiver: true}
              - {institutionDisclosureName: ESIGN, institutionDisclosureStatus: ACCEPTED}
          - {accountId: b}
        alertPreferences:
          - {alertOpted: true, alertPreferenceDetails: {alertPrefId: 41, alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}}
          - {alertOpted: true, alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}}
          - {alertOpted: true, alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH},
              alertPreferenceAccountDetails: {accountId: a}}
      - hostUserId: "2"
    groups:
      - {groupName: First, groupDescription: The first., participants: ["1"]}
      - {groupName: Second}
      - {groupName: Third}
`

func TestRemoveItems(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"whole.yaml": whole, "less.yaml": `extends: whole
faults:
  - {name: first, remove: true}
institutions:
  - institutionId: "02688"
    clients:
      - {sharedKey: other, remove: true}
    tokens:
      - {accessToken: two, remove: true}
    users:
      - hostUserId: "1"
        accounts:
          - {accountId: a, remove: true}
          - {accountId: c}
        alertPreferences:
          - {alertPreferenceDetails: {alertPrefId: 41}, remove: true}
          - alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}
            alertPreferenceAccountDetails: {accountId: a}
            remove: true
          - {alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}, alertOpted: false}
    groups:
      - {groupName: Second, remove: true}
      - {groupName: Second, groupParticipantCount: 7}
`})
	s := load(t, filepath.Join(dir, "less.yaml"))
	assert.Equal(t, map[string][]string{
		"clients": {"app"}, "users": {"1", "2"}, "accounts": {"b", "c"}, "alertPreferences": {"LOW_BALANCE PUSH"},
		"groups": {"First", "Third", "Second"}, "faults": {"second"},
	}, rows(s))
	_, ok := s.World.Token("two")
	assert.False(t, ok)
	groups, _ := s.World.ListGroups("02688", nil, 0, 10)
	assert.Equal(t, 7, groups[2].ParticipantCount)
	for p := range s.World.AlertPreferences("02688", "1") {
		assert.False(t, *p.AlertOpted)
	}
}

func TestReplaceList(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"whole.yaml": whole, "new.yaml": `extends: whole
faults: [{replace: true}]
institutions:
  - institutionId: "02688"
    groups:
      - replace: true
      - {groupName: Only}
    users:
      - hostUserId: "1"
        accounts: [{replace: true}, {accountId: z}]
`})
	s := load(t, filepath.Join(dir, "new.yaml"))
	assert.Equal(t, []string{"Only"}, rows(s)["groups"])
	assert.Equal(t, []string{"z"}, rows(s)["accounts"])
	assert.Empty(t, s.Faults, "and nothing behind it leaves nothing")
}
