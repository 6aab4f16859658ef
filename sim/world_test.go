package sim_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

var start = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// policies returns policies that judge requests in both dialects by the same switches.
func policies(b sim.Behavior) *sim.Policies {
	return &sim.Policies{
		Document: &sim.Policy{Dialect: sim.DialectDocument, Behavior: b},
		Public:   &sim.Policy{Dialect: sim.DialectPublic, Behavior: b},
	}
}

// document returns the policy of a world for the dialect of the interface's document.
func document(w *sim.World) *sim.Policy { return w.Policies().Document }

// newBank returns a world with one institution, one client, user "1001" with two accounts, and user "1002" without.
func newBank(t require.TestingT) *sim.World {
	w := sim.NewWorld(7, policies(sim.DefaultBehavior()))
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "02688", Multistatement: true}))
	require.NoError(t, w.AddClient(sim.Client{InstitutionID: "02688", SharedKey: "app", SecretKey: "secret"}))
	accepted := []sim.Disclosure{{Name: "OLS", Status: sim.Accepted, StatusUpdate: start}}
	require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1001", Username: "avery",
		Password: "demo", Active: true,
		Disclosures: accepted}))
	require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1002", Active: true,
		Disclosures: accepted}))
	for _, id := range []string{"checking", "savings"} {
		require.NoError(t, w.AddAccount(sim.Account{InstitutionID: "02688", HostUserID: "1001", AccountID: id,
			Disclosures: accepted}))
	}
	return w
}

// The first draws of a seed never change: ids in users' recorded expectations hang on them.
func TestDrawsOfASeedStayAsTheyAre(t *testing.T) {
	w := newBank(t)
	g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: "A"}, start)
	require.NoError(t, err)
	grant, err := w.IssueTokens(document(w), "02688", "app", byPassword, start)
	require.NoError(t, err)
	assert.Equal(t, "32fe657c-e73b-4592-af7c-3e39c308fd81", g.GroupID)
	assert.Equal(t, "PpMlWEz4m2uOZcc1L9KaI4hri3J3", grant.AccessToken)
	assert.Equal(t, "Le0633FKzTg7MUExVbZZzqlWPZhK2WrF", grant.RefreshToken)
}

func TestClock(t *testing.T) {
	now := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC)
	running := sim.NewClock(start, true, now)
	frozen := sim.NewClock(start, false, now)
	later := now.Add(time.Minute)

	assert.Equal(t, start.Add(time.Minute), running.Now(later))
	assert.Equal(t, start.Add(time.Hour+time.Minute), running.Advance(time.Hour, later).Now(later))
	assert.Equal(t, start.Add(-time.Hour), frozen.Advance(-time.Hour, later).Now(later))

	stopped := running.Run(false, later)
	assert.Equal(t, start.Add(time.Minute), stopped.Now(later.Add(time.Hour)), "it stands still from where it was")
	assert.Equal(t, start.Add(2*time.Minute), stopped.Run(true, later).Now(later.Add(time.Minute)))

	set := running.Set(start.Add(24*time.Hour), later)
	assert.Equal(t, start.Add(24*time.Hour+time.Second), set.Now(later.Add(time.Second)))
}

// Worlds may be forked, read and, each by one goroutine, written to at the same time, whatever they share.
func TestForksAtOnce(t *testing.T) {
	w := newBank(t)
	newGroup(t, w, "A")
	newGroup(t, w, "B")
	before := w.Fork()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			order := []sim.SortKey{{By: sim.ByNoOfParticipants, Descending: i%2 == 0}}
			for j := range 20 {
				fork := w.Fork()
				_, total := w.ListGroups("02688", order, 0, 10)
				assert.Equal(t, 2, total)
				_, err := fork.CreateGroup(document(fork), "02688", sim.NewGroup{Name: fmt.Sprint(i, j)}, start)
				assert.NoError(t, err)
				again := fork.Fork() // the world that was forked from can still be written to
				_, err = fork.CreateGroup(document(fork), "02688", sim.NewGroup{Name: "C"}, start)
				assert.NoError(t, err)
				for world, count := range map[*sim.World]int{fork: 4, again: 3, w: 2} {
					_, total := world.ListGroups("02688", order, 0, 10)
					assert.Equal(t, count, total)
					assert.Len(t, slices.Collect(world.Groups("02688")), count)
				}
			}
		})
	}
	wg.Wait()
	assert.True(t, w.Equal(before))
}
