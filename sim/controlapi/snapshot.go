package controlapi

import (
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// addSnapshotCalls adds the calls about snapshots.
func (c control) addSnapshotCalls(a huma.API) {
	add(c, a, inSandbox("GET", "/snapshots", "listSnapshots", "All snapshots, sorted by name."),
		withSandbox(c, c.listSnapshots))
	add(c, a, inSandbox("POST", "/snapshots", "takeSnapshot",
		"Save the world and its clock. The random source is saved, too.").created(), withSandbox(c, c.takeSnapshot))
	add(c, a, inSandbox("DELETE", "/snapshots/{snapshot}", "deleteSnapshot", "Delete a snapshot."),
		withSandbox(c, c.deleteSnapshot))
	add(c, a, inSandbox("POST", "/snapshots/{snapshot}/restore", "restoreSnapshot", "Return to a snapshot."),
		withSandbox(c, c.restoreSnapshot))
}

// SnapshotPath is the input of a call about a snapshot.
type SnapshotPath struct {
	SandboxPath
	Snapshot string `path:"snapshot" doc:"The name of the snapshot."`
}

func describeSnapshot(s sandbox.SnapshotInfo) api.Snapshot {
	return api.Snapshot{Name: s.Name, Now: s.Now, TakenAt: s.TakenAt.UTC()}
}

func (c control) listSnapshots(ctx context.Context, b bank, in *SandboxPath) (*answer[api.Snapshots], error) {
	return reply(api.Snapshots{Snapshots: list(slices.Values(b.now.Snapshots()), describeSnapshot)}, nil)
}

type takeSnapshotInput struct {
	SandboxPath
	Body body[api.NewSnapshot]
}

func (c control) takeSnapshot(ctx context.Context, b bank, in *takeSnapshotInput) (*answer[api.Snapshot], error) {
	wanted, err := in.Body.decode()
	if err != nil {
		return nil, err
	}
	taken, err := b.Snapshot(ctx, wanted.Name)
	return reply(describeSnapshot(taken), err)
}

func (c control) deleteSnapshot(ctx context.Context, b bank, in *SnapshotPath) (*noBody, error) {
	return done(b.DeleteSnapshot(ctx, in.Snapshot))
}

func (c control) restoreSnapshot(ctx context.Context, b bank, in *SnapshotPath) (*noBody, error) {
	return done(b.Restore(ctx, in.Snapshot))
}
