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

func TestInsideCovers(t *testing.T) {
	skipOutside(t)
	for n := range 6 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 2 {
				t.Parallel()
			}
			require.Equal(t, 200, createGroup(testkit.Start(t).Fork(), "Night owls"))
		})
	}
}

// accepted returns how often an operation was accepted.
func accepted(f coverage.File, operation string) (n uint64) {
	for _, o := range coverage.Summarize(f, false).Operations {
		for _, p := range o.Points {
			if o.Operation == operation && p.Kind == coverage.Accepted {
				n += p.ByBank
			}
		}
	}
	return n
}

// A test binary writes what all its tests covered to one file, and its next run replaces that.
func TestCoverageIsWritten(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "of the", "suite")
	ids := map[string]bool{}
	for range 2 {
		out, passed := inside("^TestInsideCovers$", "BANKSIM_COVERAGE="+directory)
		require.True(t, passed, out)
		entries, err := os.ReadDir(directory)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		assert.Equal(t, "github.com%2Fdigitalbanking-sim%2Fbanksim%2Ftestkit.json", entries[0].Name())
		content, err := os.ReadFile(filepath.Join(directory, entries[0].Name()))
		require.NoError(t, err)
		f, err := coverage.Decode(content)
		require.NoError(t, err)
		require.Len(t, f.Runs, 1)
		ids[f.Runs[0].ID] = true
		assert.EqualValues(t, 6, accepted(f, testkit.GroupsCreate))
	}
	assert.Len(t, ids, 2)
}

// Where the file can't be written, the test that should have done it fails, and says why.
func TestCoverageThatCannotBeWritten(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	for directory, want := range map[string]string{
		taken: "mkdir " + taken + ": not a directory",
		"coverage": `"coverage" is relative, and go test runs the tests of each package in a directory of their own: ` +
			`name an absolute directory, such as "$PWD/coverage"`,
	} {
		t.Setenv("BANKSIM_COVERAGE", directory)
		text := failure(t, func(t testing.TB) { testkit.Start(t) })
		assert.Contains(t, text, "testkit: writing the coverage, because BANKSIM_COVERAGE is set: "+want)
	}
	assert.NoFileExists(t, "coverage")
}
