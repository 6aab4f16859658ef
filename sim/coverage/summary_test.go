package coverage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// Points of two operations, and one that no operation lists.
var (
	created       = ofCreate(`"kind":"accepted","status":200`)
	publicCreated = read(`{"operation":"groups.create","dialect":"public","kind":"accepted","status":200}`)
	taken         = ofCreate(`"kind":"refused","status":400,"code":"2004","rule":"group-exists"`)
	failed        = ofCreate(`"kind":"injected","status":500,"code":"2001"`)
	lostBefore    = ofCreate(`"kind":"connection","connection":"reset","phase":"before"`)
	lostAfter     = ofCreate(`"kind":"connection","connection":"reset","phase":"after"`)
	status        = read(
		`{"operation":"users.getStatus","dialect":"document","kind":"injected","status":500,"code":"CMN_90001"}`)
	teapot = ofCreate(`"kind":"injected","status":418`)
)

// ofCreate returns a point of groups.create in the document's dialect.
func ofCreate(members string) coverage.Point {
	return read(`{"operation":"groups.create","dialect":"document",` + members + "}")
}

// read returns a point as files have it.
func read(text string) (p coverage.Point) {
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		panic(err)
	}
	return p
}

// met returns a point that is possible, with its counts.
func met(p coverage.Point, byBank, injected uint64) coverage.PointCount {
	return coverage.PointCount{Point: p, Count: coverage.Count{ByBank: byBank, Injected: injected}, Possible: true}
}

func file(runs ...coverage.Run) coverage.File {
	return coverage.File{Format: coverage.Format, Runs: runs}
}

// operation returns what a summary says of an operation.
func operation(t *testing.T, s coverage.Summary, name string) coverage.OperationSummary {
	t.Helper()
	for _, o := range s.Operations {
		if o.Operation == name {
			return o
		}
	}
	require.Fail(t, "there is no operation "+name)
	return coverage.OperationSummary{}
}

// timesMet returns how often a summary says that a point was met.
func timesMet(t *testing.T, s coverage.Summary, p coverage.Point) coverage.Count {
	t.Helper()
	return countOf(t, coverage.Run{Points: operation(t, s, p.Operation).Points}, p)
}

func TestSummaryCountsAnswersOfOperationsThatWereCalled(t *testing.T) {
	f := file(coverage.Run{ID: "a", Points: []coverage.PointCount{
		met(created, 3, 0),
		met(taken, 0, 1),
		{Point: publicCreated},
		met(failed, 0, 0),
		met(lostBefore, 0, 1),
		met(lostAfter, 0, 0),
		met(status, 0, 0), // of an operation that was never called
	}})
	s := coverage.Summarize(f, false)
	create := operation(t, s, "groups.create")
	assert.True(t, create.Called)
	assert.Equal(t, coverage.Share{Possible: 3, Covered: 2, OnlyByFault: 1, NotCovered: 1}, create.Answers)
	assert.Equal(t, coverage.Share{Possible: 2, Covered: 1, OnlyByFault: 1, NotCovered: 1}, create.Connections)
	uncalled := operation(t, s, "users.getStatus")
	assert.False(t, uncalled.Called)
	assert.Equal(t, coverage.Share{Possible: 1, NotCovered: 1}, uncalled.Answers)
	assert.Equal(t, create.Answers, s.Total)
	assert.Equal(t, []coverage.Point{failed}, s.NotCovered())

	all := coverage.Summarize(f, true)
	assert.Equal(t, coverage.Share{Possible: 4, Covered: 2, OnlyByFault: 1, NotCovered: 2}, all.Total)
	assert.ElementsMatch(t, []coverage.Point{failed, status}, all.NotCovered())
}

// A call whose answer no description lists is a call. So is one whose answer only another version lists.
func TestSummaryOfAnswersBesides(t *testing.T) {
	renamed := ofCreate(`"kind":"refused","status":400,"code":"2004","rule":"other"`)
	s := coverage.Summarize(file(coverage.Run{
		ID:     "a",
		Points: []coverage.PointCount{met(created, 0, 0), met(renamed, 1, 0)},
		Other:  []coverage.PointCount{met(teapot, 0, 2)},
	}), false)
	create := operation(t, s, "groups.create")
	assert.True(t, create.Called)
	assert.Equal(t, []coverage.PointCount{met(teapot, 0, 2), met(renamed, 1, 0)}, create.Other)
	assert.Equal(t, coverage.Share{Possible: 1, NotCovered: 1}, s.Total)
}

// The counts of simulators are added. Of one simulator the largest counts: an early run, a late one, and those of
// sandboxes.
func TestSummaryAddsSimulators(t *testing.T) {
	run := func(id string, n uint64) coverage.Run {
		return coverage.Run{
			ID:      id,
			Points:  []coverage.PointCount{met(created, n, 0)},
			Entries: map[string]uint64{"groups.create.status": n},
		}
	}
	s := coverage.Summarize(
		file(run("a", 2), run("a", 5), run("a/1", 3), run("b", 7), run("c/1", 1), run("c/2", 1)), false,
	)
	assert.Equal(t, 3, s.Runs)
	assert.EqualValues(t, 5+7+1, timesMet(t, s, created).ByBank)
	assert.Equal(
		t, []coverage.EntryCount{{ID: "groups.create.status", Basis: s.Entries[0].Basis, Answers: 13}}, s.Entries,
	)
}

// An operation counts in the dialects in which it was called, in whatever run.
func TestSummaryOfDialects(t *testing.T) {
	for dialects, points := range map[string][2]coverage.PointCount{
		"public":          {met(created, 0, 0), met(publicCreated, 1, 0)},
		"document public": {met(created, 1, 0), met(publicCreated, 1, 0)},
		"document":        {met(created, 0, 0), met(publicCreated, 0, 0)}, // never called
	} {
		one, other := coverage.Run{ID: "a", Points: points[:1]}, coverage.Run{ID: "b", Points: points[1:]}
		var counts []string
		for _, m := range operation(t, coverage.Summarize(file(one, other), false), "groups.create").Points {
			if m.Possible {
				counts = append(counts, m.Dialect)
			}
		}
		assert.ElementsMatch(t, strings.Fields(dialects), counts)
	}
}
