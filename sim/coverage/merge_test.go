package coverage_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// points are some of two operations, and one that this version doesn't know.
var points = []coverage.Point{
	{Operation: "groups.create", Dialect: "document", Kind: coverage.Accepted, Status: 200},
	{Operation: "groups.create", Dialect: "document", Kind: coverage.Refused, Status: 400, Code: "2004", Rule: "group-exists"},
	{Operation: "groups.create", Dialect: "public", Kind: coverage.Accepted, Status: 200},
	{Operation: "groups.create", Dialect: "document", Kind: coverage.Connection, Connection: "reset", Phase: "before"},
	{Operation: "groups.create", Dialect: "document", Kind: coverage.Connection, Connection: "reset", Phase: "after"},
	{Operation: "users.getStatus", Dialect: "document", Kind: coverage.Injected, Status: 500, Code: "CMN_90001"},
	{Operation: "cards.block", Dialect: "spoken", Kind: "dreamt", Status: 299},
}

func drawFile(t *rapid.T) coverage.File {
	counts := rapid.SampledFrom([]uint64{0, 0, 1, 2, math.MaxUint64})
	met := rapid.Custom(func(t *rapid.T) coverage.Met {
		return coverage.Met{
			Point:    rapid.SampledFrom(points).Draw(t, "point"),
			Count:    coverage.Count{Naturally: counts.Draw(t, "naturally"), Injected: counts.Draw(t, "injected")},
			Possible: rapid.Bool().Draw(t, "possible"),
		}
	})
	some := rapid.SliceOfN(met, 0, 6)
	run := rapid.Custom(func(t *rapid.T) coverage.Run {
		return coverage.Run{
			ID:      rapid.SampledFrom([]string{"a", "a/1", "a/2", "b"}).Draw(t, "id"),
			Version: rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "version"),
			Started: time.Unix(rapid.Int64Range(0, 2).Draw(t, "started"), 0),
			Points:  some.Draw(t, "points"),
			Besides: some.Draw(t, "besides"),
			Entries: rapid.MapOfN(rapid.SampledFrom([]string{"groups.create.status", "cards.new"}), counts, 0, 2).Draw(t, "entries"),
		}
	})
	return coverage.File{Format: coverage.Format, Runs: rapid.SliceOfN(run, 0, 4).Draw(t, "runs")}
}

// It doesn't matter which files are merged first, in which order, and how often.
func TestMergeIsAssociativeCommutativeIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawFile(t), drawFile(t), drawFile(t)
		all := coverage.Merge(a, b, c)
		require.Equal(t, all, coverage.Merge(coverage.Merge(a, b), c))
		require.Equal(t, all, coverage.Merge(a, coverage.Merge(b, c)))
		require.Equal(t, all, coverage.Merge(c, a, b))
		require.Equal(t, all, coverage.Merge(all, b, all))
		require.Equal(t, coverage.Merge(a), coverage.Merge(a, a))
		require.Equal(t, coverage.Summarize(all), coverage.Summarize(coverage.File{Runs: slices.Concat(c.Runs, a.Runs, b.Runs)}))
	})
}

// Nothing that a file has is lost, and nothing counts more than in the file that has the most of it.
func TestMergeKeepsWhatFilesHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := []coverage.File{drawFile(t), drawFile(t)}
		most := map[string]map[coverage.Point]coverage.Count{}
		for _, f := range files {
			for _, r := range f.Runs {
				for _, p := range r.Points {
					if most[r.ID] == nil {
						most[r.ID] = map[coverage.Point]coverage.Count{}
					}
					n := most[r.ID][p.Point]
					most[r.ID][p.Point] = coverage.Count{Naturally: max(n.Naturally, p.Naturally), Injected: max(n.Injected, p.Injected)}
				}
			}
		}
		for _, r := range coverage.Merge(files...).Runs {
			got := map[coverage.Point]coverage.Count{}
			for _, p := range r.Points {
				got[p.Point] = p.Count
			}
			require.Len(t, got, len(r.Points), "a point is there twice")
			require.Len(t, got, len(most[r.ID]))
			for p, n := range most[r.ID] {
				require.Equal(t, n, got[p])
			}
		}
	})
}

// What was possible before an operation was called gives way to what is in the dialect in which it was called.
func TestMergeKeepsWhatIsPossibleOnceCalled(t *testing.T) {
	document := coverage.Met{Point: points[0], Possible: true}
	public := coverage.Met{Point: points[2], Count: coverage.Count{Naturally: 1}, Possible: true}
	before := file(coverage.Run{ID: "a", Points: []coverage.Met{document}})
	later := file(coverage.Run{ID: "a", Points: []coverage.Met{{Point: points[0]}, public}})
	assert.Equal(t, []coverage.Met{document}, coverage.Merge(before).Runs[0].Points)
	for _, merged := range []coverage.File{coverage.Merge(before, later), coverage.Merge(later, before)} {
		assert.Equal(t, []coverage.Met{{Point: points[0]}, public}, merged.Runs[0].Points)
	}
}

func file(runs ...coverage.Run) coverage.File {
	return coverage.File{Format: coverage.Format, Runs: runs}
}
