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
const frozen = "name: frozen\nextends: base\nseed: 7\nclock: {start: 2026-01-15T09:00:00Z, run: false}\nfaults: [{name: own, then: " +
	"{delay: 1ms}}]\n"

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
	sb, err := r.Create(p)
	require.NoError(t, err)
	return sb
}

// newGroup returns a change that creates a group.
func newGroup(name string) func(sandbox.Moment) error {
	return func(m sandbox.Moment) error {
		_, err := m.World.CreateGroup(institution, sim.NewGroup{Name: name}, m.Now)
		return err
	}
}

// addGroup creates a group and returns its id, which is drawn from the random source of the world.
func addGroup(t testing.TB, sb *sandbox.Sandbox, name string) string {
	t.Helper()
	require.NoError(t, sb.Change(newGroup(name)))
	for g := range sb.Now().World.Groups(institution) {
		if g.Name == name {
			return g.GroupID
		}
	}
	require.Fail(t, "the group was not created")
	return ""
}

// groups returns the names of all groups, sorted.
func groups(m sandbox.Moment) []string {
	names := []string{}
	for g := range m.World.Groups(institution) {
		names = append(names, g.Name)
	}
	slices.Sort(names)
	return names
}

func advance(sb *sandbox.Sandbox, d time.Duration) {
	sb.SetClock(func(c sim.Clock, real time.Time) sim.Clock { return c.Advance(d, real) })
}

// alter changes all that a sandbox holds: world, clock, faults and journal.
func alter(t testing.TB, sb *sandbox.Sandbox) {
	t.Helper()
	addGroup(t, sb, "Altered")
	advance(sb, time.Hour)
	_, _ = sb.Now().Faults.Replace()
	sb.Now().Journal.Add(journal.Raw{})
}

// shape is what alter changes.
type shape struct {
	groups    []string
	now       time.Time
	faults    int
	exchanges int
}

func shapeOf(sb *sandbox.Sandbox) shape {
	m := sb.Now()
	return shape{groups(m), m.Now, len(m.Faults.Counts()), len(slices.Collect(m.Journal.Select(journal.Query{}).Exchanges()))}
}
