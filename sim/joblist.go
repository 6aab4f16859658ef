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

// ListJobs returns size jobs of an institution from a position on, and how many there are. Without an order, the newest come first. With
// a groupID, it returns those of the group alone.
func (w *World) ListJobs(institutionID, groupID string, order []SortKey, position, size int) (page []*Job, total int) {
	jobs, low, high := w.jobs.by(jobsByTime), &Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)}
	if groupID != "" {
		jobs = w.jobs.by(jobsOfGroups)
		low.GroupID, high = groupID, &Job{InstitutionID: institutionID, GroupID: after(groupID)}
	}
	if len(order) == 0 {
		order = []SortKey{{ByInsertDateTime, true}}
	}
	if order[0].By == ByInsertDateTime {
		return jobs.page(low, high, order[0].Descending, position, size)
	}
	names := map[string]string{} // of the groups, as they are now
	all := slices.Collect(jobs.between(low, high))
	for _, j := range all {
		if _, known := names[j.GroupID]; !known {
			names[j.GroupID] = w.GroupOf(j).Name
		}
	}
	slices.SortStableFunc(all, comparison(order, func(by string, a, b *Job) int {
		if by == ByJobGroupName {
			return cmp.Compare(names[a.GroupID], names[b.GroupID])
		}
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Sequence, b.Sequence))
	}))
	return pageOf(all, position, size), len(all)
}

// GroupOf returns the group of a job.
func (w *World) GroupOf(j *Job) *Group {
	g, ok := w.groups.get(&Group{InstitutionID: j.InstitutionID, GroupID: j.GroupID})
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

// SortedErrors returns the errors of the job in an order, its most significant key first. Ties are in order of the lines.
func (j Job) SortedErrors(order []SortKey) []JobError {
	sorted := slices.Clone(j.Errors)
	slices.SortStableFunc(sorted, comparison(order, func(by string, a, b JobError) int {
		if by == ByErrorMsg {
			return cmp.Compare(a.Message, b.Message)
		}
		return cmp.Compare(a.Line, b.Line)
	}))
	return sorted
}
