package sandbox_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Replacing the registry's scenario restarts the sandboxes that started from it, and no others.
func TestReplace(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	ctx, first := t.Context(), r.Origin()
	own, put := parse(t, "name: own\nextends: base\nseed: 1\n"), parse(t, "name: put\nextends: base\nseed: 1\n")
	three := uint64(3)
	create(t, r, sandbox.Plan{Name: "follower"})
	create(t, r, sandbox.Plan{Name: "seeded", Seed: &three})
	create(t, r, sandbox.Plan{Name: "own", Scenario: own})
	require.NoError(t, create(t, r, sandbox.Plan{Name: "put"}).Restart(ctx, "", put))
	_, err := r.Fork(ctx, r.Default(), "fork", 0)
	require.NoError(t, err)
	old := map[string]sandbox.View{}
	for _, sb := range r.All() {
		alter(t, sb)
		old[sb.Name()] = latest(t, sb)
	}

	two := parse(t, "name: two\nextends: base\nseed: 4\nclock: {start: 2030-01-01T00:00:00Z, run: false}\n")
	assert.Equal(t, 3, r.SetScenario(two))
	create(t, r, sandbox.Plan{Name: "later"})

	type seen struct {
		scenario  string
		seed      uint64
		restarted bool
	}
	got := map[string]seen{}
	for _, sb := range r.All() {
		s := shapeOf(t, sb)
		restarted := len(s.groups) == 0
		assert.Equal(t, restarted, s.now.Year() == 2030, sb.Name())
		if before, was := old[sb.Name()]; was {
			now := latest(t, sb)
			assert.Equal(t, restarted, before.Generation != now.Generation, sb.Name())
			assert.Same(t, before.Journal, now.Journal, "the journal of %s goes on", sb.Name())
			assert.Equal(t, 1, s.exchanges, sb.Name())
		}
		got[sb.Name()] = seen{sb.Info().Scenario, latest(t, sb).Seed(), restarted}
	}
	assert.Equal(t, map[string]seen{
		"default":  {"two", 4, true},
		"follower": {"two", 4, true},
		"seeded":   {"two", 3, true}, // a seed from the creation stays
		"later":    {"two", 4, true},
		"own":      {"own", 1, false},
		"put":      {"put", 1, false},
		"fork":     {"frozen", 7, false}, // preserves a moment
	}, got)
	require.NoError(t, r.Default().Reset(ctx, ""))
	assert.Equal(t, "two", latest(t, r.Default()).Scenario.Name, "also at the next reset")
	origin := r.Origin()
	assert.True(t, origin.LoadedAt.After(first.LoadedAt))
	assert.Equal(t, sandbox.Origin{Scenario: two, LoadedAt: origin.LoadedAt}, origin)
}

// Bad content changes nothing, and neither does the return to the content in use.
func TestRefuse(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	first := r.Origin()
	alter(t, r.Default())
	before := shapeOf(t, r.Default())
	problem := errors.New("the file is empty")
	r.Refuse(problem)
	r.Refuse(problem)
	assert.Equal(t, sandbox.Origin{Scenario: first.Scenario, LoadedAt: first.LoadedAt, Problem: problem}, r.Origin())
	assert.Zero(t, r.SetScenario(parse(t, frozen)))
	assert.Equal(t, sandbox.Origin{Scenario: first.Scenario, LoadedAt: first.LoadedAt}, r.Origin())
	assert.Equal(t, before, shapeOf(t, r.Default()))
}
