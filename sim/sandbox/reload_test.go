package sandbox_test

import (
	"fmt"
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
	own := parse(t, "name: own\nextends: base\nseed: 1\nclock: {start: 2026-01-15T09:00:00Z}\n")
	three := uint64(3)
	create(t, r, sandbox.Plan{Name: "follower"})
	create(t, r, sandbox.Plan{Name: "seeded", Seed: &three})
	create(t, r, sandbox.Plan{Name: "own", Scenario: own})
	require.NoError(t, create(t, r, sandbox.Plan{Name: "put"}).Restart(ctx, "", own))
	_, err := r.Fork(ctx, r.Default(), "fork", 0)
	require.NoError(t, err)
	old := map[string]sandbox.View{}
	for _, sb := range r.All() {
		alter(t, sb)
		old[sb.Name()] = latest(t, sb)
	}

	two := parse(t, "name: two\nextends: base\nseed: 4\nclock: {start: 2030-01-01T00:00:00Z, run: false}\n")
	changed, restarted := r.SetScenario(two)
	assert.Equal(t, 3, changed)
	assert.True(t, restarted)
	create(t, r, sandbox.Plan{Name: "later"})

	got := map[string]string{}
	for _, sb := range r.All() {
		now := latest(t, sb)
		if before, was := old[sb.Name()]; was {
			assert.Same(t, before.Journal, now.Journal, "the journal of %s goes on", sb.Name())
			assert.Equal(t, 1, shapeOf(t, sb).exchanges, sb.Name())
		}
		got[sb.Name()] = fmt.Sprint(sb.Info().Scenario, " ", now.Seed(), " ", now.Now.Year(), " ", groups(now))
	}
	assert.Equal(t, map[string]string{
		"default":  "two 4 2030 []",
		"follower": "two 4 2030 []",
		"seeded":   "two 3 2030 []", // a seed from the creation stays
		"later":    "two 4 2030 []",
		"own":      "own 1 2026 [Altered]",
		"put":      "own 1 2026 [Altered]",
		"fork":     "frozen 7 2026 [Altered]", // preserves a moment
	}, got)
	require.NoError(t, r.Default().Reset(ctx, ""))
	assert.Equal(t, "two", latest(t, r.Default()).Scenario.Name, "also at the next reset")
	origin := r.Origin()
	assert.True(t, origin.LoadedAt.After(first.LoadedAt))
	assert.Equal(t, sandbox.Origin{Scenario: two, LoadedAt: origin.LoadedAt}, origin)
}
