package sim

import (
	"slices"
	"time"
)

// UpdateGroup replaces the name and the description of an active group (published). The type and the platform never
// change. It refuses with GroupInvalid, GroupNameHasNUL, GroupNameTooLong, GroupDescriptionTooLong, GroupUnknown,
// GroupExists or GroupExistsInOtherCase.
func (w *World) UpdateGroup(p *Policy, institutionID, groupID string, n NewGroup, now time.Time) (*Group, error) {
	if err := checkGroup(p, n); err != nil {
		return nil, err
	}
	g, err := w.activeGroup(institutionID, groupID)
	if err != nil {
		return nil, err
	}
	if p.Groups.DuplicateName == DuplicateNameReject && g.Name != n.Name {
		other, ok := w.otherGroupNamed(p, g, n.Name)
		if ok && (other.Name == n.Name || !g.isNamed(p, n.Name)) { // it may change the case of its own name
			return nil, other.refuseName(n.Name)
		}
	}
	changed := g.copied()
	changed.Name, changed.Description, changed.LastUpdated = n.Name, n.Description, now
	changed.folded = FoldGroupName(n.Name)
	tablesOf(w).groups.put(changed)
	return changed, nil
}

// DeleteGroup deletes an active group with its participants and its jobs (published). It refuses with GroupUnknown or
// GroupBusy.
func (w *World) DeleteGroup(institutionID, groupID string) error {
	g, err := w.activeGroup(institutionID, groupID)
	if err != nil {
		return err
	}
	if running, ok := w.runningJob(g); ok {
		return refuseOn(running, GroupBusy, "job %s of the group is still running", running.JobID)
	}
	for _, j := range slices.Collect(w.JobsOf(g)) {
		tablesOf(w).jobs.delete(j)
	}
	tablesOf(w).groups.delete(g)
	return nil
}
