package scenario

import (
	"cmp"
	"iter"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// groups writes the groups in the order in which they were created, with their participants and their jobs.
func (s *saver) groups(institutionID string) {
	groups := slices.SortedFunc(s.World.Groups(institutionID), func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) })
	jobs, positions := jobsByGroup(s.World, institutionID, groups)
	for n, g := range groups {
		if n == 0 {
			s.line(2, "groups:")
		}
		if s.full() {
			return
		}
		s.group(g, jobs[g.GroupID], positions)
	}
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

func (s *saver) group(g *sim.Group, jobs []*sim.Job, positions map[*sim.Job]int) {
	m := members{{"groupName", g.Name}}
	if g.Description != "" {
		m = append(m, member{"groupDescription", g.Description})
	}
	if g.Status != sim.GroupStatusActive {
		m = append(m, member{"groupStatus", g.Status})
	}
	if g.ParticipantCount != 0 {
		m = append(m, member{"groupParticipantCount", g.ParticipantCount})
	}
	m = append(m, member{"groupLastUpdatedDateTime", literal(moment(g.LastUpdated))},
		member{"groupId", g.GroupID}, member{"experienceId", g.ExperienceID})
	if g.ExperienceName != g.Name {
		m = append(m, member{"experienceName", g.ExperienceName})
	}
	participants, left := s.participants(g, g.Participants())
	if left > 0 {
		s.line(3, "# %d participants came with requests and are no users: not kept, only counted", left)
	}
	if len(participants) == 0 && len(jobs) == 0 {
		s.line(3, "- %s", flow(m))
		return
	}
	start := "- "
	for _, of := range m {
		s.line(3, "%s%s: %s", start, of.key, flow(of.value))
		start = "  "
	}
	if len(participants) > 0 {
		s.line(4, "participants: %s", flow(participants))
	}
	for n, j := range jobs {
		if n == 0 {
			s.line(4, "jobs:")
		}
		s.job(g, j, positions[j])
	}
}

// participants returns those of a group, or of one of its jobs, that are users of the bank or that the scenario gave the
// group, and how many others there are.
func (s *saver) participants(g *sim.Group, ids iter.Seq[string]) (kept []string, left int) {
	given, _ := s.From.World.Group(g.InstitutionID, g.GroupID)
	for id := range ids {
		if _, isUser := s.World.User(g.InstitutionID, id); isUser || given.HasParticipant(id) || s.givenToJob(g, id) {
			kept = append(kept, id)
		} else {
			left++
		}
	}
	return kept, left
}

// givenToJob reports whether the scenario has a job that imports a participant into a group.
func (s *saver) givenToJob(g *sim.Group, id string) bool {
	for j := range s.From.World.JobsOf(g) {
		if j.Work != nil && slices.Contains(j.Work.Participants, id) {
			return true
		}
	}
	return false
}

// job writes a job: one that runs with what it ends with, and when.
func (s *saver) job(g *sim.Group, j *sim.Job, position int) {
	m := members{{"jobId", j.JobID}, {"type", j.Type}, {"inputFileName", j.FileName}, {"jobCreatedBy", j.CreatedBy},
		{"createdDateTime", literal(moment(j.Created))}, {"lastUpdatedDateTime", literal(moment(j.Updated))}, {"jobStatus", j.Status}}
	if j.Details != "" {
		m = append(m, member{"jobDetails", j.Details})
	}
	m = append(m, member{"totalRecordsCount", j.Total}, member{"successRecordsCount", j.Succeeded}, member{"failedRecordsCount", j.Failed})
	if len(j.Errors) > 0 {
		errors := make([]any, len(j.Errors))
		for n, e := range j.Errors {
			errors[n] = members{{"lineNbr", e.Line}, {"errorMsg", e.Message}}
		}
		m = append(m, member{"errors", errors})
	}
	if work := j.Work; work != nil {
		kept, left := s.participants(g, slices.Values(work.Participants))
		if left > 0 {
			s.line(5, "# %d participants of this job came with a request and are no users: not kept", left)
		}
		m = append(m, member{"processedAt", literal(moment(work.Begins))}, member{"endsAt", literal(moment(work.Ends))})
		if len(kept) > 0 {
			m = append(m, member{"participants", kept})
		}
	}
	if position > 0 {
		m = append(m, member{"position", position})
	}
	s.line(5, "- %s", flow(m))
}
