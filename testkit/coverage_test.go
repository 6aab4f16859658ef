package testkit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// written returns the file of coverage in a directory, which has no other file.
func written(t *testing.T, directory string) (name string, f coverage.File) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	content, err := os.ReadFile(filepath.Join(directory, entries[0].Name()))
	require.NoError(t, err)
	f, err = coverage.Decode(content)
	require.NoError(t, err)
	return entries[0].Name(), f
}

// metAccepted returns how often an operation was accepted, in all runs of a file.
func metAccepted(f coverage.File, operation string) (n uint64) {
	for _, o := range coverage.Summarize(f, false).Operations {
		for _, p := range o.Points {
			if o.Operation == operation && p.Kind == coverage.Accepted {
				n += p.ByBank
			}
		}
	}
	return n
}

func TestInsideMeets(t *testing.T) {
	skipOutside(t)
	for n := range 3 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			bank := testkit.Start(t)
			require.Equal(t, 200, createGroup(t, bank, "Night owls"))
		})
	}
	t.Run("in parallel", func(t *testing.T) {
		for n := range 3 {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				bank := testkit.Start(t)
				require.Equal(t, 200, createGroup(t, bank.Fork(), "Night owls"))
			})
		}
	})
}

// A test binary writes what all its tests met to one file, and its next run replaces that.
func TestCoverageIsWritten(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "of the", "suite")
	var names []string
	var ids []string
	for range 2 {
		out, passed := inside(t, "TestInsideMeets", "BANKSIM_COVERAGE="+directory)
		require.True(t, passed, out)
		name, f := written(t, directory)
		require.Len(t, f.Runs, 1)
		names, ids = append(names, name), append(ids, f.Runs[0].ID)
		assert.EqualValues(t, 6, metAccepted(f, "groups.create"))
		assert.EqualValues(t, 0, metAccepted(f, "groups.list"))
	}
	assert.Regexp(t, `^github\.com%2Fdigitalbanking-sim%2Fbanksim%2Ftestkit\.json$`, names[0])
	assert.Equal(t, names[0], names[1])
	assert.NotEqual(t, ids[0], ids[1])
}

// Where the file can't be written, the test that should have done it fails, and says why.
func TestCoverageThatCannotBeWritten(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	out, passed := inside(t, "TestInsideMeets", "BANKSIM_COVERAGE="+taken)
	assert.False(t, passed)
	assert.Contains(t, out, "testkit: writing the coverage, because BANKSIM_COVERAGE is set: mkdir "+taken+": not a directory")

	out, passed = inside(t, "TestInsideMeets", "BANKSIM_COVERAGE=coverage")
	assert.False(t, passed)
	assert.Contains(t, out,
		`because BANKSIM_COVERAGE is set: "coverage" is relative, and go test runs the tests of each package in a directory of their own: `+
			`name an absolute directory, such as "$PWD/coverage"`)
	assert.NoFileExists(t, "coverage")
}
