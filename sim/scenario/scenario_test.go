package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// bank returns a scenario with one institution, 02688, that has the given members.
func bank(members string) string {
	return "institutions:\n  - institutionId: \"02688\"\n" + members
}

func parse(t *testing.T, source string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(source))
	require.NoError(t, err)
	return s
}

func load(t *testing.T, nameOrFile string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Load(nameOrFile)
	require.NoError(t, err)
	return s
}

func TestEmbeddedScenarios(t *testing.T) {
	t.Parallel()
	assert.Subset(t, scenario.Names(), []string{"base", "empty", "retail"})
	for _, name := range scenario.Names() {
		t.Run(name, func(t *testing.T) {
			s := load(t, name)
			assert.Equal(t, name, s.Name, "an embedded scenario is called as its file")
			assert.NotEmpty(t, s.Description)
			asFile, err := scenario.Parse(name+".yaml", s.Source)
			require.NoError(t, err, "only what isn't embedded is validated with the schema")
			scenario.RequireSame(t, s, asFile)
		})
	}
}

func TestSeedDecidesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	groups := bank("    groups:\n      - groupName: Early adopters\n")
	unseeded, one, two := parse(t, groups), parse(t, "seed: 7\n"+groups), parse(t, "seed: 2\n"+groups)
	assert.False(t, unseeded.World.Equal(parse(t, groups).World), "a seed is drawn")
	assert.True(t, scenario.Fixed(unseeded).World.Equal(one.World))
	assert.False(t, one.World.Equal(two.World))
	assert.Equal(t, uint64(18446744073709551615), parse(t, "seed: 18446744073709551615\n"+groups).Seed)
	assert.Equal(t, uint64(0), parse(t, "seed: 0\n"+groups).Seed)
}

// What a scenario leaves out is as in the second one.
func TestDefaultsOfRows(t *testing.T) {
	t.Parallel()
	short := parse(t, "clock: {start: 2026-01-15T09:00:00Z}\n"+bank(`
    clients: [{sharedKey: app, secretKey: secret}]
    users:
      - hostUserId: "1"
        disclosures: [{institutionDisclosureStatus: ACCEPTED}]
        accounts:
          - accountId: paper
            disclosures: [{institutionDisclosureStatus: NOT_ACCEPTED}]
          - accountId: electronic
            activateEstatement: true
            disclosures:
              - {institutionDisclosureStatus: NOT_ACCEPTED}
              - {institutionDisclosureStatus: ACCEPTED, paperWaiver: false}
        alertPreferences: [{alertOpted: true}, {alertPreferenceDetails: {alertPrefId: 1}}]
    tokens: [{accessToken: a, client: app, refreshToken: r}]
    groups: [{groupName: Early adopters}]
`))
	scenario.RequireSame(t, parse(t, `
clock: {start: 2026-01-15T09:00:00Z, run: true}
institutions:
  - institutionId: "02688"
    multistatement: true
    clients: [{sharedKey: app, secretKey: secret}]
    users:
      - hostUserId: "1"
        active: true
        disclosures:
          - institutionDisclosureStatus: ACCEPTED
            institutionUserDisclosureStatusUpdateDateTime: 2026-01-15T09:00:00Z
        accounts:
          - accountId: paper
            activateEstatement: false
            disclosures: [{institutionDisclosureStatus: NOT_ACCEPTED, paperWaiver: false,
                institutionUserDisclosureStatusUpdateDateTime: 2026-01-15T09:00:00Z}]
          - accountId: electronic
            activateEstatement: true
            disclosures:
              - {institutionDisclosureStatus: NOT_ACCEPTED, paperWaiver: true,
                  institutionUserDisclosureStatusUpdateDateTime: 2026-01-15T09:00:00Z}
              - {institutionDisclosureStatus: ACCEPTED, paperWaiver: false,
                  institutionUserDisclosureStatusUpdateDateTime: 2026-01-15T09:00:00Z}
        alertPreferences:
          - {alertOpted: true, alertPreferenceDetails: {alertPrefId: 2}}
          - {alertPreferenceDetails: {alertPrefId: 1}}
    tokens: [{accessToken: a, client: app, refreshToken: r, expiresIn: 24h, refreshExpiresIn: 4320h}]
    groups: [{groupName: Early adopters, groupStatus: ACTIVE, groupParticipantCount: 0,
          groupLastUpdatedDateTime: 2026-01-15T09:00:00Z}]
`), short)
	for grant := range short.World.Grants("02688") {
		assert.Equal(t, sim.GrantClientCredentials, grant.GrantType)
	}
}

func TestEncodingsOfAGoodFile(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"byte order mark": "\xef\xbb\xbf" + bank(""),
		"CRLF":            "name: crlf\r\ninstitutions:\r\n  - institutionId: \"02688\"\r\n",
		"document marks":  "%YAML 1.1\n---\n" + bank("") + "...\n",
		"JSON":            `{"institutions": [{"institutionId": "02688"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := parse(t, source).World.Institution("02688")
			assert.True(t, ok)
		})
	}
}
