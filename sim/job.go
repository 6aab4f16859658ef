package sim

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// The types of an import job (published). The type says how its file changes the participants of the group.
const (
	JobAdd     = "ADD"
	JobRemove  = "REMOVE"
	JobReplace = "REPLACE"
)

// JobTypes are all types of a job.
var JobTypes = []string{JobAdd, JobRemove, JobReplace}

// The statuses of an import job (published). Only the jobs of a scenario can have the last two.
const (
	JobStatusCreated        = "CREATED"
	JobStatusProcessing     = "PROCESSING"
	JobStatusSuccessful     = "SUCCESSFUL"
	JobStatusPartialSuccess = "PARTIAL_SUCCESS"
	JobStatusFailed         = "FAILED"
	JobStatusCancelled      = "CANCELLED"
	JobStatusUnknown        = "UNKNOWN"
)

// JobStatuses are all statuses of a job.
var JobStatuses = []string{
	JobStatusCreated, JobStatusProcessing, JobStatusSuccessful, JobStatusPartialSuccess, JobStatusFailed,
	JobStatusCancelled, JobStatusUnknown,
}

// Job is an import of participants into a group. Its result is known when it begins, and shown when it has ended. So a
// job is a function of the time, see [Job.At].
type Job struct {
	InstitutionID string `json:"institutionId,omitzero"`
	JobID         string `json:"jobId,omitzero"`
	GroupID       string `json:"groupId,omitzero"`
	Sequence      uint64 `json:"sequence,omitzero"` // creation order

	Type      string    `json:"type,omitzero"`
	FileName  string    `json:"fileName,omitzero"`
	CreatedBy string    `json:"createdBy,omitzero"`
	Created   time.Time `json:"created,omitzero"`

	Status    string     `json:"status,omitzero"`
	Details   string     `json:"details,omitzero"`
	Updated   time.Time  `json:"updated,omitzero"`
	Total     int        `json:"total,omitzero"` // rows of the file, without its header
	Succeeded int        `json:"succeeded,omitzero"`
	Failed    int        `json:"failed,omitzero"`
	Errors    []JobError `json:"errors,omitzero"` // by line

	// Work is the rest of a job that will end by itself. It is nil if the job has ended, or if a scenario holds the
	// job.
	Work *JobWork `json:"work,omitzero"`
}

// JobWork is the rest of a job that will end by itself.
type JobWork struct {
	Begins       time.Time `json:"begins,omitzero"`       // when it is processed
	Ends         time.Time `json:"ends,omitzero"`         // when the participants change, all at once
	Participants []string  `json:"participants,omitzero"` // the ids that it adds or removes, sorted
}

func (j *Job) Row() string { return "jobs/" + j.InstitutionID + "/" + j.JobID }

// At returns the job with its state at a time. It has no result before its end.
func (j *Job) At(now time.Time) Job {
	seen := *j
	if j.Work == nil {
		return seen
	}
	seen.Status, seen.Updated, seen.Details = JobStatusCreated, j.Created, ""
	seen.Total, seen.Succeeded, seen.Failed, seen.Errors = 0, 0, 0, nil
	if !now.Before(j.Work.Begins) {
		seen.Status, seen.Updated = JobStatusProcessing, j.Work.Begins
	}
	return seen
}

// Running reports whether the job has not ended.
func (j *Job) Running() bool {
	return j.Work != nil || j.Status == JobStatusCreated || j.Status == JobStatusProcessing
}

// jobTable has the jobs of all groups.
var jobTable = &tableSpec[Job]{
	name:    "jobs",
	in:      func(w *World) *table[Job] { return &tablesOf(w).jobs },
	key:     func(j *Job) rowKey { return rowKey{&j.InstitutionID, &j.JobID} },
	before:  func(a, b *Job) bool { return cmp.Or(byInstitution(a, b), cmp.Compare(a.JobID, b.JobID)) < 0 },
	indexes: []*index[Job]{jobsByTime, jobsOfGroups, runningJobs, dueJobs},
	diff:    diffJobs,
	addable: true,
	weigh:   weigher[Job](5),
}

// The indexes of the jobs.
var (
	// jobsByTime has the jobs of an institution in the order of their creation.
	jobsByTime = &index[Job]{before: func(a, b *Job) bool { return cmp.Or(byInstitution(a, b), byCreation(a, b)) < 0 }}
	// jobsOfGroups has the jobs of a group in the order of their creation.
	jobsOfGroups = &index[Job]{before: func(a, b *Job) bool { return cmp.Or(byGroup(a, b), byCreation(a, b)) < 0 }}
	// runningJobs has the jobs of a group that have not ended.
	runningJobs = &index[Job]{
		before:   func(a, b *Job) bool { return cmp.Or(byGroup(a, b), cmp.Compare(a.JobID, b.JobID)) < 0 },
		includes: (*Job).Running,
	}
	// dueJobs has the jobs with work, the one that ends first before the others.
	dueJobs = &index[Job]{
		before: func(a, b *Job) bool {
			return cmp.Or(a.Work.Ends.Compare(b.Work.Ends), cmp.Compare(a.Sequence, b.Sequence)) < 0
		},
		includes: func(j *Job) bool { return j.Work != nil },
	}
)

func byInstitution(a, b *Job) int { return cmp.Compare(a.InstitutionID, b.InstitutionID) }

func byGroup(a, b *Job) int { return cmp.Or(byInstitution(a, b), cmp.Compare(a.GroupID, b.GroupID)) }

func byCreation(a, b *Job) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Sequence, b.Sequence))
}

// diffJobs yields the jobs whose states differ at the times of their worlds.
func diffJobs(jobs *tableSpec[Job], between versions, yield func(Change) bool) bool {
	same := func(a, b *Job) bool {
		old, now := a.At(between.then), b.At(between.now)
		return sameRow(&old, &now)
	}
	return jobs.diffRows(between, same, func(c Change) bool {
		if j, ok := c.Before.(*Job); ok {
			old := j.At(between.then)
			c.Before = &old
		}
		if j, ok := c.After.(*Job); ok {
			now := j.At(between.now)
			c.After = &now
		}
		return yield(c)
	})
}

// Upload is a file of participants to import, as a caller sends it.
type Upload struct {
	Type     string // in any case
	FileName string
	File     string // the whole CSV file
}

// UploadParticipants begins a job that imports a file into an active group (published). The job checks the rows of the
// file, so a wrong row doesn't refuse the upload. UploadParticipants refuses with JobTypeUnknown, UploadEmpty,
// GroupUnknown or JobRunning.
func (w *World) UploadParticipants(
	p *Policy, caller Caller, institutionID, groupID string, u Upload, now time.Time,
) (*Job, error) {
	kind := strings.ToUpper(u.Type)
	switch {
	case !slices.Contains(JobTypes, kind):
		return nil, Refuse(JobTypeUnknown, "type must be one of %s", strings.Join(JobTypes, ", "))
	case strings.TrimSpace(u.File) == "":
		return nil, Refuse(UploadEmpty, "the file has no content")
	}
	g, err := w.activeGroup(institutionID, groupID)
	if err != nil {
		return nil, err
	}
	if running, ok := w.runningJob(g); ok {
		return nil, refuseOn(running, JobRunning, "job %s of the group is still running", running.JobID)
	}
	begins := now.Add(p.Jobs.CreatedFor)
	j := &Job{
		InstitutionID: institutionID,
		JobID:         w.drawJobID(institutionID),
		GroupID:       g.GroupID,
		Sequence:      w.next(),
		Type:          kind,
		FileName:      u.FileName,
		CreatedBy:     w.creator(caller, institutionID),
		Created:       now,
		Updated:       begins.Add(p.Jobs.ProcessingFor),
	}
	j.Work = &JobWork{Begins: begins, Ends: j.Updated, Participants: j.readParticipants(u.File)}
	tablesOf(w).jobs.put(j)
	return j, nil
}

// drawJobID returns an id that no job of an institution has: a scenario may have one that is drawn.
func (w *World) drawJobID(institutionID string) string {
	for {
		j := &Job{InstitutionID: institutionID, JobID: w.random.uuid()}
		if !tablesOf(w).jobs.has(j) {
			return j.JobID
		}
	}
}

// creator returns the name of a job's creator: the institution, and the user of the caller or else its client.
func (w *World) creator(caller Caller, institutionID string) string {
	name := caller.SharedKey
	if u, ok := w.User(institutionID, caller.HostUserID); ok {
		name = cmp.Or(u.Username, u.HostUserID)
	}
	return institutionID + "." + cmp.Or(name, "anonymous")
}

// runningJob returns the job of a group that has not ended.
func (w *World) runningJob(g *Group) (*Job, bool) {
	j, ok := tablesOf(w).jobs.by(runningJobs).first(&Job{InstitutionID: g.InstitutionID, GroupID: g.GroupID})
	return j, ok && j.InstitutionID == g.InstitutionID && j.GroupID == g.GroupID
}

// AddJob adds a job of a scenario. It assigns an empty JobID.
func (w *World) AddJob(j *Job) error {
	if j.JobID != "" && tablesOf(w).jobs.has(j) {
		return fmt.Errorf("job %q of institution %s is there already", j.JobID, j.InstitutionID)
	}
	if j.JobID == "" {
		j.JobID = w.drawJobID(j.InstitutionID)
	}
	j.Sequence = w.next()
	tablesOf(w).jobs.put(j)
	return nil
}

// Job returns a job of an institution. It refuses with JobUnknown.
func (w *World) Job(institutionID, jobID string) (*Job, error) {
	j, ok := tablesOf(w).jobs.get(&Job{InstitutionID: institutionID, JobID: jobID})
	if !ok {
		return nil, Refuse(JobUnknown, "there is no job with jobId %q", jobID)
	}
	return j, nil
}

// Jobs yields the jobs of an institution, by jobId.
func (w *World) Jobs(institutionID string) iter.Seq[*Job] {
	return tablesOf(w).jobs.between(&Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)})
}

// JobsOf yields the jobs of a group in the order of their creation.
func (w *World) JobsOf(g *Group) iter.Seq[*Job] {
	return tablesOf(w).jobs.by(jobsOfGroups).between(
		&Job{InstitutionID: g.InstitutionID, GroupID: g.GroupID},
		&Job{InstitutionID: g.InstitutionID, GroupID: after(g.GroupID)})
}
