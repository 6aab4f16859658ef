package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Jobs end when the clock says so, whether or not somebody looks. They stay ended where it goes back.
func TestJobsFollowTheClock(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	ctx, sb := t.Context(), r.Default()
	groupID := addGroup(t, sb, "Owls")
	require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) error { // for 3 seconds
		_, err := tx.World.UploadParticipants(tx.World.Policies().Document, sim.Caller{}, institution, groupID,
			sim.Upload{Type: "ADD", FileName: "p.csv", File: "ParticipantId\n1001"}, tx.Now)
		return err
	}))
	_, err := sb.Snapshot(ctx, "before")
	require.NoError(t, err)
	assertJob := func(v sandbox.View, status string, participants int, why string) {
		t.Helper()
		for j := range v.World.Jobs(institution) {
			assert.Equal(t, status, j.At(v.Now).Status, why)
		}
		for g := range v.World.Groups(institution) {
			assert.Equal(t, participants, g.ParticipantCount, why)
		}
	}
	assertJob(latest(t, sb), sim.JobStatusCreated, 0, "it waits")
	advance(t, sb, time.Second)
	early, err := r.Fork(ctx, sb, "early", 0)
	require.NoError(t, err)

	advance(t, sb, time.Hour)
	advance(t, sb, -2*time.Hour)
	assertJob(latest(t, sb), sim.JobStatusSuccessful, 1, "it ended before the clock went back")
	assertJob(latest(t, early), sim.JobStatusProcessing, 0, "a fork has a clock of its own")
	require.NoError(t, sb.Restore(ctx, "before"))
	assertJob(latest(t, sb), sim.JobStatusCreated, 0, "the snapshot is as it was")
	advance(t, sb, 3*time.Second)
	assertJob(latest(t, sb), sim.JobStatusSuccessful, 1, "a look sees it ended")

	advance(t, early, time.Hour)
	require.NoError(t, early.Change(ctx, func(tx *sandbox.Tx) error {
		assertJob(tx.View, sim.JobStatusSuccessful, 1, "a change sees it ended")
		return nil
	}))
}
