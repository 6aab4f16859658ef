package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const generating = `seed: 7
institutions:
  - institutionId: "02688"
    clients: [{sharedKey: app, secretKey: secret}]
    users: [{hostUserId: "1001", username: avery, password: demo}]
    groups: [{groupName: Early adopters}]
    tokens: [{accessToken: bound, client: app, hostUserId: "1000007"}]
    generate:
      users: 1000
      password: secret
      inactiveUsers: 0.05
      accountsPerUser: 3
      electronicStatements: 0.4
      disclosures: {accepted: 0.8, notAccepted: 0.15, none: 0.05}
      groups: 100
`

func TestGenerate(t *testing.T) {
	t.Parallel()
	s := parse(t, generating)
	w := s.World
	assert.Equal(t, map[string]int{
		"institutions": 1, "clients": 1, "users": 1001, "accounts": 3000, "grants": 1, "tokens": 1, "groups": 101,
	}, scenario.CountRows(w))

	inactive, electronic := 0, 0
	users, accounts := map[string]int{}, map[string]int{}
	note := func(answers map[string]int, disclosures []sim.Disclosure, paperWaiver bool) {
		if len(disclosures) == 0 {
			answers["none"]++
			return
		}
		require.Len(t, disclosures, 1)
		d := disclosures[0]
		answers[d.Status]++
		assert.Equal(t, "OLS", d.Name)
		assert.Equal(t, paperWaiver, d.PaperWaiver)
		assert.True(
			t, d.StatusUpdate.Before(s.Start) && d.StatusUpdate.After(s.Start.AddDate(-1, 0, -2)), d.StatusUpdate,
		)
		assert.Zero(t, d.StatusUpdate.Nanosecond())
	}
	for u := range w.Users("02688") {
		if u.HostUserID == "1001" {
			continue
		}
		assert.Regexp(t, `^1\d{6}$`, u.HostUserID)
		assert.Regexp(t, `^[a-z]+\.[a-z]+\d*$`, u.Username) // each once, or the scenario wouldn't load
		if !u.Active {
			inactive++
		}
		note(users, u.Disclosures, false)
		ids := ""
		for a := range w.Accounts("02688", u.HostUserID) {
			ids += a.AccountID + " "
			if a.ActivateEstatement {
				electronic++
			}
			note(accounts, a.Disclosures, a.ActivateEstatement)
		}
		require.Equal(t, strings.ReplaceAll("acc-N-checking acc-N-credit acc-N-savings ", "N", u.HostUserID), ids)
	}
	assert.Equal(t, 50, inactive)
	assert.Equal(t, 1200, electronic)
	assert.Equal(t, map[string]int{sim.Accepted: 800, sim.NotAccepted: 150, "none": 50}, users)
	assert.Equal(t, map[string]int{sim.Accepted: 2400, sim.NotAccepted: 450, "none": 150}, accounts)

	groups, total := w.ListGroups("02688", nil, 0, 200)
	assert.Equal(t, 101, total)
	assert.Equal(t, "Early adopters", groups[0].Name, "what is written comes first")
	for _, g := range groups[1:] {
		assert.Regexp(t, `^[A-Z][a-z]+ [a-z ]+( \d+)?$`, g.Name)
		assert.Positive(t, g.ParticipantCount)
		assert.True(t, g.LastUpdated.Before(s.Start))
	}
	_, err := w.Authenticate("bound", s.Start)
	assert.NoError(t, err, "a token may be bound to a generated user")
}

func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	first := parse(t, generating).World
	assert.True(t, first.Equal(parse(t, generating).World))
	another := parse(t, "seed: 8\n"+generating[len("seed: 7\n"):]).World
	assert.False(t, first.Equal(another), "the seed decides")
	assert.Equal(t, scenario.CountRows(first), scenario.CountRows(another))

	taken, _ := first.User("02688", "1000001")
	parse(t, strings.Replace(generating, "avery", taken.Username, 1)) // which would be no scenario if both had the name
	const fifty = "    generate: {users: 50}\n"
	twice, others := parse(t, bank(fifty+"  - institutionId: \"05523\"\n"+fifty)).World, 0
	for u := range parse(t, bank(fifty)).World.Users("02688") {
		same, _ := twice.User("02688", u.HostUserID)
		require.Equal(t, u, same, "another institution makes no difference")
		if other, _ := twice.User("05523", u.HostUserID); other.Username != u.Username {
			others++
		}
	}
	assert.Positive(t, others, "institutions have users of their own")
}

// The random ids of written rows are the same with and without generate.
func TestGenerateLeavesWhatIsWrittenAlone(t *testing.T) {
	t.Parallel()
	const first = "    groups: [{groupName: A}]\n"
	const second = "  - institutionId: \"05523\"\n    groups: [{groupName: B}]\n"
	without := parse(t, "seed: 7\n"+bank(first+second)).World
	with := parse(t, "seed: 7\n"+bank(first+"    generate: {users: 10, groups: 10}\n"+second)).World
	for _, institution := range []string{"02688", "05523"} {
		want, _ := without.ListGroups(institution, nil, 0, 1)
		got, _ := with.ListGroups(institution, nil, 0, 1)
		assert.Equal(t, want[0].GroupID, got[0].GroupID)
	}
}

// Generated groups have participants who are users of the bank: each once, and the same at every start.
func TestGenerateParticipants(t *testing.T) {
	t.Parallel()
	source := "seed: 7\n" + bank(
		"    users: [{hostUserId: \"1001\"}, {hostUserId: \"1000002\"}, {hostUserId: no participant}]\n"+
			"    generate: {users: 30, groups: 5, participantsPerGroup: %d}\n",
	)
	members := func(perGroup int) (all [][]string) {
		s := parse(t, fmt.Sprintf(source, perGroup))
		groups, _ := s.World.ListGroups("02688", nil, 0, 10)
		for _, g := range groups {
			ids := slices.Collect(g.Participants())
			require.Len(t, ids, g.ParticipantCount)
			for _, id := range ids {
				_, exists := s.World.User("02688", id)
				require.True(t, exists, id)
			}
			all = append(all, ids)
		}
		return all
	}
	ten := members(10)
	for _, ids := range ten {
		assert.Len(t, ids, 10)
	}
	assert.NotEqual(t, ten[0], ten[1])
	assert.Equal(t, ten, members(10))
	assert.Len(t, members(100)[0], 31, "all users but the one who can't be a participant")
}
