package bankapi_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const (
	modelStepsWanted   = 10_000 // in a run
	modelSequences     = 100
	modelSequenceSteps = 200  // on average; rapid's own default, 30, is too few for lifetimes and forks to meet
	modelSeed          = 2688 // so that runs without flags are alike
)

// Random sequences of calls of the bank API and the control API have the same answers, and end in the same state, as those
// of a plain reference. For more or other sequences: -rapid.checks, -rapid.steps, -rapid.seed.
func TestModel(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	setDefault(t, "rapid.checks", modelSequences)
	setDefault(t, "rapid.steps", modelSequenceSteps)
	setDefault(t, "rapid.seed", modelSeed)
	steps, sequences, firstDifference := 0, 0, 0
	met := map[string]int{}
	t.Cleanup(func() {
		if firstDifference > 0 {
			t.Logf("the first difference showed after %d steps; what follows it only makes the sequence shorter", firstDifference)
		}
		t.Logf("%d steps in %d sequences", steps, sequences)
	})
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t, met)
		defer func() {
			steps, sequences = steps+m.steps, sequences+1
			if t.Failed() && firstDifference == 0 {
				firstDifference = steps
			}
		}()
		t.Repeat(m.actions())
		m.compareAll()
	})
	if testing.Verbose() {
		for _, answer := range slices.Sorted(maps.Keys(met)) {
			t.Logf("%6d %s", met[answer], answer)
		}
	}
	if !testing.Short() {
		require.GreaterOrEqual(t, steps, modelStepsWanted)
	}
}

// setDefault sets a flag until the test ends, unless the command line sets it.
func setDefault(t *testing.T, name string, to int) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		value := flag.Lookup(name).Value
		t.Cleanup(func() { _ = value.Set(flag.Lookup(name).DefValue) })
		require.NoError(t, value.Set(strconv.Itoa(to)))
	}
}

// actions returns the steps of a sequence. Rapid prefers the first ones by name, so the names begin with a number: the
// operations come in several rounds, with control calls among them.
func (m *machine) actions() map[string]func(*rapid.T) {
	type action struct {
		name string
		do   func(*rapid.T)
	}
	operations := []action{
		{"issue tokens", m.issueTokens}, {"create group", m.createGroup}, {"revoke token", m.revokeTokens}, {"update account", m.updateAccount},
		{"list groups", m.listGroups}, {"create alert", m.createAlert}, {"update user", m.updateUser}, {"get disclosures", m.getDisclosures},
		{"update group", m.updateGroup}, {"upload participants", m.uploadParticipants}, {"get job", m.getJob}, {"list jobs", m.listJobs}, {"list job errors", m.listJobErrors}, {"get user status", m.getUserStatus}, {"delete group", m.deleteGroup},
		{"get alert", m.getAlert}, {"list alerts", m.listAlerts}, {"update alert", m.updateAlert}, {"delete alert", m.deleteAlert},
		{"list disclosures", m.listUserDisclosures}, {"create disclosure", m.createDisclosure}, {"update disclosure", m.updateDisclosure},
		{"delete disclosure", m.deleteDisclosure},
	}
	rounds := [][]action{
		{{"move clock", m.moveClock}, {"take snapshot", m.takeSnapshot}, {"fork sandbox", m.forkSandbox}, {"restore snapshot", m.restoreSnapshot}},
		{{"reset sandbox", m.resetSandbox}, {"mint token", m.mintToken}, {"patch user", m.patchUser}},
		{{"create sandbox", m.createSandbox}, {"patch account", m.patchAccount}, {"replace scenario", m.replaceScenario}},
		{{"delete sandbox", m.deleteSandbox}, {"patch institution", m.patchInstitution}, {"clear journal", m.clearJournal}},
	}
	actions := map[string]func(*rapid.T){}
	for _, control := range rounds {
		for _, a := range slices.Concat(operations, control) {
			actions[fmt.Sprintf("%02d %s", len(actions), a.name)] = a.do
		}
	}
	return actions
}

// somewhere draws a sandbox to send a request to, and the tokens that may go with it.
func (m *machine) somewhere() (name string, bearer credentials) {
	name, _ = m.anySandbox()
	if m.sandboxes[name] == nil {
		return name, credentials{kind: "none"}
	}
	other := pick(m.t, "other sandbox", m.names()...)
	return name, drawBearer(m.t, m.tokens(name, false), m.tokens(other, false))
}

func (m *machine) getDisclosures(t *rapid.T) { m.estatement(t, contract.EstatementsGetDisclosures) }
func (m *machine) updateAccount(t *rapid.T)  { m.estatement(t, contract.EstatementsUpdateAccount) }
func (m *machine) updateUser(t *rapid.T)     { m.estatement(t, contract.EstatementsUpdateUser) }

func (m *machine) estatement(t *rapid.T, op *contract.Operation) {
	name, bearer := m.somewhere()
	r := drawEstatement(t, op, bearer)
	m.call(name, op, m.perhapsHead(r.wire()), func(s *refSandbox, _ string) verdict { return s.bank.estatement(r, s.now) })
}

// perhapsHead returns a call, sometimes by HEAD in the place of GET.
func (m *machine) perhapsHead(c simtest.Call) simtest.Call {
	if c.Method == http.MethodGet && chance(m.t, 8, "HEAD") {
		return c.WithMethod(http.MethodHead)
	}
	return c
}

func (m *machine) createGroup(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawGroup(t, bearer, fmt.Sprint("t-", m.steps))
	m.call(name, contract.GroupsCreate, r.wire(contract.GroupsCreate), func(s *refSandbox, _ string) verdict { return s.bank.createGroup(r, s.now) })
}

func (m *machine) listGroups(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.GroupsList)
	r := drawGroup(t, bearer, m.freshID(op))
	r.page = drawPage(t)
	m.call(name, op, m.perhapsHead(r.wireList(op)), func(s *refSandbox, baseURL string) verdict { return s.bank.listGroups(r.in(op), baseURL, s.now) })
}

func (m *machine) createAlert(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawAlert(t, bearer)
	m.call(name, contract.AlertsCreatePreference, r.wire(), func(s *refSandbox, _ string) verdict { return s.bank.createAlert(r, s.now) })
}

func (m *machine) issueTokens(t *rapid.T) {
	name, refreshTokens := m.refreshTokens()
	r := drawTokenRequest(t, []string{"password", "password", "client_credentials", "refresh_token", "refresh_token", "refresh_token", "magic"}, refreshTokens)
	m.call(name, contract.TokensIssue, r.wire(contract.TokensIssue), func(s *refSandbox, _ string) verdict { return s.bank.issue(r, s.now) })
}

func (m *machine) revokeTokens(t *rapid.T) {
	name, refreshTokens := m.refreshTokens()
	r := drawTokenRequest(t, []string{"", "", "", "", "password", "client_credentials", "magic"}, refreshTokens)
	m.call(name, contract.TokensRevoke, r.wire(contract.TokensRevoke), func(s *refSandbox, _ string) verdict { return s.bank.revoke(r) })
}

// refreshTokens draws a sandbox to send a token request to, and the tokens that it may name.
func (m *machine) refreshTokens() (name string, texts []string) {
	name, _ = m.anySandbox()
	if m.sandboxes[name] == nil {
		return name, []string{"nope"}
	}
	return name, m.tokens(name, true)
}
