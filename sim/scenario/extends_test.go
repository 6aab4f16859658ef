package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
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

func TestExtendsMerges(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"parent.yaml": parent, "child.yaml": child})
	s := load(t, filepath.Join(dir, "child.yaml"))
	w := s.World

	assert.Equal(t, "child", s.Name, "a name is not inherited")
	assert.Empty(t, s.Description, "nor is a description")
	assert.Equal(t, child, string(s.Source))
	assert.Equal(t, uint64(5), s.Seed)
	assert.True(t, s.Running)
	assert.Equal(t, 2025, s.Start.Year(), "mappings merge")
	assert.Equal(t, 201, w.Behavior().Groups.CreateStatus)
	assert.Equal(t, 70, w.Behavior().Groups.NameLimit)
	assert.Equal(t, []string{"alertOpted"}, w.Behavior().Alerts.RequiredFields, "a list without ids is replaced")

	home, err := w.GroupInstitution(sim.Caller{}, "")
	require.NoError(t, err)
	assert.Equal(t, "02688", home, "the parent's items keep their place, new ones come behind")
	_, ok := w.Institution("05523")
	assert.True(t, ok)

	institution, _ := w.Institution("02688")
	assert.Equal(t, &sim.Institution{InstitutionID: "02688", Multistatement: false}, institution, "null removes")
	var clients, users, accounts []string
	for c := range w.Clients("02688") {
		clients = append(clients, c.SharedKey+" "+c.SecretKey)
	}
	assert.Equal(t, []string{"app changed", "other other", "third third"}, clients)
	for u := range w.Users("02688") {
		users = append(users, u.HostUserID)
	}
	assert.Equal(t, []string{"1001", "1002", "1003"}, users)
	user, _ := w.User("02688", "1001")
	assert.Equal(t, &sim.User{InstitutionID: "02688", HostUserID: "1001", Username: "avery"}, user)
	for a := range w.Accounts("02688", "1001") {
		accounts = append(accounts, a.AccountID)
		assert.Equal(t, a.AccountID != "c", a.ActivateEstatement)
	}
	assert.Equal(t, []string{"a", "b", "c"}, accounts)
	var preferences []*sim.AlertPreference
	for p := range w.AlertPreferences("02688", "1001") {
		preferences = append(preferences, p)
	}
	require.Len(t, preferences, 3, "alert preferences merge by their type and channel; one without is new")
	assert.Nil(t, preferences[0].AllowCallback)
	assert.True(t, *preferences[1].AllowCallback)
	assert.False(t, *preferences[1].AlertOpted)
	assert.False(t, *preferences[2].AllowCallback)

	token, _ := w.Token("one")
	assert.Equal(
		t, w.Behavior().Tokens.AccessLifetime, token.ExpiresAt.Sub(token.IssuedAt), "null brings the default back",
	)
	groups, _ := w.ListGroups("02688", nil, 0, 10)
	require.Len(t, groups, 3)
	assert.Equal(t, []any{"First", "Second", "Third"}, []any{groups[0].Name, groups[1].Name, groups[2].Name})
	assert.Equal(t, 20, groups[1].ParticipantCount)
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

// A file is a scenario, good or bad, if it has one of a few keys, however they are written.
func TestOutlines(t *testing.T) {
	t.Parallel()
	for source, is := range map[string]bool{
		"extends: base\n": true, "\xef\xbb\xbfextends: base\n": true, "{extends: base, sed: 4}": true, "instituions: []\n": true,
		"  faults: []\n": true, "\xff\xfee\x00x\x00": true, "faults: [\n": true,
		"services: {web: {image: x}}\n": false, "- a\n": false, "": false, "name: x\nversion: 1\n": false,
	} {
		assert.Equal(t, is, scenario.OutlineOf([]byte(source)).IsScenario, "%q", source)
	}
	outline := scenario.OutlineOf([]byte("x: &x [base, mine]\nextends: *x\ninstitutions: []\n"))
	assert.True(t, outline.HasInstitutions)
}
