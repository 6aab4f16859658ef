package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// folder writes scenario files and returns where they are.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, source := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	}
	return dir
}

const parent = `name: parent
description: The parent.
seed: 5
clock: {start: 2025-06-01T00:00:00Z, run: false}
behavior:
  groups: {createStatus: 201, nameLimit: 60}
  alerts: {requiredFields: [alertOpted, allowCallback]}
institutions:
  - institutionId: "02688"
    alertTypes: [LOW_BALANCE, LARGE_WITHDRAWAL]
    clients:
      - {sharedKey: app, secretKey: secret}
      - {sharedKey: other, secretKey: other}
    users:
      - hostUserId: "1001"
        username: avery
        password: demo
        accounts:
          - {accountId: a, activateEstatement: true}
          - {accountId: b}
        alertPreferences: [{alertOpted: true}, {alertPreferenceDetails: {alertTypeName: LOW_BALANCE,
            channelTypeName: EMAIL}, alertOpted: false}]
      - hostUserId: "1002"
    tokens: [{accessToken: one, client: app, expiresIn: 1h}]
    groups:
      - {groupName: First, groupParticipantCount: 1}
      - {groupName: Second, groupParticipantCount: 2}
`

const child = `extends: parent.yaml
clock: {run: true}
behavior:
  groups: {nameLimit: 70}
  alerts: {requiredFields: [alertOpted]}
institutions:
  - institutionId: "05523"
  - institutionId: "02688"
    multistatement: false
    alertTypes: null
    clients:
      - {sharedKey: third, secretKey: third}
      - {sharedKey: app, secretKey: changed}
    users:
      - hostUserId: "1003"
      - hostUserId: "1001"
        active: false
        password: null
        accounts:
          - {accountId: b, activateEstatement: true}
          - {accountId: c}
        alertPreferences:
          - alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}
            allowCallback: true
          - {allowCallback: false}
    tokens: [{accessToken: one, client: app, expiresIn: null}]
    groups:
      - {groupName: Second, groupParticipantCount: 20}
      - {groupName: Third}
`

// merged is what child says with all that it extends. Items keep the place of the inherited ones, and new ones come
// behind.
const merged = `seed: 5
clock: {start: 2025-06-01T00:00:00Z, run: true}
behavior:
  groups: {createStatus: 201, nameLimit: 70}
  alerts: {requiredFields: [alertOpted]}
institutions:
  - institutionId: "02688"
    multistatement: false
    clients:
      - {sharedKey: app, secretKey: changed}
      - {sharedKey: other, secretKey: other}
      - {sharedKey: third, secretKey: third}
    users:
      - hostUserId: "1001"
        username: avery
        active: false
        accounts:
          - {accountId: a, activateEstatement: true}
          - {accountId: b, activateEstatement: true}
          - {accountId: c}
        alertPreferences:
          - {alertOpted: true}
          - alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}
            alertOpted: false
            allowCallback: true
          - {allowCallback: false}
      - hostUserId: "1002"
      - hostUserId: "1003"
    tokens: [{accessToken: one, client: app}]
    groups:
      - {groupName: First, groupParticipantCount: 1}
      - {groupName: Second, groupParticipantCount: 20}
      - {groupName: Third}
  - institutionId: "05523"
`

func TestExtendsMerges(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"parent.yaml": parent, "child.yaml": child})
	s := load(t, filepath.Join(dir, "child.yaml"))
	assert.Equal(t, "child", s.Name, "a name is not inherited")
	assert.Empty(t, s.Description, "nor is a description")
	scenario.RequireSame(t, parse(t, merged), s)
}

func TestExtendsHasAnEnd(t *testing.T) {
	t.Parallel()
	files := map[string]string{"s0.yaml": bank("")}
	for i := range 21 {
		files[fmt.Sprintf("s%d.yaml", i+1)] = fmt.Sprintf("extends: s%d.yaml\n", i)
	}
	dir := folder(t, files)
	load(t, filepath.Join(dir, "s20.yaml"))
	_, err := scenario.Load(filepath.Join(dir, "s21.yaml"))
	assert.EqualError(t, err, filepath.Join(dir,
		"s1.yaml")+":1:10: extends names more than 20 scenarios, with those that they extend: join some of them")
}

// A file is a scenario, good or bad, if it has one of a few keys, however they are written, or nothing at all.
func TestOutlines(t *testing.T) {
	t.Parallel()
	for source, is := range map[string]bool{
		"extends: base\n": true, "\xef\xbb\xbfextends: base\n": true, "{extends: base, sed: 4}": true,
		"instituions: []\n": true,
		"  faults: []\n":    true, "\xff\xfee\x00x\x00": true, "faults: [\n": true,
		"services: {web: {image: x}}\n": false, "- a\n": false, "name: x\nversion: 1\n": false,
		"": true, "# nothing yet\n": true, "users: []\n": true, "institutions：\n  - a\n": true,
		"faults： []\nb: 1\n":             true,
		"scenario: {institutions: []}\n": true, "- institutionId: a\n": true,
	} {
		assert.Equal(t, is, scenario.OutlineOf([]byte(source)).IsScenario, "%q", source)
	}
	outline := scenario.OutlineOf([]byte("x: &x [base, mine]\nextends: *x\ninstitutions: []\n"))
	assert.True(t, outline.HasInstitutions)
}
