package scenario_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const rich = `name: before
description: Before.
seed: 1
institutions:
  - institutionId: "02688"
    alertTypes: [LOW_BALANCE]
    clients:
      - {sharedKey: app, secretKey: secret}
    users:
      - hostUserId: "1001"
        disclosures: [{institutionDisclosureStatus: ACCEPTED}]
        accounts:
          - accountId: a
            disclosures: [{institutionDisclosureStatus: ACCEPTED}, {institutionDisclosureStatus: ACCEPTED}]
        alertPreferences: [{alertOpted: true, additionalInfo: {x: 1}}]
      - hostUserId: "1002"
    tokens:
      - {accessToken: one, client: app}
      - {accessToken: two, client: app}
    groups:
      - {groupName: First}
      - {groupName: Second}
    generate: {users: 10, password: one}
`

const changed = `name: after
description: After.
clock: {start: 2026-01-15T09:00:00Z, run: false}
behavior:
  groups: {createStatus: 201, nameLimit: 50}
  tokens: {accessLifetime: 15m}
institutions:
  - institutionId: "02688"
    multistatement: true
    alertTypes: [LOW_BALANCE, OTHER]
    clients:
      - {sharedKey: app, secretKey: another}
    users:
      - hostUserId: "1001"
        active: false
        disclosures: [{institutionDisclosureStatus: NOT_ACCEPTED}]
        accounts:
          - accountId: a
            activateEstatement: true
            disclosures: [{institutionDisclosureStatus: ACCEPTED}]
          - accountId: b
        alertPreferences: [{alertOpted: true, additionalInfo: {x: 2}}]
    tokens:
      - {accessToken: two, client: app, expiresIn: 1h}
      - {accessToken: three, client: app}
    groups:
      - {groupName: Second, groupParticipantCount: 5}
      - {groupName: First}
      - {groupName: Third}
    generate: {users: 20, password: two}
  - institutionId: "05523"
`

func diff(t *testing.T, before, after string) []string {
	t.Helper()
	dir := folder(t, map[string]string{"before.yaml": before, "after.yaml": after})
	differences, err := scenario.Diff(filepath.Join(dir, "before.yaml"), filepath.Join(dir, "after.yaml"))
	require.NoError(t, err)
	side := func(s *scenario.Said) string {
		switch {
		case s == nil:
			return "-"
		case s.Default:
			return fmt.Sprintf("default %v", s.Value)
		}
		return fmt.Sprintf("%s:%d %v", filepath.Base(s.File), s.Line, s.Value)
	}
	var lines []string
	for _, d := range differences {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s", d.Where, d.Key, side(d.Before), side(d.After)))
	}
	return lines
}

func TestDiff(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{
		"institutions/02688|alertTypes|before.yaml:6 [LOW_BALANCE]|after.yaml:10 [LOW_BALANCE OTHER]",
		"clients/02688/app|secretKey|before.yaml:8 ***|after.yaml:12 ***",
		"disclosures/02688/1001/#1|institutionDisclosureStatus|before.yaml:11 ACCEPTED|after.yaml:16 NOT_ACCEPTED",
		"disclosures/02688/1001/a/#2||before.yaml:14 map[institutionDisclosureStatus:ACCEPTED]|-",
		"accounts/02688/1001/a|activateEstatement|default false|after.yaml:19 true",
		"accounts/02688/1001/b||-|after.yaml:21 map[accountId:b]",
		"alertPreferences/02688/1001/#1|additionalInfo.x|before.yaml:15 1|after.yaml:22 2",
		"users/02688/1001|active|default true|after.yaml:15 false",
		"users/02688/1002||before.yaml:16 map[hostUserId:1002]|-",
		"tokens/02688/#1||before.yaml:18 map[accessToken:*** client:app]|-",
		"tokens/02688/#2|expiresIn|-|after.yaml:24 1h",
		"tokens/02688/#2||-|after.yaml:25 map[accessToken:*** client:app]",
		"groups/02688/Second|groupParticipantCount|-|after.yaml:27 5",
		"groups/02688/Third||-|after.yaml:29 map[groupName:Third]",
		"institutions/02688|generate.users|before.yaml:23 10|after.yaml:30 20",
		"institutions/02688|generate.password|before.yaml:23 ***|after.yaml:30 ***",
		"institutions/05523||-|after.yaml:31 map[institutionId:05523]",
		"clock|run|default true|after.yaml:3 false",
		"behavior|groups.createStatus|default 200|after.yaml:5 201",
		"behavior|tokens.accessLifetime|default 24h|after.yaml:6 15m",
	}, diff(t, rich, changed))
	assert.Empty(t, diff(t, rich, rich))
}

func TestDiffWithDefaults(t *testing.T) {
	t.Parallel()
	plain := bank("    users: [{hostUserId: \"1\"}]\n")
	assert.Empty(t, diff(t, plain, "seed: 1\nclock: {run: true}\nbehavior: {alerts: {knownChannelsOnly: true}}\n"+
		bank("    multistatement: true\n    users: [{hostUserId: \"1\", active: true, accounts: []}]\n")),
		"what is written out to the same effect is no difference")
	assert.Equal(t, []string{"seed||default 1|after.yaml:1 2"}, diff(t, plain, "seed: 2\n"+plain))
	assert.Equal(t, []string{"institutions/02688|generate|-|after.yaml:4 map[users:5]"},
		diff(t, plain, bank("    users: [{hostUserId: \"1\"}]\n    generate: {users: 5}\n")))
}

func TestDiffOfFaults(t *testing.T) {
	t.Parallel()
	before := "faults:\n  - {name: slow, then: {delay: 1s}}\n  - {then: {delay: 1s}}\n" + bank("")
	after := "faults:\n  - {name: slow, then: {delay: {uniform: [1s, 2s]}}}\n  - {operation: groups.list, then: {delay: 1s}}\n  - {name: more, then: {delay: 2s}}\n" + bank("")
	assert.Equal(t, []string{
		"faults/slow|then.delay|before.yaml:2 1s|after.yaml:2 map[uniform:[1s 2s]]",
		"faults/#2|operation|default *|after.yaml:3 groups.list",
		"faults/more||-|after.yaml:4 map[name:more then:map[delay:2s]]",
	}, diff(t, before, after))
}

// Any two scenarios can be compared, and as much differs one way as the other way.
func TestDiffOfTheCatalogue(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	count := map[[2]string]int{}
	for _, before := range scenario.Names() {
		for _, after := range scenario.Names() {
			differences, err := scenario.Diff(before, after)
			require.NoError(t, err)
			count[[2]string{before, after}] = len(differences)
		}
	}
	for pair, differences := range count {
		assert.Equal(t, differences, count[[2]string{pair[1], pair[0]}], pair)
		assert.Equal(t, pair[0] == pair[1], differences == 0, pair)
	}
}

func TestDiffOfWhatIsExtended(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"mine.yaml": "extends: base\ninstitutions: [{institutionId: \"02688\", multistatement: false}]\n"})
	differences, err := scenario.Diff("base", filepath.Join(dir, "mine.yaml"))
	require.NoError(t, err)
	require.Len(t, differences, 1)
	assert.Equal(t, "institutions/02688", differences[0].Where)
	assert.Equal(t, "multistatement", differences[0].Key)

	_, err = scenario.Diff("base", "retial")
	assert.EqualError(t, err, `unknown scenario "retial", and no file "retial.yaml": did you mean "retail"?`)
	_, err = scenario.Diff("../../fixtures/bad/unknown-key.yaml", "base")
	var problems scenario.Problems
	require.ErrorAs(t, err, &problems)
}
