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
	InstitutionID string
	JobID         string
	GroupID       string
	Sequence      uint64 // creation order

	Type      string
	FileName  string
	CreatedBy string
	Created   time.Time

	Status    string
	Details   string
	Updated   time.Time
	Total     int // rows of the file, without its header
	Succeeded int
	Failed    int
	Errors    []JobError // by line

	Work *JobWork // of a job that will end by itself; nil: it has ended, or a scenario holds it
}

// JobWork is what a job has yet to do.
type JobWork struct {
	Begins       time.Time // when it is processed
	Ends         time.Time // when the participants change, all at once
	Participants []string  // that it adds or removes, sorted
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

// jobTables hold the jobs of a world in the orders that they are looked up in.
type jobTables struct {
	byID    table[*Job] // by InstitutionID, JobID
	byTime  table[*Job] // by InstitutionID, Created, Sequence
	byGroup table[*Job] // by InstitutionID, GroupID, Created, Sequence
	running table[*Job] // by InstitutionID, GroupID, JobID; those that have not ended
	due     table[*Job] // by the end of their work, Sequence; those that have some
}

func newJobTables() jobTables {
	institution := func(a, b *Job) int { return cmp.Compare(a.InstitutionID, b.InstitutionID) }
	group := func(a, b *Job) int { return cmp.Or(institution(a, b), cmp.Compare(a.GroupID, b.GroupID)) }
	id := func(a, b *Job) int { return cmp.Compare(a.JobID, b.JobID) }
	age := func(a, b *Job) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Sequence, b.Sequence)) }
	end := func(a, b *Job) int {
		return cmp.Or(a.Work.Ends.Compare(b.Work.Ends), cmp.Compare(a.Sequence, b.Sequence))
	}
	return jobTables{
		byID:    newTable(func(a, b *Job) bool { return cmp.Or(institution(a, b), id(a, b)) < 0 }, sameRow),
		byTime:  newTable(func(a, b *Job) bool { return cmp.Or(institution(a, b), age(a, b)) < 0 }, nil),
		byGroup: newTable(func(a, b *Job) bool { return cmp.Or(group(a, b), age(a, b)) < 0 }, nil),
		running: newTable(func(a, b *Job) bool { return cmp.Or(group(a, b), id(a, b)) < 0 }, nil),
		due:     newTable(func(a, b *Job) bool { return end(a, b) < 0 }, nil),
	}
}

func (t *jobTables) fork() jobTables {
	return jobTables{t.byID.fork(), t.byTime.fork(), t.byGroup.fork(), t.running.fork(), t.due.fork()}
}

// imported returns how many participants and errors the job holds.
func (j *Job) imported() int {
	if j.Work != nil { // then there must be room for those that it makes participants
		return len(j.Errors) + len(j.Work.Participants)
	}
	return len(j.Errors)
}

func (w *World) putJob(j *Job) {
	t := &w.jobs
	w.imported += j.imported()
	t.byID.put(j)
	t.byTime.put(j)
	t.byGroup.put(j)
	if j.Running() {
		t.running.put(j)
	}
	if j.Work != nil {
		t.due.put(j)
	}
}

func (w *World) deleteJob(j *Job) {
	t := &w.jobs
	w.imported -= j.imported()
	t.byID.delete(j)
	t.byTime.delete(j)
	t.byGroup.delete(j)
	t.running.delete(j)
	if j.Work != nil {
		t.due.delete(j)
	}
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
	w.putJob(j)
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
	j, ok := w.jobs.running.first(&Job{InstitutionID: g.InstitutionID, GroupID: g.GroupID})
	return j, ok && j.InstitutionID == g.InstitutionID && j.GroupID == g.GroupID
}

// AddJob adds a job as a scenario describes it, with the work that it has yet to do. An empty JobID is assigned.
func (w *World) AddJob(j *Job) error {
	if j.JobID != "" && w.jobs.byID.has(j) {
		return refuseOn(j, JobUnknown, "job %q of institution %s is there already", j.JobID, j.InstitutionID)
	}
	if j.JobID == "" {
		j.JobID = w.random.uuid()
	}
	j.Sequence = w.next()
	w.putJob(j)
	return nil
}

// Due reports whether a job has ended by a time whose participants have not been changed yet: then [World.EndJobs] is to be
// called.
func (w *World) Due(now time.Time) bool {
	if w.jobs.due.len() == 0 {
		return false
	}
	first, _ := w.jobs.due.at(0)
	return !first.Work.Ends.After(now)
}

// EndJobs ends the jobs that have ended by a time, in the order in which they end.
func (w *World) EndJobs(now time.Time) {
	for w.Due(now) {
		first, _ := w.jobs.due.at(0)
		w.endJob(first)
	}
}

// endJob ends a job that has work: its participants change, all at once.
func (w *World) endJob(j *Job) {
	done := *j
	done.Work = nil
	w.deleteJob(j)
	w.putJob(&done)
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
	w.deleteGroup(g)
	w.putGroup(changed)
}

// Job returns a job of an institution. It refuses with JobUnknown.
func (w *World) Job(institutionID, jobID string) (*Job, error) {
	j, ok := w.jobs.byID.get(&Job{InstitutionID: institutionID, JobID: jobID})
	if !ok {
		return nil, refuseUnknown(JobUnknown, "job", jobID)
	}
	return j, nil
}

// Jobs yields the jobs of an institution, by jobId.
func (w *World) Jobs(institutionID string) iter.Seq[*Job] {
	return w.jobs.byID.between(&Job{InstitutionID: institutionID}, &Job{InstitutionID: after(institutionID)})
}

// JobsOf yields the jobs of a group, by time.
func (w *World) JobsOf(g *Group) iter.Seq[*Job] {
	return w.jobs.byGroup.between(
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
