package scenario

import (
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// groups checks the groups of an institution and their jobs.
func (c *checker) groups(at *yaml.Node, ids seenIDs, i institution) {
	c.alike(at, "groups", "groupName")
	for here, g := range items(at, "groups", i.Groups) {
		c.unique(ids, "groupId", g.GroupID, here)
		if g.Status != sim.GroupStatusDeleted && c.behavior.Groups.DuplicateName == sim.DuplicateNameReject {
			name := g.Name
			if c.behavior.Groups.NameCase == sim.NameCaseInsensitive {
				name = sim.FoldGroupName(name)
			}
			c.unique(ids, "groupName", name, here)
		}
		c.group(here, i, g)
		for jobAt, j := range items(here, "jobs", g.Jobs) {
			c.unique(ids, "jobId", j.JobID, jobAt)
			c.job(jobAt, i, g, j)
		}
	}
}

func (c *checker) group(at *yaml.Node, i institution, g group) {
	limits := c.behavior.Groups
	if n := utf8.RuneCountInString(g.Name); n > limits.NameLimit {
		c.add(lookup(at, "groupName"),
			"groupName has %d characters, more than %d: shorten it, or raise behavior.groups.nameLimit",
			n, limits.NameLimit)
	}
	if n := utf8.RuneCountInString(g.Description); n > limits.DescriptionLimit {
		c.add(lookup(at, "groupDescription"),
			"groupDescription has %d characters, more than %d: shorten it, or raise behavior.groups.descriptionLimit",
			n, limits.DescriptionLimit)
	}
	if strings.ContainsRune(g.Name, 0) {
		c.add(lookup(at, "groupName"), "groupName has the character NUL: remove it")
	}
	c.participants(at, i, g.Participants)
	if count := g.ParticipantCount; count != nil && !c.partial && *count < len(g.Participants) {
		c.add(lookup(at, "groupParticipantCount"),
			"groupParticipantCount %d is less than the %d participants that are named: raise it, or leave it out",
			*count, len(g.Participants))
	}
	c.later(at, "groupLastUpdatedDateTime", g.LastUpdated.or(time.Time{}))
}

// participants reports participants that a group or a job has twice, and warns of those who are no users.
func (c *checker) participants(of *yaml.Node, i institution, ids []string) {
	seen, users := map[string]bool{}, c.userIDs[i.InstitutionID].has
	for at, id := range items(of, "participants", ids) {
		if seen[id] && id != "" {
			c.add(at, "duplicate participant %s: remove one of them", wording.Quote(id))
		}
		seen[id] = true
		if !users[id] && !i.Generate.generatesUser(id) && len(users) > 0 {
			c.warn(at, "the institution has no user %s", wording.Quote(id))
		}
	}
}
