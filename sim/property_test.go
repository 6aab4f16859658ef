package sim_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
)

// command is a call of a world's method at a time. Carried out again on a world like the first, it does the same.
type command struct {
	about string
	now   time.Time
	run   func(w *sim.World, now time.Time) error
}

// life is a world to which anything may happen, with what has to be true of it.
type life struct {
	*rapid.T
	world *sim.World
	now   time.Time
	log   []command

	kept      []moment
	names     map[string]string // of the active groups, by id
	grants    map[int]bool      // whether it still stands, by number
	tokens    map[string]issued // access tokens
	refreshes map[string]int    // the refresh tokens that were issued last, with the number of their grant
	used      []string          // refresh tokens that were used
	stored    map[string]sim.StoredRow
}

type issued struct {
	grant   int
	expires time.Time
}

// moment is a fork of the world that nobody writes to, after some commands.
type moment struct {
	fork     *sim.World
	commands int
}

const elsewhere = "99999" // an institution that nothing happens to

// newLife returns a world like that of newBank, with a group there, and an account and a group elsewhere.
func newLife(t *rapid.T) *sim.World {
	w := newBank(t)
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: elsewhere}))
	require.NoError(t, w.AddAccount(sim.Account{InstitutionID: elsewhere, HostUserID: "1001", AccountID: "checking"}))
	for _, institution := range []string{"02688", elsewhere} {
		_, err := w.CreateGroup(document(w), institution, sim.NewGroup{Name: "first"}, start)
		require.NoError(t, err)
	}
	return w
}

// do carries out a command as the bank does: on a fork, which becomes the world if the command is accepted. What is
// refused leaves the world as it was; what is no change shows no difference, and a change shows one.
func (l *life) do(about string, run func(w *sim.World, now time.Time) error) error {
	next := l.world.Fork()
	written := next.Track()
	err := run(next, l.now)
	differs := false
	for range next.Diff(l.now, l.world, l.now) {
		differs = true
	}
	if err != nil {
		require.True(l, next.Equal(l.world), "%s is refused, and has changed something: %v", about, err)
		require.False(l, differs || next.Changed(), "%s is refused, and differs: %v", about, err)
		return err
	}
	require.Equal(l, differs, next.Changed(), about)
	rows, followed := written(), l.world.Fork()
	require.NoError(l, followed.Apply(next.Meta(), slices.Values(rows)))
	require.True(l, followed.Equal(next), "%s: the rows that were written make another world", about)
	require.Equal(l, next.Added(), followed.Added(), about)
	l.world = next
	for _, row := range rows {
		l.store(row)
	}
	l.log = append(l.log, command{about, l.now, run})
	return nil
}

func (l *life) caller() sim.Caller { return sim.Caller{InstitutionID: "02688", SharedKey: "app"} }

// name draws the name of a group, from a few, so that it may be taken.
func (l *life) name() string {
	return rapid.SampledFrom([]string{"a", "B", "c", "Ähre", ""}).Draw(l.T, "name")
}

// group draws the id of an active group, or one that no group has.
func (l *life) group() string {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(l.names)), "nobodys")).Draw(l.T, "group")
}

func (l *life) createGroup(*rapid.T) {
	name := l.name()
	var created *sim.Group
	err := l.do("create a group", func(w *sim.World, now time.Time) (err error) {
		created, err = w.CreateGroup(document(w), "02688", sim.NewGroup{Name: name}, now)
		return err
	})
	taken := slices.Contains(slices.Collect(maps.Values(l.names)), name)
	require.Equal(l, name == "" || taken, err != nil, "%q: %v", name, err)
	if err == nil {
		require.NotContains(l, l.names, created.GroupID)
		l.names[created.GroupID] = name
	}
}

func (l *life) updateGroup(*rapid.T) {
	id, name := l.group(), l.name()
	var updated *sim.Group
	err := l.do("update a group", func(w *sim.World, now time.Time) (err error) {
		updated, err = w.UpdateGroup(document(w), "02688", id, sim.NewGroup{Name: name}, now)
		return err
	})
	if err == nil {
		stored, _ := l.world.Group("02688", id)
		require.Equal(l, name, stored.Name)
		require.Equal(l, stored, updated, "the answer is what is stored")
		l.names[id] = name
	}
}

func (l *life) deleteGroup(*rapid.T) {
	id := l.group()
	err := l.do("delete a group", func(w *sim.World, _ time.Time) error { return w.DeleteGroup("02688", id) })
	if err == nil {
		require.Contains(l, l.names, id)
		require.Empty(l, l.jobsOf(id), "its jobs are gone")
		delete(l.names, id)
	}
}

func (l *life) jobsOf(group string) []*sim.Job {
	page, total := l.world.ListJobs("02688", group, nil, 0, 1000)
	require.Len(l, page, total)
	return page
}

func (l *life) upload(*rapid.T) {
	id, kind := l.group(), rapid.SampledFrom([]string{"ADD", "REMOVE", "REPLACE", "MERGE"}).Draw(l.T, "kind")
	err := l.do("upload participants", func(w *sim.World, now time.Time) error {
		u := sim.Upload{Type: kind, FileName: "p.csv", File: "ParticipantId\n1001\nnobody"}
		_, err := w.UploadParticipants(document(w), l.caller(), "02688", id, u, now)
		return err
	})
	if err == nil {
		require.NotEmpty(l, l.jobsOf(id))
		require.Error(l, l.do("delete a group with a running job", func(w *sim.World, _ time.Time) error {
			return w.DeleteGroup("02688", id)
		}))
	}
}

func (l *life) updateStatements(*rapid.T) {
	account := rapid.SampledFrom([]string{"checking", "savings", "nobodys"}).Draw(l.T, "account")
	on := rapid.Bool().Draw(l.T, "on")
	err := l.do("update an account", func(w *sim.World, _ time.Time) error {
		return w.UpdateAccountPreference(document(w), l.caller(), "1001", account, sim.Preference{Activate: on})
	})
	if err == nil {
		stored, _ := l.world.Account("02688", "1001", account)
		require.Equal(l, on, stored.ActivateEstatement)
	}
}

func (l *life) alerts(*rapid.T) {
	opted := rapid.Bool().Draw(l.T, "opted")
	content := sim.AlertContent{AlertOpted: &opted}
	id := rapid.Int64Range(1, 5).Draw(l.T, "id")
	switch rapid.IntRange(0, 2).Draw(l.T, "alert") {
	case 0:
		_ = l.do("create an alert preference", func(w *sim.World, _ time.Time) error {
			_, err := w.CreateAlertPreference(document(w), "02688", "1001", content)
			return err
		})
	case 1:
		_ = l.do("update an alert preference", func(w *sim.World, _ time.Time) error {
			_, err := w.UpdateAlertPreference(document(w), "02688", "1001", id, id, content)
			return err
		})
	default:
		err := l.do("delete an alert preference", func(w *sim.World, _ time.Time) error {
			return w.DeleteAlertPreference("02688", "1001", id)
		})
		_, gone := l.world.AlertPreference("02688", "1001", id)
		require.Error(l, gone, "%v", err)
	}
}

func (l *life) disclosures(*rapid.T) {
	status := rapid.SampledFrom([]string{sim.Accepted, "NOT_ACCEPTED", "MAYBE"}).Draw(l.T, "status")
	account := rapid.SampledFrom([]string{"", "checking", "nobodys"}).Draw(l.T, "account")
	_ = l.do("answer a disclosure", func(w *sim.World, now time.Time) error {
		waiver := true
		n := sim.NewDisclosure{Name: "OLS", Status: status, AccountID: account, PaperWaiver: &waiver}
		return w.CreateDisclosure(l.caller(), "1001", n, now)
	})
}

// issue asks for tokens by password, or by a refresh token that works, or doesn't.
func (l *life) issue(*rapid.T) {
	request := sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "demo"}
	known := append(slices.Sorted(maps.Keys(l.refreshes)), l.used...)
	if len(known) > 0 && rapid.Bool().Draw(l.T, "refreshes") {
		request = sim.TokenRequest{GrantType: sim.GrantRefreshToken,
			RefreshToken: rapid.SampledFrom(known).Draw(l.T, "refresh token")}
	}
	grant, works := l.refreshes[request.RefreshToken]
	if request.GrantType == sim.GrantPassword {
		grant, works = len(l.grants), true
	}
	works = works && (request.GrantType == sim.GrantPassword || l.grants[grant])
	var got *sim.Grant
	err := l.do("issue tokens", func(w *sim.World, now time.Time) (err error) {
		got, err = w.IssueTokens(document(w), "02688", "app", request, now)
		return err
	})
	require.Equal(l, works, err == nil, "%v", err)
	if err != nil {
		return
	}
	require.NotContains(l, l.tokens, got.AccessToken)
	if request.RefreshToken != "" {
		delete(l.refreshes, request.RefreshToken)
		l.used = append(l.used, request.RefreshToken)
	}
	l.grants[grant] = true
	l.refreshes[got.RefreshToken] = grant
	l.tokens[got.AccessToken] = issued{grant, l.now.Add(sim.DefaultBehavior().Tokens.AccessLifetime)}
}

// revoke revokes an access or a refresh token, and so all tokens of its grant.
func (l *life) revoke(*rapid.T) {
	grants := map[string]int{}
	maps.Copy(grants, l.refreshes)
	for text, token := range l.tokens {
		if token.expires.After(l.now) {
			grants[text] = token.grant
		}
	}
	if len(grants) == 0 {
		return
	}
	text := rapid.SampledFrom(slices.Sorted(maps.Keys(grants))).Draw(l.T, "token")
	err := l.do("revoke a token", func(w *sim.World, now time.Time) error {
		_, err := w.Revoke(document(w), "02688", "app", sim.TokenRequest{Token: text}, now)
		return err
	})
	require.NoError(l, err)
	l.grants[grants[text]] = false
}

// pass lets time pass, to the second before a token expires or the moment when it does, and ends the jobs that are due.
func (l *life) pass(*rapid.T) {
	l.now = l.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 24*time.Hour - time.Second,
		24 * time.Hour}).Draw(l.T, "time"))
	require.NoError(l, l.do("end jobs", func(w *sim.World, now time.Time) error {
		w.EndJobs(now)
		return nil
	}))
}

// keep takes a fork of the world as it is.
func (l *life) keep(*rapid.T) { l.kept = append(l.kept, moment{l.world.Fork(), len(l.log)}) }

// store keeps a row as a store does.
func (l *life) store(row sim.StoredRow) {
	l.stored[row.Table+" "+row.Key] = row
	if row.Removed {
		delete(l.stored, row.Table+" "+row.Key)
	}
}

// restart goes on with a world that has been stored row by row.
func (l *life) restart(*rapid.T) {
	restored, err := sim.RestoreWorld(l.world.Meta(), l.world.Policies(), maps.Values(l.stored))
	require.NoError(l, err)
	require.True(l, restored.Equal(l.world), "the rows that were written make another world")
	require.Equal(l, l.world.Added(), restored.Added())
	l.world = restored
}

// replay carries out the commands up to a fork once more: that leads to an equal world, so nothing of what came later
// shows in it.
func (l *life) replay(*rapid.T) {
	if len(l.kept) == 0 {
		return
	}
	at := rapid.SampledFrom(l.kept).Draw(l.T, "moment")
	again := newLife(l.T)
	for _, c := range l.log[:at.commands] {
		next := again.Fork()
		require.NoError(l, c.run(next, c.now), c.about)
		again = next
	}
	require.True(l, at.fork.Equal(again), "the same seed and the same calls, %d of them, lead to another world",
		at.commands)
}

// check checks what always holds.
func (l *life) check(*rapid.T) {
	for _, order := range [][]sim.SortKey{nil, {{By: sim.ByGroupName, Descending: true}}} {
		var listed []string
		for position := 0; ; position += 2 {
			page, total := l.world.ListGroups("02688", order, position, 2)
			require.Equal(l, len(l.names), total, "the total is that of all pages")
			if len(page) == 0 {
				break
			}
			for _, g := range page {
				require.Equal(l, l.names[g.GroupID], g.Name)
				listed = append(listed, g.Name)
			}
		}
		require.ElementsMatch(l, slices.Collect(maps.Values(l.names)), listed, "the pages have each group once")
		if order != nil {
			require.True(l, slices.IsSortedFunc(listed, func(a, b string) int { return strings.Compare(b, a) }), "%q",
				listed)
		}
	}
	for text, token := range l.tokens {
		_, err := l.world.Authenticate(text, l.now)
		require.Equal(l, l.grants[token.grant] && l.now.Before(token.expires), err == nil,
			"a token works if it was issued, not revoked, and has not expired: %v", err)
	}
	for text := range l.refreshes {
		_, err := l.world.Authenticate(text, l.now)
		require.Error(l, err, "a refresh token is no access token")
	}
	untouched := newLife(l.T)
	require.Equal(l, slices.Collect(untouched.Groups(elsewhere)), slices.Collect(l.world.Groups(elsewhere)),
		"another institution's groups")
	require.Equal(l, slices.Collect(untouched.Accounts(elsewhere, "1001")),
		slices.Collect(l.world.Accounts(elsewhere, "1001")))
	require.Empty(l, slices.Collect(l.world.Grants(elsewhere)))
}

// Whatever happens to a world, what [life.check] and the commands state holds.
func TestWorldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{T: t, world: newLife(t), now: start, names: map[string]string{}, grants: map[int]bool{},
			tokens: map[string]issued{}, refreshes: map[string]int{}, stored: map[string]sim.StoredRow{}}
		for row := range l.world.Rows() {
			l.store(row)
		}
		for g := range l.world.Groups("02688") {
			l.names[g.GroupID] = g.Name
		}
		t.Repeat(map[string]func(*rapid.T){
			"":             l.check,
			"create group": l.createGroup, "update group": l.updateGroup, "delete group": l.deleteGroup,
			"upload":            l.upload,
			"update statements": l.updateStatements, "alerts": l.alerts, "disclosures": l.disclosures,
			"issue": l.issue, "issue again": l.issue, "revoke": l.revoke, "pass": l.pass, "keep": l.keep,
			"replay":  l.replay,
			"restart": l.restart,
		})
	})
}
