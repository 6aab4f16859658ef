package scenario

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
)

// job checks a job of a group.
func (c *checker) job(at *yaml.Node, i institution, g group, j job) {
	if g.Status == sim.GroupStatusDeleted {
		c.add(at, "a DELETED group has no jobs: they go with it; remove the job, or groupStatus")
	}
	if j.Succeeded+j.Failed > j.Total && !c.partial {
		c.add(at,
			"totalRecordsCount %d is less than successRecordsCount %d and failedRecordsCount %d together: raise it",
			j.Total, j.Succeeded, j.Failed)
	}
	c.participants(at, i, j.Imports)
	c.jobTimes(at, j)
}

// jobTimes checks what a job has to do yet.
func (c *checker) jobTimes(at *yaml.Node, j job) {
	if valueOf(at, "endsAt") == nil {
		if c.partial {
			return
		}
		if j.ProcessedAt != "" {
			c.add(lookup(at, "processedAt"), "processedAt without endsAt: add endsAt, when the job ends, or remove it")
		}
		if len(j.Imports) > 0 {
			c.add(lookup(at, "participants"),
				"a job that has ended has no participants: write them in the group, or add endsAt, when the job ends")
		}
		return
	}
	c.afterStart(at, "endsAt", j.EndsAt.or(DefaultStart))
	created := j.Created.or(c.start)
	begins := j.ProcessedAt.or(created)
	ends := j.EndsAt.or(time.Time{})
	switch {
	case ends.IsZero(): // it doesn't fit the schema
	case j.Status == sim.JobStatusCreated || j.Status == sim.JobStatusProcessing:
		c.add(lookup(at, "jobStatus"), "jobStatus %s of a job with endsAt: write what it ends with, such as %s, "+
			"or remove endsAt to hold the job there", j.Status, sim.JobStatusSuccessful)
	case !ends.After(c.start) && c.clock.Start == startNow: // no error: the scenario may have been valid yesterday
		c.warn(lookup(at, "endsAt"),
			"endsAt is over, and the clock starts now, at %s: the job ends at once", moment(c.start))
	case !ends.After(c.start):
		c.add(lookup(at, "endsAt"),
			"endsAt is not after the clock's start, %s: set it later, or remove it if the job has ended",
			moment(c.start))
	case begins.Before(created) || ends.Before(begins):
		c.add(at, "createdDateTime, processedAt and endsAt must be in this order: set the later ones later")
	}
}
