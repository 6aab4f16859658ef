package scenario

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// defaultPorts are the ports that browsers leave out of an origin.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// cors checks the switches about pages of other origins.
func (c *checker) cors(at *yaml.Node, block *yaml.Node) {
	origins, effective := setting(block, contract.EverywhereCORS.Switch), c.behavior.CORS
	for i, origin := range effective.Origins {
		scheme, rest, _ := strings.Cut(origin, "://")
		if port := defaultPorts[scheme]; port != "" && strings.HasSuffix(rest, ":"+port) {
			c.add(origins.Content[i], "origins[%d] can't be %s: browsers leave the port %s out: write %s",
				i, phrase.Quote(origin), port, phrase.Quote(strings.TrimSuffix(origin, ":"+port)))
		}
	}
	if effective.Credentials && slices.Contains(effective.Origins, sim.AnyOrigin) {
		c.add(lookup(at, "credentials"),
			"credentials can't be true with the origin *, which browsers refuse: list the origins that may send them, or remove "+
				"credentials")
	}
}

// userStatus checks what a user's status says.
func (c *checker) userStatus(at *yaml.Node, u user) {
	c.unique(c.userIDs["institutionUserId"], "institutionUserId", u.InstitutionUser, at)
	c.unique(c.userIDs["customerId"], "customerId", u.CustomerID, at)
	if u.Status == nil {
		return
	}
	here := lookup(at, "status")
	for _, key := range []string{"holdDateTime", "holdReason", "holdInitiatedBy"} {
		if !u.Status.OnHold && valueOf(here, key) != nil {
			c.add(lookup(here, key), "%s of a user that is not on hold: add onHold: true, or remove it", key)
		}
	}
}

// parents checks the primary users of sub-users.
func (c *checker) parents(at *yaml.Node, i institution) {
	users := c.ids(at, "users", "hostUserId")
	subs := map[string]bool{}
	for _, u := range i.Users {
		subs[u.HostUserID] = u.Parent != ""
	}
	for n, u := range i.Users {
		here := lookup(lookup(at, "users").Content[n], "parentHostUserId")
		switch {
		case u.Parent == "":
		case !users.has[u.Parent] && !i.Generate.gives(u.Parent):
			c.refersToNothing(here, i, "users", u.Parent, users)
		case subs[u.Parent]:
			c.add(here,
				"the parent of a sub-user must be a primary user, without a parentHostUserId: write another one, or remove its "+
					"parentHostUserId")
		}
	}
}

// institutionAlerts checks the alert types of an institution and its preferences.
func (c *checker) institutionAlerts(at *yaml.Node, i institution, alertTypes known) {
	names, typeIDs, defaultIDs := map[string]*yaml.Node{}, map[string]*yaml.Node{}, map[string]*yaml.Node{}
	for n, name := range i.AlertTypes {
		names[name] = lookup(at, "alertTypes").Content[n]
	}
	for n, t := range i.AlertTypeRows {
		here := lookup(at, "institutionAlertTypes").Content[n]
		c.unique(names, "alertTypeName", t.Name, here)
		c.uniqueNumber(typeIDs, "institutionAlertTypeId", t.ID, here)
	}
	for n, d := range i.AlertDefaults {
		here := lookup(at, "institutionAlertPreferences").Content[n]
		c.uniqueNumber(defaultIDs, "institutionAlertPrefId", d.ID, here)
		c.alertTypeName(here, d.TypeName, alertTypes)
	}
}

func (c *checker) uniqueNumber(taken map[string]*yaml.Node, key string, id int64, item *yaml.Node) {
	if id != 0 {
		c.unique(taken, key, strconv.FormatInt(id, 10), item)
	}
}

// alertTypeName checks the name of an alert type that something refers to.
func (c *checker) alertTypeName(at *yaml.Node, name string, all known) {
	if len(all.names) > 0 && name != "" && !all.has[name] && !c.report.full() {
		c.add(lookup(at, "alertTypeName"), "unknown alertTypeName %s%s (alertTypes and institutionAlertTypes of the institution list them)",
			phrase.Quote(name), c.report.didYouMean(name, all.names, "the alert types are"))
	}
}

// participants checks the participants of a group or of a job.
func (c *checker) participants(of *yaml.Node, ids []string) {
	seen := map[string]bool{}
	for n, id := range ids {
		switch here := lookup(of, "participants").Content[n]; {
		case seen[id]:
			c.add(here, "duplicate participant %s: remove one of them", phrase.Quote(id))
		case !sim.IsParticipantID(id):
			c.add(here,
				"participant %s must be of printable ASCII characters without spaces, commas and quotes, such as "+
					"\"1001\"", phrase.Quote(id))
		}
		seen[id] = true
	}
}

// job checks a job of a group.
func (c *checker) job(at *yaml.Node, taken map[string]*yaml.Node, g group, j job) {
	c.unique(taken, "jobId", j.JobID, at)
	if g.Status == sim.GroupStatusDeleted {
		c.add(at, "a DELETED group has no jobs: they go with it; remove the job, or groupStatus")
	}
	if j.Succeeded+j.Failed > j.Total {
		c.add(at,
			"totalRecordsCount %d is less than successRecordsCount %d and failedRecordsCount %d together: raise "+
				"it", j.Total, j.Succeeded, j.Failed)
	}
	c.participants(at, j.Imports)
	c.jobTimes(at, j)
}

// jobTimes checks what a job has to do yet.
func (c *checker) jobTimes(at *yaml.Node, j job) {
	if valueOf(at, "endsAt") == nil {
		if j.ProcessedAt != "" {
			c.add(lookup(at, "processedAt"), "processedAt without endsAt: add endsAt, when the job ends, or remove it")
		}
		if len(j.Imports) > 0 {
			c.add(lookup(at, "participants"),
				"a job that has ended has no participants: write them in the group, or add endsAt, when the job ends")
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
		c.add(lookup(at, "jobStatus"),
			"jobStatus %s of a job with endsAt: write what it ends with, such as %s, or remove endsAt to hold the job "+
				"there", j.Status, sim.JobStatusSuccessful)
	case !ends.After(c.start):
		c.add(lookup(at, "endsAt"),
			"endsAt is not after the clock's start, %s: set it later, or remove it if the job has ended", show(c.start))
	case begins.Before(created):
		c.add(lookup(at, "processedAt"), "processedAt is before the job's creation, %s: set it later", show(created))
	case ends.Before(begins):
		c.add(lookup(at, "endsAt"), "endsAt is before the job is processed, %s: set it later", show(begins))
	}
}
