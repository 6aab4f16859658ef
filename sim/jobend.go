package sim

import "time"

// Due reports whether a job has ended by a time, and its group doesn't have the participants yet. Then the caller calls
// [World.EndJobs].
func (w *World) Due(now time.Time) bool {
	first, ok := tablesOf(w).jobs.by(dueJobs).at(0)
	return ok && !first.Work.Ends.After(now)
}

// EndJobs changes the groups of all jobs that have ended by a time. The job that ends first comes first.
func (w *World) EndJobs(now time.Time) {
	for w.Due(now) {
		first, _ := tablesOf(w).jobs.by(dueJobs).at(0)
		w.endJob(first)
	}
}

// endJob ends a job that has work, and changes the participants of its group.
func (w *World) endJob(j *Job) {
	done := *j
	done.Work = nil
	tablesOf(w).jobs.put(&done)
	g, ok := tablesOf(w).groups.get(&Group{InstitutionID: j.InstitutionID, GroupID: j.GroupID})
	if ok && (j.Status == JobStatusSuccessful || j.Status == JobStatusPartialSuccess) {
		w.importInto(g, j.Type, j.Work.Participants)
	}
}

// importInto changes the participants of a group as a type of job does.
func (w *World) importInto(g *Group, kind string, ids []string) {
	changed := g.copied()
	others := g.ParticipantCount - g.participants.Len() // the participants without a name
	participants := treeOf(changed.participants)
	if kind == JobReplace {
		participants, others = noParticipants, 0
	}
	participants = copied(participants)
	for _, id := range ids {
		if kind == JobRemove {
			participants.Delete(id)
		} else {
			participants.Set(id)
		}
	}
	changed.participants, changed.ParticipantCount = participants, others+participants.Len()
	tablesOf(w).groups.put(changed)
}
