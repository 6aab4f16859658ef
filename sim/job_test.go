package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

func upload(t *testing.T, w *sim.World, groupID, kind, file string, now time.Time) *sim.Job {
	t.Helper()
	j, err := w.UploadParticipants(document(w), sim.Caller{}, "02688", groupID,
		sim.Upload{Type: kind, FileName: "p.csv", File: file}, now)
	require.NoError(t, err)
	return j
}

// participantsOf returns the participants of a group.
func participantsOf(t *testing.T, w *sim.World, groupID string) []string {
	t.Helper()
	g, known := w.Group("02688", groupID)
	require.True(t, known)
	participants := slices.Collect(g.Participants())
	assert.Len(t, participants, g.ParticipantCount)
	return participants
}

// newGroup creates a group and returns its id.
func newGroup(t *testing.T, w *sim.World, name string) string {
	t.Helper()
	g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: name}, start)
	require.NoError(t, err)
	return g.GroupID
}

// A job gets an id of its own, also where a scenario has the id that would be drawn.
func TestJobsKeepTheirIDs(t *testing.T) {
	before := newBank(t)
	drawn := upload(t, before, newGroup(t, before, "Owls"), "add", "ParticipantId\n1", start)
	w := newBank(t)
	require.NoError(t, w.AddJob(&sim.Job{InstitutionID: "02688", JobID: drawn.JobID, Status: sim.JobStatusFailed}))
	added := upload(t, w, newGroup(t, w, "Owls"), "add", "ParticipantId\n1", start)
	assert.NotEqual(t, drawn.JobID, added.JobID)
	kept, err := w.Job("02688", drawn.JobID)
	require.NoError(t, err)
	assert.Equal(t, sim.JobStatusFailed, kept.Status)
}

func TestRowsOfAFile(t *testing.T) {
	for file, want := range map[string]struct {
		status       string
		total, good  int
		participants []string
	}{
		"ParticipantId\r\n1001\r\n1002":             {sim.JobStatusSuccessful, 2, 2, []string{"1001", "1002"}},
		"\ufeff\"ParticipantId\"\n\"1001\"\n":       {sim.JobStatusSuccessful, 1, 1, []string{"1001"}},
		"ParticipantId":                             {sim.JobStatusSuccessful, 0, 0, nil},
		"ParticipantId,Name\n1001,x":                {sim.JobStatusFailed, 0, 0, []string{"old"}},
		"ParticipantId\n1001,x\na b\n\x80\né\n":     {sim.JobStatusFailed, 4, 0, []string{"old"}},
		"ParticipantId\n" + strings.Repeat("x", 33): {sim.JobStatusFailed, 1, 0, []string{"old"}},
		"ParticipantId\n" + strings.Repeat("x", 32): {sim.JobStatusSuccessful, 1, 1,
			[]string{strings.Repeat("x", 32)}},
		"ParticipantId\n" + strings.Repeat("\n", 20_000): {sim.JobStatusFailed, 20_000, 0, []string{"old"}},
	} {
		w := newBank(t)
		id := newGroup(t, w, "Owls")
		upload(t, w, id, sim.JobAdd, "ParticipantId\nold", start)
		w.EndJobs(start.Add(time.Minute))
		j := upload(t, w, id, sim.JobReplace, file, start.Add(time.Minute))
		w.EndJobs(start.Add(time.Hour))
		ended, err := w.Job("02688", j.JobID)
		require.NoError(t, err)
		assert.Equal(t, []any{want.status, want.total, want.good, want.total - want.good},
			[]any{ended.Status, ended.Total, ended.Succeeded, ended.Failed}, "%.40q", file)
		assert.LessOrEqual(t, len(ended.Errors), 10_000)
		assert.Equal(t, want.participants, participantsOf(t, w, id), "%.40q", file)
	}
}

// What uploads take is weighed, and given back when the group is deleted.
func TestImportsAreWeighed(t *testing.T) {
	w := newBank(t)
	rows, bytes := w.Added(), w.Bytes()
	id := newGroup(t, w, "Owls")
	file := "ParticipantId"
	for n := range 1000 {
		file += fmt.Sprintf("\n%d", n)
	}
	upload(t, w, id, sim.JobAdd, file, start)
	assert.Greater(t, w.Bytes(), bytes+1000*len("999"))
	w.EndJobs(start.Add(time.Hour))
	assert.Greater(t, w.Bytes(), bytes+1000*len("999"))
	require.NoError(t, w.DeleteGroup("02688", id))
	assert.Equal(t, []int{rows, bytes}, []int{w.Added(), w.Bytes()})

	before := w.Fork()
	w.LimitBytes(bytes + 2000)
	id = newGroup(t, w, "Owls")
	require.NoError(t, w.CheckLimits(before))
	before = w.Fork()
	upload(t, w, id, sim.JobAdd, file, start)
	err := w.CheckLimits(before)
	require.ErrorIs(t, err, sim.WorldFull)
	assert.ErrorContains(t, err, "no memory left", "the scenario's limit is not to blame")
	assert.NoError(t, w.CheckLimits(w), "it hasn't grown")
}

func TestJobsAreListedInOrder(t *testing.T) {
	w := newBank(t)
	var jobs []string
	for n, name := range []string{"B", "a", "C", "A"} { // the last two at the same time
		jobs = append(jobs, upload(t, w, newGroup(t, w, name), sim.JobAdd, "ParticipantId\n1",
			start.Add(time.Duration(min(n, 2))*time.Minute)).JobID)
	}
	oldestFirst := sim.SortKey{By: sim.ByInsertDateTime}
	newestFirst := sim.SortKey{By: sim.ByInsertDateTime, Descending: true}
	byNameInAnyCase := sim.SortKey{By: sim.ByJobGroupName, IgnoreCase: true}
	for _, test := range []struct {
		order          []sim.SortKey
		position, size int
		want           []int
	}{
		{nil, 0, 20, []int{3, 2, 1, 0}},
		{[]sim.SortKey{oldestFirst}, 0, 2, []int{0, 1}},
		{[]sim.SortKey{{By: sim.ByJobGroupName, Descending: true}}, 1, 20, []int{2, 0, 3}},
		{[]sim.SortKey{byNameInAnyCase, newestFirst}, 0, 20, []int{3, 1, 0, 2}},
		{[]sim.SortKey{oldestFirst, {By: sim.ByJobGroupName}}, 0, 20, []int{0, 1, 3, 2}},
		{nil, 4, 20, []int{}},
	} {
		page, total := w.ListJobs("02688", "", test.order, test.position, test.size)
		assert.Equal(t, 4, total)
		got := []int{}
		for _, j := range page {
			got = append(got, slices.Index(jobs, j.JobID))
		}
		assert.Equal(t, test.want, got, "%v", test)
	}
	_, total := w.ListJobs("05523", "", nil, 0, 20)
	assert.Zero(t, total, "another institution has none")
}
