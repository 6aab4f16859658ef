package sim

import (
	"cmp"
	"slices"
)

// The properties that a list of jobs can be sorted by (published).
const (
	ByInsertDateTime = "insertDateTime"
	ByJobGroupName   = "group.groupName"
)

// ListJobs returns size jobs of an institution from a position on, and how many there are. With a groupID, it returns
// jobs of this group only. Without an order, the newest come first.
func (w *World) ListJobs(
	institutionID, groupID string, order []SortKey, position, size int,
) (page []*Job, total int) {
	jobs := tablesOf(w).jobs.by(jobsByTime)
	low, high := &Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)}
	if groupID != "" {
		jobs = tablesOf(w).jobs.by(jobsOfGroups)
		low.GroupID, high = groupID, &Job{InstitutionID: institutionID, GroupID: after(groupID)}
	}
	if len(order) == 0 {
		order = []SortKey{{By: ByInsertDateTime, Descending: true}}
	}
	if len(order) == 1 && order[0].By == ByInsertDateTime {
		return jobs.page(low, high, order[0].Descending, position, size)
	}
	all := slices.Collect(jobs.between(low, high))
	if slices.ContainsFunc(order, func(k SortKey) bool { return k.By == ByInsertDateTime && k.Descending }) {
		slices.Reverse(all) // of two jobs with the same time, the newer one comes first, too
	}
	names := map[string]string{} // of the groups, as they are now
	for _, j := range all {
		if _, known := names[j.GroupID]; !known {
			names[j.GroupID] = w.GroupOf(j).Name
		}
	}
	slices.SortStableFunc(all, comparison(order, func(k SortKey, a, b *Job) int {
		if k.By == ByJobGroupName {
			return k.compareTexts(names[a.GroupID], names[b.GroupID])
		}
		return a.Created.Compare(b.Created)
	}))
	return pageOf(all, position, size), len(all)
}

// GroupOf returns the group of a job.
func (w *World) GroupOf(j *Job) *Group {
	g, ok := tablesOf(w).groups.get(&Group{InstitutionID: j.InstitutionID, GroupID: j.GroupID})
	if !ok {
		panic("sim: job " + j.JobID + " has no group")
	}
	return g
}

// The properties that a list of errors can be sorted by (published).
const (
	ByLineNbr  = "lineNbr"
	ByErrorMsg = "errorMsg"
)

// SortedErrors returns the errors of the job in an order. Errors that the order doesn't tell apart are in the order of
// their lines.
func (j Job) SortedErrors(order []SortKey) []JobError {
	sorted := slices.Clone(j.Errors)
	slices.SortStableFunc(sorted, comparison(order, func(k SortKey, a, b JobError) int {
		if k.By == ByErrorMsg {
			return k.compareTexts(a.Message, b.Message)
		}
		return cmp.Compare(a.Line, b.Line)
	}))
	return sorted
}
