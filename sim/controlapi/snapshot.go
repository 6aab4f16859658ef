package controlapi

import (
	"context"
	"net/http"
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
			"Save the world and its clock, or the start of a scenario. The random source is saved, too.", c.takeSnapshot).created().
			example(`{"name": "before"}`),
		inSandbox(c, "DELETE", "/snapshots/{snapshot}", "deleteSnapshot", "Delete a snapshot.", c.deleteSnapshot),
		inSandbox(c, "POST", "/snapshots/{snapshot}/restore", "restoreSnapshot", "Return to a snapshot.",
			c.restoreSnapshot),
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
	var taken sandbox.SnapshotInfo
	err = c.withScenario(ctx, wanted.Beginning, func(sc *scenario.Scenario) (err error) {
		switch {
		case sc != nil:
			taken, err = b.SnapshotOf(ctx, wanted.Name, sc, wanted.Seed)
		case wanted.Seed != nil:
			err = refuse(http.StatusBadRequest, "seed goes with scenario or scenarioYaml")
		default:
			taken, err = b.Snapshot(ctx, wanted.Name)
		}
		return err
	})
	return describeSnapshot(taken), err
}

func (c control) deleteSnapshot(ctx context.Context, b bank, in *SnapshotPath) (nothing, error) {
	return done(b.DeleteSnapshot(ctx, in.Snapshot))
}

func (c control) restoreSnapshot(ctx context.Context, b bank, in *SnapshotPath) (nothing, error) {
	return done(b.Restore(ctx, in.Snapshot))
}
