package coverage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// met returns a point that is possible, with its counts.
func met(p coverage.Point, naturally, injected uint64) coverage.Met {
	return coverage.Met{Point: p, Count: coverage.Count{Naturally: naturally, Injected: injected}, Possible: true}
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

func TestSummaryCountsAnswersOfOperationsThatWereCalled(t *testing.T) {
	impossible := coverage.Met{Point: points[2]}
	s := coverage.Summarize(file(coverage.Run{ID: "a", Points: []coverage.Met{
		met(points[0], 3, 0), met(points[1], 0, 1), impossible, met(points[3], 0, 1), met(points[4], 0, 0),
		met(points[5], 0, 0), // of an operation that was never called
		met(coverage.Point{Operation: "groups.create", Dialect: "document", Kind: coverage.Injected, Status: 500, Code: "2001"}, 0, 0),
	}}))
	create := operation(t, s, "groups.create")
	assert.True(t, create.Called)
	assert.Equal(t, coverage.Share{Possible: 3, Met: 2, OnlyByFault: 1, NeverMet: 1, PercentRounded: 66}, create.Answers)
	assert.Equal(t, coverage.Share{Possible: 2, Met: 1, OnlyByFault: 1, NeverMet: 1, PercentRounded: 50}, create.Connections)
	status := operation(t, s, "users.getStatus")
	assert.False(t, status.Called)
	assert.Equal(t, coverage.Share{Possible: 1, NeverMet: 1}, status.Answers)
	assert.Equal(t, create.Answers, s.Total)
	require.Len(t, s.NeverMet(), 1)
	assert.Equal(t, "2001", s.NeverMet()[0].Code)

	all := s.CountAll()
	assert.Equal(t, coverage.Share{Possible: 4, Met: 2, OnlyByFault: 1, NeverMet: 2, PercentRounded: 50}, all.Total)
	assert.Len(t, all.NeverMet(), 2)
	assert.False(t, s.All, "the summary itself stays")
}

// All operations are in a summary, also of a file that has none.
func TestSummaryOfNothing(t *testing.T) {
	s := coverage.Summarize(coverage.File{})
	require.Len(t, s.Operations, len(contract.Operations))
	for i, op := range contract.Operations {
		assert.Equal(t, op.Name, s.Operations[i].Operation)
		assert.False(t, s.Operations[i].Called)
	}
	assert.Equal(t, coverage.Share{PercentRounded: 100}, s.Total)
	assert.Empty(t, s.NeverMet())
}

// A call whose answer no description lists is a call.
func TestSummaryOfAnswersBesides(t *testing.T) {
	teapot := met(coverage.Point{Operation: "groups.create", Dialect: "document", Status: 418}, 0, 2)
	s := coverage.Summarize(file(coverage.Run{ID: "a", Points: []coverage.Met{met(points[0], 0, 0)}, Besides: []coverage.Met{teapot}}))
	create := operation(t, s, "groups.create")
	assert.True(t, create.Called)
	assert.Equal(t, []coverage.Met{teapot}, create.Besides)
	assert.Equal(t, coverage.Share{Possible: 1, NeverMet: 1}, s.Total)
}

// The counts of simulators are added; those of sandboxes are a part of their simulator's.
func TestSummaryAddsSimulators(t *testing.T) {
	run := func(id string, n, entries uint64) coverage.Run {
		return coverage.Run{ID: id, Points: []coverage.Met{met(points[0], n, 0)}, Entries: map[string]uint64{"groups.create.status": entries}}
	}
	s := coverage.Summarize(file(run("a", 5, 5), run("a/1", 2, 2), run("a/2", 1, 1), run("b", 7, 7), run("c/1", 1, 1), run("c/2", 1, 1)))
	assert.Equal(t, 3, s.Runs)
	assert.EqualValues(t, 5+7+2, operation(t, s, "groups.create").Points[0].Naturally)
	require.Len(t, s.Entries, 1)
	assert.EqualValues(t, 14, s.Entries[0].Answers)

	s = coverage.Summarize(file(run("a", 2, 2), run("a/1", 2, 2), run("a/2", 1, 1)))
	assert.EqualValues(t, 3, operation(t, s, "groups.create").Points[0].Naturally, "the sandboxes went on after the whole was written")
}

// An operation counts by what is possible in the runs that called it: others don't know in which dialect it is.
func TestSummaryOfDialectsThatDiffer(t *testing.T) {
	document, public := met(points[0], 0, 0), met(points[2], 1, 0)
	s := coverage.Summarize(file(coverage.Run{ID: "a", Points: []coverage.Met{document}}, coverage.Run{ID: "b", Points: []coverage.Met{public}}))
	assert.Equal(t, coverage.Share{Possible: 1, Met: 1, PercentRounded: 100}, s.Total)
}

// Points, operations and entries of other versions stay, behind those of this one.
func TestSummaryKeepsWhatItDoesNotKnow(t *testing.T) {
	s := coverage.Summarize(file(coverage.Run{ID: "a", Points: []coverage.Met{met(points[6], 4, 0), met(points[0], 1, 0)}, Entries: map[string]uint64{"cards.new": 4, "groups.create.status": 1}}))
	last := s.Operations[len(s.Operations)-1]
	assert.Equal(t, "cards.block", last.Operation)
	assert.Equal(t, []coverage.Met{met(points[6], 4, 0)}, last.Points)
	assert.Equal(t, coverage.EntryCount{ID: "cards.new", Answers: 4}, s.Entries[len(s.Entries)-1])
}

func TestOnlySomeOperations(t *testing.T) {
	f := file(coverage.Run{ID: "a", Points: []coverage.Met{met(points[0], 1, 0), met(points[5], 1, 0)}, Entries: map[string]uint64{
		"groups.create.status": 1, "groups.create.body": 1, "everywhere.messages": 1,
	}})
	s := coverage.Summarize(coverage.Only(f, func(name string) bool { return name == "groups.create" }))
	assert.True(t, operation(t, s, "groups.create").Called)
	assert.False(t, operation(t, s, "users.getStatus").Called)
	require.Len(t, s.Entries, 1, "the others are about more operations")
	assert.Equal(t, "groups.create.status", s.Entries[0].ID)
	assert.Len(t, f.Runs[0].Points, 2, "the file itself stays")

	s = coverage.Summarize(coverage.Only(f, func(name string) bool { return strings.HasPrefix(name, "groups.") }))
	assert.Len(t, s.Entries, 2)
}
