package controlapi

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

func newSnapshotInfo(s sandbox.SnapshotInfo) api.Snapshot {
	return api.Snapshot{Name: s.Name, Now: s.Now, TakenAt: s.TakenAt.UTC()}
}

// listSnapshots answers {snapshots: [...]}, sorted by name.
func (a control) listSnapshots(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, api.Snapshots{Snapshots: list(slices.Values(sb.Snapshots()), newSnapshotInfo)})
}

// takeSnapshot takes {name} and saves the world, its random source and the virtual time under it. It refuses a bad name
// (400), one that is taken (409) and too many snapshots (429).
func (a control) takeSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body api.NewSnapshot
	if err := decode(r, &body); err != nil {
		return err
	}
	taken, err := sb.Snapshot(body.Name)
	if err != nil {
		return err
	}
	return created(w, newSnapshotInfo(taken))
}

// deleteSnapshot deletes a snapshot; 404 if there is none.
func (a control) deleteSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	if err := sb.DeleteSnapshot(pathVar(r, "snapshot")); err != nil {
		return err
	}
	return done(w)
}

// restoreSnapshot returns the world, its random source and the virtual time to a snapshot; 404 if there is none.
func (a control) restoreSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	if err := sb.Restore(pathVar(r, "snapshot")); err != nil {
		return err
	}
	return done(w)
}
