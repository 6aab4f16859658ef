package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

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
          - alertOpted: true
            alertPreferenceDetails: {alertPrefId: 41, alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}
          - {alertOpted: true, alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}}
          - {alertOpted: true, alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH},
              alertPreferenceAccountDetails: {accountId: a}}
      - {hostUserId: "2", accounts: [{accountId: a}]}
    groups:
      - {groupName: First, groupDescription: The first., participants: ["1"]}
      - {groupName: Second}
      - {groupName: Third}
  - {institutionId: "05523", groups: [{groupName: Lost}]}
`

// An item or a list that is inherited is removed or replaced.
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
          - {accountId: z}
        alertPreferences:
          - {alertPreferenceDetails: {alertPrefId: 41}, remove: true}
          - alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}
            alertPreferenceAccountDetails: {accountId: a}
            remove: true
          - {alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}, alertOpted: false}
      - {hostUserId: "2", accounts: [{replace: true}, {accountId: z}]}
    groups:
      - {groupName: Second, remove: true}
      - {groupName: Second, groupParticipantCount: 7}
  - institutionId: "05523"
    groups:
      - replace: true
      - {groupName: Only}
`})
	scenario.RequireSame(t, parse(t, `clock: {start: 2026-01-15T09:00:00Z}
faults:
  - {name: second, then: {delay: 1ms}}
institutions:
  - institutionId: "02688"
    clients:
      - {sharedKey: app, secretKey: secret}
    tokens:
      - {accessToken: one, client: app, refreshToken: again}
    users:
      - hostUserId: "1"
        username: avery
        password: demo
        disclosures:
          - {institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED,
              institutionUserDisclosureStatusUpdateDateTime: 2025-03-04T05:06:07Z}
        accounts:
          - {accountId: b}
          - {accountId: z}
        alertPreferences:
          - {alertOpted: false, alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: PUSH}}
      - {hostUserId: "2", accounts: [{accountId: z}]}
    groups:
      - {groupName: First, groupDescription: The first., participants: ["1"]}
      - {groupName: Third}
      - {groupName: Second, groupParticipantCount: 7}
  - {institutionId: "05523", groups: [{groupName: Only}]}
`), load(t, filepath.Join(dir, "less.yaml")))
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
faults: [{name: stub, then: {body: {users: [[1, {a: []}]]}}}]
institutions:
  - institutionId: "02688"
    groups: [{groupName: additionalInfo, jobs: [{jobId: ` + job + `, remove: true}]}]
`,
		},
	)
	s := load(t, filepath.Join(dir, "new.yaml"))
	assert.JSONEq(t, `{"users": [[1, {"a": []}]]}`, s.Faults[0].Then.Body.Text)
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
