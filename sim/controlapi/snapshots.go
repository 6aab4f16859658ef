package controlapi

import (
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// sinceStart is what a diff calls the start of a sandbox: no snapshot may have this name.
const sinceStart = "start"

// goodSnapshotName has the names of snapshots follow the rule of sandbox names.
var goodSnapshotName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now"`     // virtual time in it
	TakenAt time.Time `json:"takenAt"` // real time
}

func describeSnapshot(s sandbox.SnapshotInfo) SnapshotInfo {
	return SnapshotInfo{s.Name, s.Now, s.TakenAt.UTC()}
}

// listSnapshots answers {snapshots: [...]}, by name.
func (a api) listSnapshots(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	list := struct {
		Snapshots []SnapshotInfo `json:"snapshots"`
	}{}
	for _, s := range sb.Snapshots() {
		list.Snapshots = append(list.Snapshots, describeSnapshot(s))
	}
	return reply(w, list)
}

// takeSnapshot takes {name} and keeps the world, its random source and the virtual time under it. It refuses a bad
// name (400), one that is taken (409) and one snapshot more than there may be (429).
func (a api) takeSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body struct {
		Name string `json:"name"`
	}
	if err := decode(r, &body); err != nil {
		return err
	}
	switch {
	case body.Name == sinceStart:
		return refuse(http.StatusBadRequest, "name can't be %s: a diff calls the sandbox's own start so", sinceStart)
	case !goodSnapshotName.MatchString(body.Name):
		return refuse(http.StatusBadRequest, "name must be 1 to 63 of a-z, 0-9 and -, and not begin with -")
	}
	taken, err := sb.Snapshot(body.Name)
	switch {
	case errors.Is(err, sandbox.ErrSnapshotTaken):
		return refuse(http.StatusConflict, "%v", err)
	case errors.Is(err, sandbox.ErrTooManySnapshots):
		return refuse(http.StatusTooManyRequests, "%v", err)
	case err != nil:
		return err
	}
	return created(w, "", describeSnapshot(taken))
}

// restoreSnapshot puts the world, its random source and the virtual time back to a snapshot; 404 where there is none.
func (a api) restoreSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	if err := snapshotError(sb.Restore(pathVar(r, "snapshot"))); err != nil {
		return err
	}
	return done(w)
}

func snapshotError(err error) error {
	if errors.Is(err, sandbox.ErrNoSnapshot) {
		return refuse(http.StatusNotFound, "%v", err)
	}
	return err
}
