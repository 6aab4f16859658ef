package scenario

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// participants checks the participants of a group or of a job.
func (c *checker) participants(of place, ids []string) {
	seen := map[string]bool{}
	for n, id := range ids {
		switch here := of.key("participants").item(n); {
		case seen[id]:
			c.add(here, "duplicate participant %s: remove one of them", phrase.Quote(id))
		case !sim.IsParticipantID(id):
			c.add(here, "participant %s must be of printable ASCII characters without spaces, commas and quotes, such as \"1001\"", phrase.Quote(id))
		}
		seen[id] = true
	}
}

// job checks a job of a group.
func (c *checker) job(at place, taken map[string]place, g group, j job) {
	c.unique(taken, "jobId", j.JobID, at)
	parsed(c, at, "createdDateTime", j.Created)
	parsed(c, at, "lastUpdatedDateTime", j.LastUpdated)
	if g.Status == sim.GroupStatusDeleted {
		c.add(at, "a DELETED group has no jobs: they go with it; remove the job, or groupStatus")
	}
	if j.Succeeded+j.Failed > j.Total {
		c.add(at, "totalRecordsCount %d is less than successRecordsCount %d and failedRecordsCount %d together: raise it", j.Total, j.Succeeded, j.Failed)
	}
	c.participants(at, j.Imports)
	c.jobTimes(at, j)
}

// jobTimes checks what a job has to do yet.
func (c *checker) jobTimes(at place, j job) {
	parsed(c, at, "processedAt", j.ProcessedAt)
	parsed(c, at, "endsAt", j.EndsAt)
	if valueOf(at.node, "endsAt") == nil {
		if j.ProcessedAt != "" {
			c.add(at.key("processedAt"), "processedAt without endsAt: add endsAt, when the job ends, or remove it")
		}
		if len(j.Imports) > 0 {
			c.add(at.key("participants"), "a job that has ended has no participants: write them in the group, or add endsAt, when the job ends")
		}
		return
	}
	created := j.Created.or(c.start)
	begins := j.ProcessedAt.or(created)
	ends, err := j.EndsAt.parse()
	show := func(t time.Time) string { return t.Format(time.RFC3339Nano) }
	switch {
	case err != nil: // it is reported above
	case j.Status == sim.JobStatusCreated || j.Status == sim.JobStatusProcessing:
		c.add(at.key("jobStatus"), "jobStatus %s of a job with endsAt: write what it ends with, such as %s, or remove endsAt to hold the job there", j.Status, sim.JobStatusSuccessful)
	case !ends.After(c.start):
		c.add(at.key("endsAt"), "endsAt is not after the clock's start, %s: set it later, or remove it if the job has ended", show(c.start))
	case begins.Before(created):
		c.add(at.key("processedAt"), "processedAt is before the job's creation, %s: set it later", show(created))
	case ends.Before(begins):
		c.add(at.key("endsAt"), "endsAt is before the job is processed, %s: set it later", show(begins))
	}
}
