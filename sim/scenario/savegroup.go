package scenario

import (
	"cmp"
	"iter"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// groups returns the groups in the order in which they were created, with their participants and their jobs.
func (s *saver) groups(institutionID string) (written []group) {
	groups := slices.SortedFunc(s.World.Groups(institutionID), func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) })
	jobs, positions := jobsByGroup(s.World, institutionID, groups)
	for _, g := range groups {
		if s.full() {
			break
		}
		w := group{
			GroupID:        g.GroupID,
			ExperienceID:   g.ExperienceID,
			ExperienceName: g.ExperienceName,
			Name:           g.Name,
			Description:    g.Description,
			Status:         g.Status,
			LastUpdated:    moment(g.LastUpdated),
		}
		if g.ExperienceName == g.Name {
			w.ExperienceName = ""
		}
		if g.Status == sim.GroupStatusActive {
			w.Status = ""
		}
		w.ParticipantCount = unless(0, g.ParticipantCount)
		kept := s.kept(g)
		var left int
		if w.Participants, left = kept(g.Participants()); left > 0 {
			s.note("%d participants of the group %s came with requests and are no users: not kept, only counted", left, g.GroupID)
		}
		for _, j := range jobs[g.GroupID] {
			w.Jobs = append(w.Jobs, s.job(j, kept, positions[j]))
		}
		written = append(written, w)
	}
	return written
}

// jobsByGroup returns the jobs of each group in the order of their creation. If jobs that were created at the same time are
// not in this order when they are written group by group, it returns the position of each job too.
func jobsByGroup(w *sim.World, institutionID string, groups []*sim.Group) (of map[string][]*sim.Job, positions map[*sim.Job]int) {
	all := slices.SortedFunc(w.Jobs(institutionID), func(a, b *sim.Job) int { return cmp.Compare(a.Sequence, b.Sequence) })
	of = map[string][]*sim.Job{}
	for _, j := range all {
		of[j.GroupID] = append(of[j.GroupID], j)
	}
	newest := map[int64]uint64{} // of those that were created at a time, so far
	ordered := true
	for _, g := range groups {
		for _, j := range of[g.GroupID] {
			at := j.Created.UnixNano()
			ordered = ordered && newest[at] <= j.Sequence
			newest[at] = j.Sequence
		}
	}
	if ordered {
		return of, nil
	}
	positions = map[*sim.Job]int{}
	for n, j := range all {
		positions[j] = n + 1
	}
	return of, positions
}

// keep returns those of some participants that are kept, and how many others there are.
type keep func(ids iter.Seq[string]) (kept []string, left int)

// kept returns what keeps the participants of a group, or of one of its jobs, that are users of the bank or that the scenario
// gave the group or one of its jobs.
func (s *saver) kept(g *sim.Group) keep {
	given := map[string]bool{}
	if was, there := s.From.World.Group(g.InstitutionID, g.GroupID); there {
		for id := range was.Participants() {
			given[id] = true
		}
	}
	for j := range s.From.World.JobsOf(g) {
		if j.Work != nil {
			for _, id := range j.Work.Participants {
				given[id] = true
			}
		}
	}
	return func(ids iter.Seq[string]) (kept []string, left int) {
		for id := range ids {
			if _, isUser := s.World.User(g.InstitutionID, id); isUser || given[id] {
				kept = append(kept, id)
			} else {
				left++
			}
		}
		return kept, left
	}
}

// job returns a job: one that runs with what it ends with, and when.
func (s *saver) job(j *sim.Job, kept keep, position int) job {
	w := job{
		JobID:       j.JobID,
		Type:        j.Type,
		FileName:    j.FileName,
		CreatedBy:   j.CreatedBy,
		Status:      j.Status,
		Details:     j.Details,
		Total:       j.Total,
		Succeeded:   j.Succeeded,
		Failed:      j.Failed,
		Created:     moment(j.Created),
		LastUpdated: moment(j.Updated),
		Position:    position,
	}
	for _, e := range j.Errors {
		w.Errors = append(w.Errors, jobError{Line: e.Line, Message: e.Message})
	}
	if work := j.Work; work != nil {
		w.ProcessedAt, w.EndsAt = moment(work.Begins), moment(work.Ends)
		var left int
		if w.Imports, left = kept(slices.Values(work.Participants)); left > 0 {
			s.note("%d participants of the job %s came with a request and are no users: not kept", left, j.JobID)
		}
	}
	return w
}
