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

// groupOf returns a group with its participants.
func groupOf(t *testing.T, w *sim.World, groupID string) (count int, participants []string) {
	t.Helper()
	for g := range w.Groups("02688") {
		if g.GroupID == groupID {
			return g.ParticipantCount, slices.Collect(g.Participants())
		}
	}
	require.Fail(t, "there is no such group")
	return 0, nil
}

func newGroup(t testing.TB, w *sim.World, name string) string {
	t.Helper()
	g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: name}, start)
	require.NoError(t, err)
	return g.GroupID
}

// The state of a job follows from the time, and its participants come all at once, at its end.
func TestJobOverTime(t *testing.T) {
	w := newBank(t)
	id := newGroup(t, w, "Owls")
	j := upload(t, w, id, "add", "ParticipantId\n1001\n\n1001\n7", start)
	for after, want := range map[time.Duration]string{
		-time.Hour: sim.JobStatusCreated, 0: sim.JobStatusCreated,
		time.Second: sim.JobStatusProcessing, time.Hour: sim.JobStatusProcessing,
	} {
		seen := j.At(start.Add(after))
		assert.Equal(t, want, seen.Status, after)
		assert.Zero(t, seen.Total+seen.Succeeded+seen.Failed+len(seen.Errors))
	}
	assert.False(t, w.Due(start.Add(2999*time.Millisecond)))
	require.True(t, w.Due(start.Add(3*time.Second)))
	before := w.Fork()
	w.EndJobs(start.Add(time.Hour))
	assert.False(t, w.Due(start.Add(time.Hour)))
	ended, err := w.Job("02688", j.JobID)
	require.NoError(t, err)
	seen := ended.At(start) // also where the clock has gone back
	assert.Equal(t, []any{sim.JobStatusPartialSuccess, 4, 2, 2, start.Add(3 * time.Second)},
		[]any{seen.Status, seen.Total, seen.Succeeded, seen.Failed, seen.Updated})
	assert.Equal(t, []int{3, 4}, []int{seen.Errors[0].Line, seen.Errors[1].Line})
	count, participants := groupOf(t, w, id)
	assert.Equal(t, 2, count)
	assert.Equal(t, []string{"1001", "7"}, participants)
	count, participants = groupOf(t, before, id)
	assert.Zero(t, count+len(participants), "the fork before it has none")

	changed := []string{}
	for c := range w.Diff(start.Add(time.Hour), before, start) {
		changed = append(changed, c.Row)
	}
	assert.Equal(t, []string{"groups/02688/" + id, "participants/02688/" + id + "/1001",
		"participants/02688/" + id + "/7",
		"jobs/02688/" + j.JobID}, changed)
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
		"ParticipantId\n\n":                         {sim.JobStatusFailed, 1, 0, []string{"old"}},
		"ParticipantId,Name\n1001,x":                {sim.JobStatusFailed, 0, 0, []string{"old"}},
		"1001\n1002":                                {sim.JobStatusFailed, 0, 0, []string{"old"}},
		"ParticipantId\n1001,x\na b\n\x80\né\n":     {sim.JobStatusFailed, 4, 0, []string{"old"}},
		"ParticipantId\n" + strings.Repeat("x", 33): {sim.JobStatusFailed, 1, 0, []string{"old"}},
		"ParticipantId\n" + strings.Repeat("x", 32): {sim.JobStatusSuccessful, 1, 1,
			[]string{strings.Repeat("x", 32)}},
		"ParticipantId\n1001\n1001\n1002\n1001":          {sim.JobStatusPartialSuccess, 4, 2, []string{"1001", "1002"}},
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
		_, participants := groupOf(t, w, id)
		assert.Equal(t, want.participants, participants, "%.40q", file)
	}
}

// What uploads take is counted, and given back when the group is deleted.
func TestImportsAreCounted(t *testing.T) {
	w := newBank(t)
	rows := w.Added()
	id := newGroup(t, w, "Owls")
	file := "ParticipantId"
	for n := range 1000 {
		file += fmt.Sprintf("\n%d", n)
	}
	upload(t, w, id, sim.JobAdd, file, start)
	during := w.Added()
	assert.Equal(t, rows+2+50, during)
	w.EndJobs(start.Add(time.Hour))
	assert.Equal(t, during, w.Added(), "there was room for what it leaves")
	require.NoError(t, w.DeleteGroup("02688", id))
	assert.Equal(t, rows, w.Added())

	w.LimitRows(rows + 20)
	id = newGroup(t, w, "Owls")
	_, err := w.UploadParticipants(document(w), sim.Caller{}, "02688", id,
		sim.Upload{Type: sim.JobAdd, FileName: "p.csv", File: file}, start)
	require.ErrorIs(t, err, sim.WorldFull)
	assert.ErrorContains(t, err, "no memory left", "the scenario's limit is not to blame")
}

func TestJobsAreListedInOrder(t *testing.T) {
	w := newBank(t)
	var jobs []string
	for n, name := range []string{"B", "a", "C", "A"} { // the last two at the same time
		jobs = append(jobs, upload(t, w, newGroup(t, w, name), sim.JobAdd, "ParticipantId\n1",
			start.Add(time.Duration(min(n, 2))*time.Minute)).JobID)
	}
	oldestFirst, byName := sim.SortKey{By: sim.ByInsertDateTime}, sim.SortKey{By: sim.ByJobGroupName}
	newestFirst := sim.SortKey{By: sim.ByInsertDateTime, Descending: true}
	byNameInAnyCase := sim.SortKey{By: sim.ByJobGroupName, IgnoreCase: true}
	for _, test := range []struct {
		order          []sim.SortKey
		position, size int
		want           []int
	}{
		{nil, 0, 20, []int{3, 2, 1, 0}},
		{nil, 1, 1, []int{2}},
		{[]sim.SortKey{oldestFirst}, 0, 2, []int{0, 1}},
		{[]sim.SortKey{byName}, 0, 20, []int{3, 0, 2, 1}},
		{[]sim.SortKey{{By: sim.ByJobGroupName, Descending: true}}, 1, 20, []int{2, 0, 3}},
		{[]sim.SortKey{byNameInAnyCase}, 0, 20, []int{1, 3, 0, 2}},
		{[]sim.SortKey{byNameInAnyCase, newestFirst}, 0, 20, []int{3, 1, 0, 2}},
		{[]sim.SortKey{oldestFirst, byName}, 0, 20, []int{0, 1, 3, 2}},
		{[]sim.SortKey{newestFirst, {By: sim.ByJobGroupName, Descending: true}}, 0, 20, []int{2, 3, 1, 0}},
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
	page, total := w.ListJobs("02688", "nobodys", nil, 0, 20)
	assert.Empty(t, page)
	assert.Zero(t, total)
	page, total = w.ListJobs("05523", "", nil, 0, 20)
	assert.Empty(t, page)
	assert.Zero(t, total, "another institution has none")
}

func TestErrorsAreListedInOrder(t *testing.T) {
	j := sim.Job{Errors: []sim.JobError{{Line: 1, Message: "b"}, {Line: 2, Message: "B"}, {Line: 3, Message: "a"}}}
	lines := func(order ...sim.SortKey) (lines []int) {
		for _, e := range j.SortedErrors(order) {
			lines = append(lines, e.Line)
		}
		return lines
	}
	assert.Equal(t, []int{3, 2, 1}, lines(sim.SortKey{By: sim.ByLineNbr, Descending: true}))
	assert.Equal(t, []int{2, 3, 1}, lines(sim.SortKey{By: sim.ByErrorMsg}))
	assert.Equal(t, []int{3, 1, 2}, lines(sim.SortKey{By: sim.ByErrorMsg, IgnoreCase: true}))
}
