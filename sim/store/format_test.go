package store_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// ofFormat returns the directory of a file that a program with a format has written: a bank with a group, a snapshot, a
// fault that has counted a request, a fork of that, and then one more group.
func ofFormat(t *testing.T, number string) (dir string) {
	t.Helper()
	packed, err := os.Open("testdata/banks-" + number + ".db.gz")
	require.NoError(t, err)
	defer packed.Close()
	data, err := gzip.NewReader(packed)
	require.NoError(t, err)
	dir = t.TempDir()
	file, err := os.OpenFile(filepath.Join(dir, "banks.db"), os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer file.Close()
	_, err = io.Copy(file, data)
	require.NoError(t, err)
	return dir
}

// Each format that a program has written is read, or refused with what to do.
func TestFormats(t *testing.T) {
	t.Parallel()
	_, err := store.OpenFile(ofFormat(t, "1"))
	assert.ErrorContains(t, err, "has format 1, and this version reads format 2 alone: save each bank with the version")

	sc, err := scenario.Load("base")
	require.NoError(t, err)
	ctx := t.Context()
	r, wasStored, err := sandbox.OpenRegistry(ctx, sandbox.Config{Scenario: sc}, open(t, ofFormat(t, "2")))
	require.NoError(t, err)
	defer r.Close()
	assert.True(t, wasStored)
	groups := func(sb *sandbox.Sandbox) (names []string) {
		for g := range sb.Known().World.Groups("02688") {
			names = append(names, g.Name)
		}
		return names
	}
	sb := r.Default()
	fork, err := r.Find(ctx, "fork")
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"kept", "later"}, groups(sb))
	assert.Equal(t, []string{"kept"}, groups(fork))
	assert.Equal(t, "stored", sb.Info().Scenario)
	assert.EqualValues(t, 2, sb.Known().Changes())
	assert.EqualValues(t, 1, sb.Known().Faults.Counts()[0].Fired)
	require.NoError(t, sb.Restore(ctx, "one"))
	assert.Equal(t, []string{"kept"}, groups(sb))
	require.NoError(t, fork.Reset(ctx, ""))
	assert.Equal(t, []string{"kept"}, groups(fork))
	require.NoError(t, sb.Reset(ctx, ""))
	assert.Empty(t, groups(sb))
}
