package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// large matches numbers of rows that take long to generate.
var large = regexp.MustCompile(`(users|groups|accountsPerUser)["']?\s*:\s*[^\s,}]{5}`)

// requireResolves requires that a scenario loads to the same once it is resolved, unless it is too large then.
// fixed returns a scenario as it starts with a seed, and at a time.
func fixed(s *Scenario) *Scenario {
	seed := uint64(7)
	return s.At(&seed, ClockStart{Real: time.Unix(1, 0)})
}

func requireResolves(t *testing.T, s *Scenario) {
	t.Helper()
	resolved, err := s.Resolved()
	if errors.Is(err, ErrResolvedTooLarge) {
		return
	}
	require.NoError(t, err)
	alone, err := Parse("alone.yaml", resolved)
	require.NoError(t, err, "%s", resolved)
	s, alone = fixed(s), fixed(alone)
	require.Equal(t, []any{s.Name, s.Description, s.Seed, s.Start, s.Running, s.Faults},
		[]any{alone.Name, alone.Description, alone.Seed, alone.Start, alone.Running, alone.Faults}, "%s", resolved)
	require.True(t, s.World.Equal(alone.World), "%s", resolved)
}

// FuzzParse loads arbitrary sources, seeded with the embedded and the bad scenarios and testdata. The loader must
// either return problems, each with a position and a message, or a scenario that loads the same again, resolved too,
// and that can be saved and loaded.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(f, err)
		f.Add(source)
	}
	files, err := filepath.Glob(badFolder + "*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		if large.Match(source) {
			t.Skip("a bank of a million users is valid, but takes seconds to generate")
		}
		s, err := Parse("fuzz.yaml", source)
		if err == nil {
			again, err := Parse("fuzz.yaml", source)
			require.NoError(t, err)
			require.True(t, fixed(s).World.Equal(fixed(again).World))
			requireResolves(t, s)
			saved, err := Save(s.Bank())
			if !errors.Is(err, ErrBankTooLarge) {
				require.NoError(t, err)
				loaded, err := Parse("saved.yaml", saved)
				require.NoError(t, err, "%s", saved)
				require.Equal(t, CountRows(s.World), CountRows(loaded.World))
			}
			return
		}
		var problems Problems
		require.True(t, errors.As(err, &problems), "%v", err)
		require.NotEmpty(t, problems)
		for _, p := range problems {
			require.NotEmpty(t, p.Message)
			require.Positive(t, p.Line)
			require.Positive(t, p.Column)
		}
	})
}

// CountRows returns how many rows a world has, by table.
func CountRows(w *sim.World) map[string]int {
	counts := map[string]int{}
	for row := range w.Rows() {
		counts[row.Table]++
	}
	return counts
}
