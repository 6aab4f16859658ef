package controlapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now" about:"Virtual time in it."`
	TakenAt time.Time `json:"takenAt" about:"Real time."`
}

// snapshotPlan names a new snapshot.
type snapshotPlan struct {
	Name string `json:"name" required:"true" about:"1 to 63 of a-z, 0-9 and -, not beginning with -, and not start."`
}

// snapshotList lists snapshots.
type snapshotList struct {
	Snapshots []SnapshotInfo `json:"snapshots"`
}

func newSnapshotInfo(s sandbox.SnapshotInfo) SnapshotInfo {
	return SnapshotInfo{s.Name, s.Now, s.TakenAt.UTC()}
}

// listSnapshots answers {snapshots: [...]}, sorted by name.
func (a api) listSnapshots(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, snapshotList{list(slices.Values(sb.Snapshots()), newSnapshotInfo)})
}

// takeSnapshot takes {name} and saves the world, its random source and the virtual time under it. It refuses a bad name
// (400), one that is taken (409) and too many snapshots (429).
func (a api) takeSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body snapshotPlan
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
func (a api) deleteSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	if err := sb.DeleteSnapshot(pathVar(r, "snapshot")); err != nil {
		return err
	}
	return done(w)
}

// restoreSnapshot returns the world, its random source and the virtual time to a snapshot; 404 if there is none.
func (a api) restoreSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	if err := sb.Restore(pathVar(r, "snapshot")); err != nil {
		return err
	}
	return done(w)
}
