package scenario_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"before.yaml": rich, "after.yaml": changed})
	before, after := filepath.Join(dir, "before.yaml"), filepath.Join(dir, "after.yaml")
	differences, err := scenario.Diff(before, after)
	require.NoError(t, err)
	assert.Equal(t, "1 account added, 1 token added, 1 group added, 1 institution added, "+
		"1 institution changed, 1 client changed, 1 disclosure changed, 1 account changed, 1 alert preference changed, 1 user changed, 1 token changed, 1 group changed, 1 setting changed, 2 switches changed, "+
		"1 disclosure removed, 1 user removed, 1 token removed", scenario.Summarize(differences))

	back, err := scenario.Diff(after, before)
	require.NoError(t, err)
	assert.Contains(t, scenario.Tallies(back), scenario.Tally{Verb: "added", Kind: "user", Count: 1})
	assert.Contains(t, scenario.Tallies(back), scenario.Tally{Verb: "removed", Kind: "institution", Count: 1})

	same, err := scenario.Diff(before, before)
	require.NoError(t, err)
	assert.Empty(t, scenario.Summarize(same))
}
