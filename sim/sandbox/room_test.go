package sandbox_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// All that sandboxes keep has a quarter of the memory limit, and one sandbox half of that.
func TestSandboxesShareTheMemory(t *testing.T) { // not parallel: it sets the memory limit
	before := debug.SetMemoryLimit(8 << 20)
	r := newRegistry(t)
	debug.SetMemoryLimit(before)
	ctx, sb := t.Context(), r.Default()
	fill := func(sb *sandbox.Sandbox) (added int) {
		change := newGroup("0")
		for ; sb.Change(ctx, change) == nil; change = newGroup(fmt.Sprint(added)) {
			added++
			require.Less(t, added, 5000)
		}
		require.ErrorIs(t, sb.Change(ctx, change), sim.WorldFull)
		return added
	}
	other := create(t, r, sandbox.Plan{})
	most := fill(sb)
	assert.Greater(t, most, 500)

	for name, tooMuch := range map[string]func() error{
		"snapshot": func() error {
			_, err := sb.Snapshot(ctx, "one")
			return err
		},
		"fork": func() error {
			_, err := r.Fork(ctx, sb, "fork", 0)
			return err
		},
		"scenario": func() error {
			sc := parse(t, frozen+"# "+strings.Repeat("x", 200_000)+"\n")
			return other.Restart(ctx, "", sc)
		},
		"faults": func() error {
			return other.Change(ctx, func(tx *sandbox.Tx) (err error) {
				large := fault.HeaderValues{strings.Repeat("x", 2<<20)}
				tx.Faults, _, err = tx.Faults.Add(fault.Rule{
					Operation: fault.Operations{"groups.list"}, Then: fault.Then{Headers: map[string]fault.HeaderValues{"x": large}},
				})
				return err
			})
		},
	} {
		require.ErrorIs(t, tooMuch(), sandbox.ErrNoRoom, name)
	}
	assert.InDelta(t, most, fill(other), 100, "one sandbox leaves half to the others")
	_, err := r.Create(ctx, sandbox.Plan{})
	require.ErrorIs(t, err, sandbox.ErrNoRoom)
	assert.ErrorContains(t, err, "give the simulator more memory")

	require.NoError(t, r.Delete(ctx, other))
	other = create(t, r, sandbox.Plan{})
	assert.InDelta(t, most, fill(other), 100)
	require.NoError(t, sb.Reset(ctx, ""))
	assert.InDelta(t, most, fill(sb), 100)
}

// The end of a job is not refused, even if there is no room for what it adds: nobody could read the bank otherwise.
func TestJobsEndInAFullSandbox(t *testing.T) { // not parallel: it sets the memory limit
	before := debug.SetMemoryLimit(8 << 20)
	r := newRegistry(t)
	debug.SetMemoryLimit(before)
	ctx, sb := t.Context(), r.Default()
	id, file := addGroup(t, sb, "large"), "ParticipantId"
	for n := range 8000 {
		file += fmt.Sprintf("\n%d", n)
	}
	require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) error {
		_, err := tx.World.UploadParticipants(tx.World.Policies().Document, sim.Caller{}, institution, id,
			sim.Upload{Type: sim.JobAdd, FileName: "p.csv", File: file}, tx.Now)
		return err
	}))
	for n := 0; sb.Change(ctx, newGroup(fmt.Sprint(n))) == nil; n++ {
		require.Less(t, n, 5000)
	}
	require.NoError(t, sb.Change(ctx, func(tx *sandbox.Tx) error {
		tx.Clock = tx.Clock.Advance(time.Hour, tx.Wall)
		return nil
	}))
	for g := range latest(t, sb).World.Groups(institution) {
		if g.Name == "large" {
			assert.Equal(t, 8000, g.ParticipantCount)
		}
	}
	require.NoError(t, sb.Reset(ctx, ""))
}

// Equal scenarios count once, as long as a sandbox has one.
func TestEqualScenariosShareTheirMemory(t *testing.T) { // not parallel: it sets the memory limit
	before := debug.SetMemoryLimit(16 << 20)
	r := newRegistry(t)
	debug.SetMemoryLimit(before)
	large := func(name string) sandbox.Plan {
		text := frozen + "description: " + name + "\n# " + strings.Repeat("x", 300_000) + "\n"
		return sandbox.Plan{Name: name, Scenario: parse(t, text)}
	}
	a := create(t, r, large("a"))
	equal := large("a")
	equal.Name = "a-2"
	other := create(t, r, equal)
	_, err := r.Create(t.Context(), large("b"))
	require.ErrorIs(t, err, sandbox.ErrNoRoom)
	require.ErrorIs(t, other.Restart(t.Context(), "", large("b").Scenario), sandbox.ErrNoRoom)
	require.NoError(t, r.Delete(t.Context(), a))
	_, err = r.Create(t.Context(), large("b"))
	require.ErrorIs(t, err, sandbox.ErrNoRoom)
	require.NoError(t, other.Restart(t.Context(), "", large("b").Scenario), "it takes the place of the first one")
	require.NoError(t, r.Delete(t.Context(), other))
	create(t, r, large("c"))
}
