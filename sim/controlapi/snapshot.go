package controlapi

import (
	"context"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// snapshotCalls returns the calls about snapshots.
func (c control) snapshotCalls() []Call {
	return []Call{
		inSandbox(c, "GET", "/snapshots", "listSnapshots", "All snapshots, sorted by name.", c.listSnapshots),
		inSandbox(c, "POST", "/snapshots", "takeSnapshot",
			"Save the world and its clock. The random source is saved, too.", c.takeSnapshot).created().
			example(`{"name": "before"}`),
		inSandbox(c, "DELETE", "/snapshots/{snapshot}", "deleteSnapshot", "Delete a snapshot.", c.deleteSnapshot),
		inSandbox(c, "POST", "/snapshots/{snapshot}/restore", "restoreSnapshot", "Return to a snapshot.",
			c.restoreSnapshot),
		inSandbox(c, "POST", "/begin", "beginAgain",
			"Return world and clock to the start, or to that of another scenario. Unlike a reset, it leaves the "+
				"faults, the journal and the snapshots.", c.beginAgain).example(`{"scenario": "empty", "seed": 7}`),
	}
}

// SnapshotPath is the input of a call about a snapshot.
type SnapshotPath struct {
	SandboxPath
	Snapshot string `path:"snapshot" doc:"The name of the snapshot."`
}

func describeSnapshot(s sandbox.SnapshotInfo) api.Snapshot {
	return api.Snapshot{Name: s.Name, Now: s.Now, TakenAt: s.TakenAt.UTC()}
}

func (c control) listSnapshots(ctx context.Context, b bank, in *SandboxPath) (api.Snapshots, error) {
	return api.Snapshots{Snapshots: list(slices.Values(b.now.Snapshots()), describeSnapshot)}, nil
}

type takeSnapshotInput struct {
	SandboxPath
	Body body[api.NewSnapshot]
}

func (c control) takeSnapshot(ctx context.Context, b bank, in *takeSnapshotInput) (api.Snapshot, error) {
	wanted, err := in.Body.decode()
	if err != nil {
		return api.Snapshot{}, err
	}
	taken, err := b.Snapshot(ctx, wanted.Name)
	return describeSnapshot(taken), err
}

type beginInput struct {
	SandboxPath
	Body body[api.Beginning]
}

func (c control) beginAgain(ctx context.Context, b bank, in *beginInput) (nothing, error) {
	wanted, err := in.Body.decode()
	if err != nil {
		return nothing{}, err
	}
	return done(c.withScenario(ctx, wanted, func(sc *scenario.Scenario) error {
		return b.Begin(ctx, sc, wanted.Seed)
	}))
}

func (c control) deleteSnapshot(ctx context.Context, b bank, in *SnapshotPath) (nothing, error) {
	return done(b.DeleteSnapshot(ctx, in.Snapshot))
}

func (c control) restoreSnapshot(ctx context.Context, b bank, in *SnapshotPath) (nothing, error) {
	return done(b.Restore(ctx, in.Snapshot))
}
