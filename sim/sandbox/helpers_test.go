package sandbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// institution is the id of the one institution of all scenarios here.
const institution = "02688"

// frozen is a scenario with one user whose clock stands still.
const frozen = "name: frozen\nextends: base\nseed: 7\nclock: {start: 2026-01-15T09:00:00Z, run: false}\n" +
	"faults: [{name: own, then: {delay: 1ms}}]\n"

func parse(t testing.TB, yaml string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	require.NoError(t, err)
	return sc
}

// newRegistry returns a registry whose sandboxes start from frozen.
func newRegistry(t testing.TB) *sandbox.Registry {
	t.Helper()
	r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, frozen)})
	t.Cleanup(r.Close)
	return r
}

func create(t testing.TB, r *sandbox.Registry, p sandbox.Plan) *sandbox.Sandbox {
	t.Helper()
	sb, err := r.Create(t.Context(), p)
	require.NoError(t, err)
	return sb
}

func find(t testing.TB, r *sandbox.Registry, name string) *sandbox.Sandbox {
	t.Helper()
	sb, err := r.Find(t.Context(), name)
	require.NoError(t, err, name)
	return sb
}

// latest returns a sandbox as it is now.
func latest(t testing.TB, sb *sandbox.Sandbox) sandbox.View {
	t.Helper()
	v, err := sb.Latest(t.Context())
	require.NoError(t, err)
	return v
}

// nothing is a change that changes nothing.
func nothing(*sandbox.Tx) error { return nil }

// newGroup returns a change that creates a group.
func newGroup(name string) func(*sandbox.Tx) error {
	return func(tx *sandbox.Tx) error {
		_, err := tx.World.CreateGroup(tx.World.Policies().Document, institution, sim.NewGroup{Name: name}, tx.Now)
		return err
	}
}

// addGroup creates a group and returns its id. The id is drawn from the random source of the world.
func addGroup(t testing.TB, sb *sandbox.Sandbox, name string) string {
	t.Helper()
	require.NoError(t, sb.Change(t.Context(), newGroup(name)))
	for g := range latest(t, sb).World.Groups(institution) {
		if g.Name == name {
			return g.GroupID
		}
	}
	require.Fail(t, "the group was not created")
	return ""
}

// groups returns the names of all groups, sorted.
func groups(v sandbox.View) []string {
	names := []string{}
	for g := range v.World.Groups(institution) {
		names = append(names, g.Name)
	}
	slices.Sort(names)
	return names
}

// advanced returns a change that advances the clock.
func advanced(d time.Duration) func(*sandbox.Tx) error {
	return func(tx *sandbox.Tx) error {
		tx.Clock = tx.Clock.Advance(d, tx.Wall)
		return nil
	}
}

func advance(t testing.TB, sb *sandbox.Sandbox, d time.Duration) {
	t.Helper()
	require.NoError(t, sb.Change(t.Context(), advanced(d)))
}

// withoutFaults is a change that removes all faults.
func withoutFaults(tx *sandbox.Tx) (err error) {
	tx.Faults, _, err = tx.Faults.Replace()
	return err
}

// anExchange is the draft of an exchange.
func anExchange() journal.Record { return journal.Record{Exchange: &journal.Exchange{}} }

// alter changes all that a sandbox holds: world, clock, faults and journal.
func alter(t testing.TB, sb *sandbox.Sandbox) {
	t.Helper()
	addGroup(t, sb, "Altered")
	advance(t, sb, time.Hour)
	_, err := sb.Update(t.Context(), func(tx *sandbox.Tx) (sandbox.Draft, error) {
		return anExchange, withoutFaults(tx)
	})
	require.NoError(t, err)
}

// shape is what alter changes.
type shape struct {
	groups    []string
	now       time.Time
	faults    int
	exchanges int
}

func shapeOf(t testing.TB, sb *sandbox.Sandbox) shape {
	t.Helper()
	v := latest(t, sb)
	exchanges := slices.Collect(v.Journal.Select(journal.Query{}).Exchanges())
	return shape{groups(v), v.Now, len(v.Faults.Counts()), len(exchanges)}
}
