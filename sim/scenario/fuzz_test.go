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

// RequireSame requires that two scenarios start the same bank.
func RequireSame(t require.TestingT, want, got *Scenario, about ...any) {
	want, got = Fixed(want), Fixed(got)
	require.True(t, want.World.Equal(got.World), about...)
	require.Equal(t, []any{want.Faults, want.Start, want.Running}, []any{got.Faults, got.Start, got.Running}, about...)
}

// Fixed returns a scenario as it starts with a seed, and at a time.
func Fixed(s *Scenario) *Scenario {
	seed := uint64(7)
	return s.At(&seed, ClockStart{Real: time.Unix(1, 0)})
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
			RequireSame(t, s, again)
			if resolved, err := s.Resolved(); !errors.Is(err, ErrResolvedTooLarge) {
				require.NoError(t, err)
				alone, err := Parse("alone.yaml", resolved)
				require.NoError(t, err, "%s", resolved)
				RequireSame(t, s, alone, string(resolved))
				require.Equal(t, []string{s.Name, s.Description}, []string{alone.Name, alone.Description})
			}
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
