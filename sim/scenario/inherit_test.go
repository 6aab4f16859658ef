package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
			all["alertPreferences"] = append(
				all["alertPreferences"], *p.Details.AlertTypeName+" "+*p.Details.ChannelTypeName,
			)
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

// The body of a stub and additionalInfo are values: their lists don't merge, and have no marks. A group may have such a
// name.
func TestFreeFormsDoNotMerge(t *testing.T) {
	t.Parallel()
	const job = "6a0f7d1c-2f6e-4c55-9d0e-9a1b6f0c7e21"
	dir := folder(
		t,
		map[string]string{
			"whole.yaml": `faults: [{name: stub, path: /x, then: {status: 200, body: {users: [{remove: true}]}}}]
institutions:
  - institutionId: "02688"
    groups: [{groupName: additionalInfo, jobs: [{jobId: ` + job + `}]}]
`,
			"new.yaml": `extends: whole.yaml
faults: [{name: stub, then: {body: {users: []}}}]
institutions:
  - institutionId: "02688"
    groups: [{groupName: additionalInfo, jobs: [{jobId: ` + job + `, remove: true}]}]
`,
		},
	)
	s := load(t, filepath.Join(dir, "new.yaml"))
	assert.JSONEq(t, `{"users": []}`, s.Faults[0].Then.Body.Text)
	assert.Zero(t, scenario.CountRows(s.World)["jobs"])
}

// A file beside may have the name of a built-in scenario.
func TestFileNamedLikeABuiltInScenario(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"retail": "sed: 1\n", "base": "extends: base\n", "both.yaml": "extends: [retail, ./retail]\n",
	})
	_, err := scenario.Load(filepath.Join(dir, "both.yaml"))
	assert.ErrorContains(t, err, `unknown key "sed"`)
	source, err := os.ReadFile(filepath.Join(dir, "base"))
	require.NoError(t, err)
	_, err = scenario.LoadFrom(filepath.Join(dir, "base"), source)
	assert.NoError(t, err)
}

// Two parents are good, each by itself. The problem is where they are brought together.
func TestParentsThatContradict(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"pa.yaml":  "behavior: {groups: {defaultPageSize: 50}}\n" + bank(""),
		"pb.yaml":  "behavior: {groups: {maxPageSize: 10}}\n",
		"top.yaml": "extends: [pa.yaml, pb.yaml]\n",
	})
	_, err := scenario.Load(filepath.Join(dir, "top.yaml"))
	assert.ErrorContains(t, err, "pb.yaml:1:20: defaultPageSize 50 is more than maxPageSize 10")
}

// To compare scenarios is no start.
func TestComparingIsNoStart(t *testing.T) {
	t.Parallel()
	s, other := parse(t, bank("")), parse(t, bank(""))
	assert.True(t, s.StartsEqual(other))
	assert.Equal(t, s.Seed, s.At(nil, scenario.ClockStart{}).Seed)
}

// A file in the middle is wrong by itself: the file that only extends it is not to blame.
func TestBlameStaysInTheMiddle(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"base.yaml": "faults: [{name: slow, then: {delay: {p50: 1s, p95: 2s}}}]\n" + bank(""),
		"mid.yaml":  "extends: base.yaml\nfaults: [{name: slow, then: {delay: {uniform: [1s, 2s]}}}]\n",
		"top.yaml":  "extends: mid.yaml\n",
	})
	_, err := scenario.Load(filepath.Join(dir, "top.yaml"))
	assert.ErrorContains(t, err, "mid.yaml:2:37: delay must have exactly one of")
	assert.NotContains(t, err.Error(), "top.yaml")
}
