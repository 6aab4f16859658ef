package scenario

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// groups adds the groups of an institution, then their jobs, in the order of their positions.
func (s *settler) groups(i institution) {
	type placed struct {
		position int
		row      *sim.Job
	}
	var jobs []placed
	for _, g := range i.Groups {
		row := s.group(i.InstitutionID, g)
		for _, j := range g.Jobs {
			jobs = append(jobs, placed{j.Position, s.job(row, j)})
		}
	}
	slices.SortStableFunc(jobs, func(a, b placed) int { return cmp.Compare(a.position, b.position) })
	for _, j := range jobs {
		s.add(s.world.AddJob(j.row))
	}
}

func (s *settler) group(institutionID string, g group) *sim.Group {
	row := &sim.Group{
		InstitutionID:    institutionID,
		GroupID:          g.GroupID,
		ExperienceID:     g.ExperienceID,
		ExperienceName:   g.ExperienceName,
		Name:             g.Name,
		Description:      g.Description,
		Status:           g.Status,
		LastUpdated:      g.LastUpdated.or(s.start),
		ParticipantCount: orDefault(g.ParticipantCount, 0),
	}
	s.add(s.world.AddGroup(row, g.Participants...))
	return row
}

// job returns the row of a job.
func (s *settler) job(g *sim.Group, j job) *sim.Job {
	created := j.Created.or(s.start)
	ended := created
	var work *sim.JobWork
	if j.EndsAt != "" {
		ended = j.EndsAt.or(created)
		work = &sim.JobWork{Begins: j.ProcessedAt.or(created), Ends: ended, Participants: slices.Sorted(slices.Values(j.Imports))}
	}
	row := &sim.Job{
		InstitutionID: g.InstitutionID,
		JobID:         j.JobID,
		GroupID:       g.GroupID,
		Type:          cmp.Or(j.Type, sim.JobAdd),
		FileName:      cmp.Or(j.FileName, "participants.csv"),
		CreatedBy:     cmp.Or(j.CreatedBy, g.InstitutionID+".anonymous"),
		Created:       created,
		Status:        cmp.Or(j.Status, sim.JobStatusSuccessful),
		Details:       j.Details,
		Updated:       j.LastUpdated.or(ended),
		Total:         j.Total,
		Succeeded:     j.Succeeded,
		Failed:        j.Failed,
		Work:          work,
	}
	for _, e := range j.Errors {
		row.Errors = append(row.Errors, sim.JobError{Line: e.Line, Message: e.Message})
	}
	slices.SortStableFunc(row.Errors, func(a, b sim.JobError) int { return cmp.Compare(a.Line, b.Line) })
	return row
}
