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
	require.NoError(t, sb.Change(t.Context(), func(tx *sandbox.Tx) error {
		_, err := tx.World.UploadParticipants(tx.World.Policies().Document, sim.Caller{}, institution, groupID,
			sim.Upload{Type: "ADD", FileName: "p.csv", File: "ParticipantId\n1001"}, tx.Now)
		return err
	}))
	return groupID
}

// imported returns the status of the only job, and how many participants its group has.
func imported(v sandbox.View) (status string, participants int) {
	for j := range v.World.Jobs(institution) {
		status = j.At(v.Now).Status
	}
	for g := range v.World.Groups(institution) {
		participants = g.ParticipantCount
	}
	return status, participants
}

func assertImported(t *testing.T, sb *sandbox.Sandbox, status string, participants int, why string) {
	t.Helper()
	got, count := imported(latest(t, sb))
	assert.Equal(t, status, got, why)
	assert.Equal(t, participants, count, why)
}

// Jobs end when the clock says so, whether or not somebody looks. They stay ended where it goes back.
func TestJobsFollowTheClock(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	ctx, sb := t.Context(), r.Default()
	importing(t, sb)
	_, err := sb.Snapshot(ctx, "before")
	require.NoError(t, err)
	assertImported(t, sb, sim.JobStatusCreated, 0, "it waits")
	advance(t, sb, time.Second)
	assertImported(t, sb, sim.JobStatusProcessing, 0, "it runs")
	early, err := r.Fork(ctx, sb, "early", 0)
	require.NoError(t, err)

	advance(t, sb, time.Hour)
	advance(t, sb, -2*time.Hour)
	assertImported(t, sb, sim.JobStatusSuccessful, 1, "it ended before the clock went back")
	assertImported(t, early, sim.JobStatusProcessing, 0, "a fork has a clock of its own")
	late, err := r.Fork(ctx, sb, "late", 0)
	require.NoError(t, err)
	assertImported(t, late, sim.JobStatusSuccessful, 1, "a fork has what the other had")

	require.NoError(t, sb.Restore(ctx, "before"))
	assertImported(t, sb, sim.JobStatusCreated, 0, "the snapshot is as it was")
	advance(t, sb, 3*time.Second)
	rows := changedRows(t, sb, "before")
	for i := range rows {
		rows[i] = rows[i][:6]
	}
	assert.Equal(t, []string{"groups", "partic", "jobs/0"}, rows)

	advance(t, early, -time.Second)
	assertImported(t, early, sim.JobStatusCreated, 0, "one that has not ended follows the clock back")
	require.NoError(t, early.Reset(ctx, ""))
	assertImported(t, early, sim.JobStatusProcessing, 0, "a reset returns to the start")
	advance(t, early, 2*time.Second)
	require.NoError(t, early.Change(ctx, func(tx *sandbox.Tx) error {
		status, participants := imported(tx.View)
		assert.Equal(t, sim.JobStatusSuccessful, status, "a change sees it ended")
		assert.Equal(t, 1, participants)
		return nil
	}))
	require.NoError(t, sb.Reset(ctx, ""))
	assert.Empty(t, slices.Collect(latest(t, sb).World.Jobs(institution)))
}
