package sim

import (
	"cmp"
	"slices"
)

// JobOrder says how a list of jobs is sorted, its most significant key first. Nothing: the newest first.
type JobOrder []JobKey

// JobKey is a property that jobs are sorted by.
type JobKey = SortKey[JobProperty]

// JobProperty is a property that a list of jobs can be sorted by.
type JobProperty string

// The properties of jobs (published).
const (
	ByInsertDateTime JobProperty = "insertDateTime"
	ByJobGroupName   JobProperty = "group.groupName"
)

// ListJobs returns size jobs of an institution from a position on, and how many there are. With a groupID, it returns those
// of the group alone.
func (w *World) ListJobs(institutionID, groupID string, order JobOrder, position, size int) (page []*Job, total int) {
	jobs, low, high := &w.jobs.byTime, &Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)}
	if groupID != "" {
		jobs = &w.jobs.byGroup
		low.GroupID, high = groupID, &Job{InstitutionID: institutionID, GroupID: after(groupID)}
	}
	if len(order) == 0 {
		order = JobOrder{{ByInsertDateTime, true}}
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
	slices.SortStableFunc(all, comparison(order, func(by JobProperty, a, b *Job) int {
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

// JobErrorProperty is a property that a list of errors can be sorted by.
type JobErrorProperty string

// The properties of errors (published).
const (
	ByLineNbr  JobErrorProperty = "lineNbr"
	ByErrorMsg JobErrorProperty = "errorMsg"
)

// JobErrorKey is a property that errors are sorted by.
type JobErrorKey = SortKey[JobErrorProperty]

// SortedErrors returns the errors of the job in an order, its most significant key first. Ties are in order of the lines.
func (j Job) SortedErrors(order []JobErrorKey) []JobError {
	sorted := slices.Clone(j.Errors)
	slices.SortStableFunc(sorted, comparison(order, func(by JobErrorProperty, a, b JobError) int {
		if by == ByErrorMsg {
			return cmp.Compare(a.Message, b.Message)
		}
		return cmp.Compare(a.Line, b.Line)
	}))
	return sorted
}
