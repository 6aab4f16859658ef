package sim

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// The types of an import job (published): what its file does to the participants of the group.
const (
	JobAdd     = "ADD"
	JobRemove  = "REMOVE"
	JobReplace = "REPLACE"
)

// JobTypes are all of them.
var JobTypes = []string{JobAdd, JobRemove, JobReplace}

// The statuses of an import job (published). Only a scenario gives a job the last two.
const (
	JobStatusCreated        = "CREATED"
	JobStatusProcessing     = "PROCESSING"
	JobStatusSuccessful     = "SUCCESSFUL"
	JobStatusPartialSuccess = "PARTIAL_SUCCESS"
	JobStatusFailed         = "FAILED"
	JobStatusCancelled      = "CANCELLED"
	JobStatusUnknown        = "UNKNOWN"
)

// JobStatuses are all of them.
var JobStatuses = []string{
	JobStatusCreated, JobStatusProcessing, JobStatusSuccessful, JobStatusPartialSuccess, JobStatusFailed, JobStatusCancelled,
	JobStatusUnknown,
}

// Job is an import of participants into a group. What it comes to is known when it begins, and is shown from its end on: so
// its state is a function of the time, see [Job.At].
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

	// Work is what a job that will end by itself has yet to do. It is nil if the job has ended, or a scenario holds it.
	Work *JobWork `json:"work,omitzero"`
}

// JobWork is what a job has yet to do.
type JobWork struct {
	Begins       time.Time `json:"begins,omitzero"`       // when it is processed
	Ends         time.Time `json:"ends,omitzero"`         // when the participants change, all at once
	Participants []string  `json:"participants,omitzero"` // the ids that it adds or removes, sorted
}

// Row names the row.
func (j *Job) Row() string { return "jobs/" + j.InstitutionID + "/" + j.JobID }

// At returns the job as it is at a time: what it comes to shows from its end on.
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
	in:      func(w *World) *table[Job] { return &w.jobs },
	key:     func(j *Job) rowKey { return rowKey{&j.InstitutionID, &j.JobID} },
	before:  func(a, b *Job) bool { return cmp.Or(byInstitution(a, b), cmp.Compare(a.JobID, b.JobID)) < 0 },
	same:    sameRow[Job],
	indexes: []*index[Job]{jobsByTime, jobsOfGroups, runningJobs, dueJobs},
	diff:    diffJobs,
	addable: true,
	parts:   (*Job).parts,
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

// diffJobs yields the jobs that differ, as they are at the times of their worlds.
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

// parts returns how many participants and errors the job holds.
func (j *Job) parts() int {
	if j.Work != nil { // then there must be room for those that it makes participants
		return len(j.Errors) + len(j.Work.Participants)
	}
	return len(j.Errors)
}

// Upload is what a caller gives for an import of participants.
type Upload struct {
	Type     string // in any case
	FileName string
	File     string // the whole CSV file
}

// UploadParticipants begins a job that imports a file into an active group (published). The file's rows are checked by the
// job: what is wrong with them doesn't refuse the upload. It refuses with JobTypeUnknown, UploadEmpty, GroupUnknown,
// JobRunning or WorldFull.
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
		JobID:         w.random.uuid(),
		GroupID:       g.GroupID,
		Sequence:      w.next(),
		Type:          kind,
		FileName:      u.FileName,
		CreatedBy:     w.creator(caller, institutionID),
		Created:       now,
		Updated:       begins.Add(p.Jobs.ProcessingFor),
	}
	j.Work = &JobWork{Begins: begins, Ends: j.Updated, Participants: j.readParticipants(u.File)}
	w.jobs.put(j)
	return j, w.checkRows(p)
}

// creator returns who creates a job: the user of the caller, else its client, after the institution.
func (w *World) creator(caller Caller, institutionID string) string {
	name := caller.SharedKey
	if u, ok := w.User(institutionID, caller.HostUserID); ok {
		name = cmp.Or(u.Username, u.HostUserID)
	}
	return institutionID + "." + cmp.Or(name, "anonymous")
}

// runningJob returns the job of a group that has not ended.
func (w *World) runningJob(g *Group) (*Job, bool) {
	j, ok := w.jobs.by(runningJobs).first(&Job{InstitutionID: g.InstitutionID, GroupID: g.GroupID})
	return j, ok && j.InstitutionID == g.InstitutionID && j.GroupID == g.GroupID
}

// AddJob adds a job as a scenario describes it, with the work that it has yet to do. An empty JobID is assigned.
func (w *World) AddJob(j *Job) error {
	if j.JobID != "" && w.jobs.has(j) {
		return refuseOn(j, JobUnknown, "job %q of institution %s is there already", j.JobID, j.InstitutionID)
	}
	if j.JobID == "" {
		j.JobID = w.random.uuid()
	}
	j.Sequence = w.next()
	w.jobs.put(j)
	return nil
}

// Due reports whether a job has ended by a time whose participants have not been changed yet: then [World.EndJobs] is to be
// called.
func (w *World) Due(now time.Time) bool {
	first, ok := w.jobs.by(dueJobs).at(0)
	return ok && !first.Work.Ends.After(now)
}

// EndJobs ends the jobs that have ended by a time, in the order in which they end.
func (w *World) EndJobs(now time.Time) {
	for w.Due(now) {
		first, _ := w.jobs.by(dueJobs).at(0)
		w.endJob(first)
	}
}

// endJob ends a job that has work: its participants change, all at once.
func (w *World) endJob(j *Job) {
	done := *j
	done.Work = nil
	w.jobs.put(&done)
	g, ok := w.groups.get(&Group{InstitutionID: j.InstitutionID, GroupID: j.GroupID})
	if ok && (j.Status == JobStatusSuccessful || j.Status == JobStatusPartialSuccess) {
		w.importInto(g, j.Type, j.Work.Participants)
	}
}

// importInto changes the participants of a group.
func (w *World) importInto(g *Group, kind string, ids []string) {
	changed := g.copied()
	others := g.ParticipantCount - g.participants.Len() // that are not named
	if kind == JobReplace {
		changed.participants, others = noParticipants, 0
	}
	changed.participants = copied(changed.participants)
	for _, id := range ids {
		if kind == JobRemove {
			changed.participants.Delete(id)
		} else {
			changed.participants.Set(id)
		}
	}
	changed.ParticipantCount = others + changed.participants.Len()
	w.groups.put(changed)
}

// Job returns a job of an institution. It refuses with JobUnknown.
func (w *World) Job(institutionID, jobID string) (*Job, error) {
	j, ok := w.jobs.get(&Job{InstitutionID: institutionID, JobID: jobID})
	if !ok {
		return nil, refuseUnknown(JobUnknown, "job", jobID)
	}
	return j, nil
}

// Jobs yields the jobs of an institution, by jobId.
func (w *World) Jobs(institutionID string) iter.Seq[*Job] {
	return w.jobs.between(&Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)})
}

// JobsOf yields the jobs of a group, by time.
func (w *World) JobsOf(g *Group) iter.Seq[*Job] {
	return w.jobs.by(jobsOfGroups).between(
		&Job{InstitutionID: g.InstitutionID, GroupID: g.GroupID},
		&Job{InstitutionID: g.InstitutionID, GroupID: after(g.GroupID)})
}

// refuseUnknown returns the refusal of an id that names nothing.
func refuseUnknown(code Code, what, id string) error {
	const most = 100
	if len(id) > most {
		id = strings.ToValidUTF8(id[:most], "") + "…"
	}
	return Refuse(code, "there is no %s with %[1]sId %q", what, id)
}
