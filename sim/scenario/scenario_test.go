package scenario_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/scenarios"
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

// fixed returns a scenario as it starts with a seed, and at a time.
func fixed(s *scenario.Scenario) *scenario.Scenario {
	seed := uint64(7)
	return s.At(&seed, scenario.ClockStart{Real: time.Unix(1, 0)})
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
			assert.Equal(t, name+".yaml", s.File)
			source, err := scenarios.Files.ReadFile(name + ".yaml")
			require.NoError(t, err)
			assert.Equal(t, string(source), string(s.Source))
			given, err := scenario.Source(name)
			require.NoError(t, err)
			assert.Equal(t, string(source), string(given))

			again := load(t, name)
			assert.True(t, fixed(s).World.Equal(fixed(again).World), "loading is deterministic")
			assert.NotSame(t, s.World, again.World)

			asFile, err := scenario.Parse(name+".yaml", source)
			require.NoError(t, err, "only what isn't embedded is validated with the schema")
			assert.True(t, fixed(s).World.Equal(fixed(asFile).World))
			assert.Equal(t, s.Faults, asFile.Faults)
		})
	}
}

func TestUnknownScenarios(t *testing.T) {
	t.Parallel()
	_, err := scenario.Load("retial")
	assert.EqualError(t, err, `unknown scenario "retial", and no file of this name: did you mean "retail"?`)
	_, err = scenario.Source("production")
	assert.ErrorContains(t, err, `unknown scenario "production": the scenarios are "base", `)
	_, err = scenario.Load("nowhere/retail.yaml")
	assert.EqualError(t, err, `there is no file "nowhere/retail.yaml": there is no such folder`)
}

func TestSeedDecidesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	groups := bank("    groups:\n      - groupName: Early adopters\n")
	unseeded, one, two := parse(t, groups), parse(t, "seed: 7\n"+groups), parse(t, "seed: 2\n"+groups)
	assert.False(t, unseeded.World.Equal(parse(t, groups).World), "a seed is drawn")
	assert.True(t, fixed(unseeded).World.Equal(one.World))
	assert.False(t, one.World.Equal(two.World))
	assert.Equal(t, uint64(18446744073709551615), parse(t, "seed: 18446744073709551615\n"+groups).Seed)
	assert.Equal(t, uint64(0), parse(t, "seed: 0\n"+groups).Seed)
}

func TestDefaultsOfRows(t *testing.T) {
	t.Parallel()
	s := parse(t, bank(`
    clients: [{sharedKey: app, secretKey: secret}]
    users:
      - hostUserId: "1"
        disclosures: [{institutionDisclosureStatus: ACCEPTED}]
        accounts:
          - accountId: paper
            disclosures: [{institutionDisclosureStatus: ACCEPTED}]
          - accountId: electronic
            activateEstatement: true
            disclosures: [{institutionDisclosureStatus: NOT_ACCEPTED}, {institutionDisclosureStatus: ACCEPTED, paperWaiver: false}]
    tokens: [{accessToken: a, client: app, refreshToken: r}, {accessToken: b, client: app, hostUserId: "1",
        expiresIn: 90s, refreshToken: s, refreshExpiresIn: 2h}]
    groups: [{groupName: Early adopters}]
`))
	institution, _ := s.World.Institution("02688")
	assert.Equal(t, &sim.Institution{InstitutionID: "02688", Multistatement: true}, institution)

	accepted := sim.Disclosure{Status: sim.Accepted, StatusUpdate: s.Start}
	user, ok := s.World.User("02688", "1")
	require.True(t, ok)
	assert.Equal(
		t, &sim.User{InstitutionID: "02688", HostUserID: "1", Active: true, Disclosures: []sim.Disclosure{accepted}},
		user,
	)
	paper, _ := s.World.Account("02688", "1", "paper")
	assert.Equal(t, []sim.Disclosure{accepted}, paper.Disclosures)
	electronic, _ := s.World.Account("02688", "1", "electronic")
	assert.True(t, electronic.ActivateEstatement)
	assert.Equal(
		t, []sim.Disclosure{{Status: sim.NotAccepted, StatusUpdate: s.Start, PaperWaiver: true}, accepted},
		electronic.Disclosures,
	)

	lifetimes := map[string]time.Duration{
		"a": 24 * time.Hour,
		"r": 180 * 24 * time.Hour,
		"b": 90 * time.Second,
		"s": 2 * time.Hour,
	}
	for text, lifetime := range lifetimes {
		token, ok := s.World.Token(text)
		require.True(t, ok, text)
		assert.Equal(t, s.Start, token.IssuedAt, text)
		assert.Equal(t, s.Start.Add(lifetime), token.ExpiresAt, text)
	}
	types := map[string]string{}
	for grant := range s.World.Grants("02688") {
		types[grant.AccessToken] = grant.GrantType
	}
	assert.Equal(t, map[string]string{"a": sim.GrantClientCredentials, "b": sim.GrantPassword}, types)

	groups, _ := s.World.ListGroups("02688", nil, 0, 10)
	require.Len(t, groups, 1)
	assert.NotEmpty(t, groups[0].GroupID)
	assert.Equal(t, sim.GroupStatusActive, groups[0].Status)
	assert.Equal(t, s.Start, groups[0].LastUpdated)
}

func TestAliasesStandForTheirValues(t *testing.T) {
	t.Parallel()
	s := parse(t, bank(`
    users:
      - &user
        hostUserId: "1"
        disclosures: &accepted [{institutionDisclosureStatus: ACCEPTED}]
        accounts: [{accountId: &id a, disclosures: *accepted}]
      - hostUserId: "2"
        accounts: [{accountId: *id, disclosures: *accepted}]
`))
	for _, user := range []string{"1", "2"} {
		account, ok := s.World.Account("02688", user, "a")
		require.True(t, ok, user)
		assert.Equal(t, sim.Accepted, account.Disclosures[0].Status)
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
