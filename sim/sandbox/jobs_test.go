package sandbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// importing returns a sandbox with a group into which a job that takes 3 seconds imports a participant.
func importing(t *testing.T, sb *sandbox.Sandbox) (groupID string) {
	t.Helper()
	groupID = addGroup(t, sb, "Owls")
	require.NoError(t, sb.Change(func(m sandbox.Moment) error {
		_, err := m.World.UploadParticipants(sim.Caller{}, institution, groupID,
			sim.Upload{Type: "ADD", FileName: "p.csv", File: "ParticipantId\n1001"}, m.Now)
		return err
	}))
	return groupID
}

// imported returns the status of the only job, and how many participants its group has.
func imported(m sandbox.Moment) (status string, participants int) {
	for j := range m.World.Jobs(institution) {
		status = j.At(m.Now).Status
	}
	for g := range m.World.Groups(institution) {
		participants = g.ParticipantCount
	}
	return status, participants
}

func assertImported(t *testing.T, sb *sandbox.Sandbox, status string, participants int, why string) {
	t.Helper()
	got, count := imported(sb.Now())
	assert.Equal(t, status, got, why)
	assert.Equal(t, participants, count, why)
}

// Jobs end when the clock says so, whether or not somebody looks, and stay so where it goes back.
func TestJobsFollowTheClock(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	sb := r.Default()
	importing(t, sb)
	_, err := sb.Snapshot("before")
	require.NoError(t, err)
	assertImported(t, sb, sim.JobStatusCreated, 0, "it waits")
	advance(sb, time.Second)
	assertImported(t, sb, sim.JobStatusProcessing, 0, "it runs")
	early, err := r.Fork(sb, "early")
	require.NoError(t, err)

	advance(sb, time.Hour)
	advance(sb, -2*time.Hour)
	assertImported(t, sb, sim.JobStatusSuccessful, 1, "it has ended, though nobody looked before the clock went back")
	assertImported(t, early, sim.JobStatusProcessing, 0, "a fork has a clock of its own")
	late, err := r.Fork(sb, "late")
	require.NoError(t, err)
	assertImported(t, late, sim.JobStatusSuccessful, 1, "a fork has what the other had")

	require.NoError(t, sb.Restore("before"))
	assertImported(t, sb, sim.JobStatusCreated, 0, "the snapshot is as it was")
	advance(sb, 3*time.Second)
	changes, err := sb.Diff("before")
	require.NoError(t, err)
	rows := []string{}
	for c := range changes {
		rows = append(rows, c.Row[:6])
	}
	assert.Equal(t, []string{"groups", "partic", "jobs/0"}, rows)

	advance(early, -time.Second)
	assertImported(t, early, sim.JobStatusCreated, 0, "one that has not ended follows the clock back")
	early.Reset("")
	assertImported(t, early, sim.JobStatusProcessing, 0, "a reset returns to the start")
	advance(early, 2*time.Second)
	require.NoError(t, early.Change(func(m sandbox.Moment) error {
		status, participants := imported(m)
		assert.Equal(t, sim.JobStatusSuccessful, status, "a change sees it ended")
		assert.Equal(t, 1, participants)
		return nil
	}))
	sb.Reset("")
	assert.Empty(t, slices.Collect(sb.Now().World.Jobs(institution)))
}
