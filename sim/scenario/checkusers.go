package scenario

import (
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// users checks the users of an institution, and warns of those whom no token and no login reaches.
func (c *checker) users(at *yaml.Node, ids seenIDs, i institution, alertTypes knownIDs) {
	known := c.known(at, "users", "hostUserId")
	known.partial = known.partial || c.invalid[valueOf(at, "generate")]
	c.userIDs[i.InstitutionID] = known
	c.alike(at, "users", "hostUserId")
	disclosures := slices.Clone(sim.DisclosureNames)
	for _, d := range i.Disclosures {
		disclosures = append(disclosures, d.Name)
	}
	bound := map[string]bool{} // the users that a token is bound to, or "" for a token of all users
	for _, t := range i.Tokens {
		bound[t.HostUserID] = true
	}
	for here, u := range items(at, "users", i.Users) {
		c.unique(ids, "hostUserId", u.HostUserID, here)
		c.unique(ids, "username", u.Username, here)
		c.user(here, u, alertTypes, disclosures)
		hasLogin := u.Username != "" && u.Password != ""
		isReached := bound[""] || bound[u.HostUserID] || hasLogin || len(i.Tokens) == 0 && len(i.Clients) > 0
		if !isReached {
			c.warn(lookup(here, "hostUserId"), "no token or login reaches user %s: add a token with this hostUserId, "+
				"or with none for all users, or username and password", wording.Quote(u.HostUserID))
		}
	}
}

// user checks a user and the accounts, and warns of a login without its other half.
func (c *checker) user(at *yaml.Node, u user, alertTypes knownIDs, disclosures []string) {
	c.unique(c.ids, "institutionUserId", u.InstitutionUser, at)
	c.unique(c.ids, "customerId", u.CustomerID, at)
	switch {
	case u.Username != "" && u.Password == "":
		c.warn(lookup(at, "username"), "a username without a password is no login: add password")
	case u.Username == "" && u.Password != "":
		c.warn(lookup(at, "password"), "a password without a username is no login: add username")
	}
	if u.Status != nil {
		c.status(lookup(at, "status"), u.Status)
	}
	c.disclosures(at, u.Disclosures, disclosures)
	accounts := seenIDs{}
	c.alike(at, "accounts", "accountId")
	for here, a := range items(at, "accounts", u.Accounts) {
		c.unique(accounts, "accountId", a.AccountID, here)
		c.disclosures(here, a.Disclosures, disclosures)
	}
	c.alertPreferences(at, u.AlertPreferences, alertTypes)
	for here, p := range items(at, "alertPreferences", u.AlertPreferences) {
		if a := p.Account; a != nil && a.AccountID != nil && accounts[[2]string{"accountId", *a.AccountID}] == nil {
			c.warn(lookup(here, "alertPreferenceAccountDetails", "accountId"),
				"the user has no account %s", wording.Quote(*a.AccountID))
		}
	}
}

// status warns of a status that contradicts itself.
func (c *checker) status(at *yaml.Node, s *sim.UserStatus) {
	if s.Approved && s.Rejected {
		c.warn(lookup(at, "rejected"), "the user is both approved and rejected: remove one of them")
	}
	if !s.OnHold && (s.HoldReason != "" || s.HeldAt != nil || s.HeldBy != "") {
		c.warn(at, "the status says why or when the user was put on hold, and not that it is: add onHold: true")
	}
	if s.LastLogin != nil {
		c.later(at, "lastLoginDateTime", *s.LastLogin)
	}
}

// parents checks the primary users of sub-users.
func (c *checker) parents(at *yaml.Node, i institution) {
	users, subs := c.userIDs[i.InstitutionID], map[string]bool{}
	for _, u := range i.Users {
		subs[u.HostUserID] = u.Parent != ""
	}
	for here, u := range items(at, "users", i.Users) {
		here = lookup(here, "parentHostUserId")
		switch {
		case u.Parent == "":
		case !users.has[u.Parent] && !i.Generate.generatesUser(u.Parent):
			c.refersToNothing(here, i, "users", u.Parent, users)
		case subs[u.Parent]:
			c.add(here, "the parent of a sub-user must be a primary user, without a parentHostUserId: "+
				"write another one, or remove its parentHostUserId")
		}
	}
}

// disclosures warns of disclosures of a user or an account that the institution doesn't have, that have a status
// that they never have at the bank, or that are there twice.
func (c *checker) disclosures(of *yaml.Node, all []disclosure, known []string) {
	first := map[string]*yaml.Node{}
	for at, d := range items(of, "disclosures", all) {
		isPlain := d.Name == sim.DisclosureOLS || d.Name == sim.DisclosureESIGN
		switch {
		case d.Name != "" && !slices.Contains(known, d.Name):
			c.warn(lookup(at, "institutionDisclosureName"), "the institution has no disclosure %s%s",
				wording.Quote(d.Name), wording.DidYouMean(d.Name, known, "it has"))
		case isPlain && (d.Status == sim.Enrolled || d.Status == sim.NotEnrolled):
			c.warn(lookup(at, "institutionDisclosureStatus"), "%s is never %s: it is ACCEPTED or NOT_ACCEPTED",
				d.Name, d.Status)
		case d.Name != "" && first[d.Name] != nil:
			c.warn(at, "there are two disclosures %s here, the first on line %d: updates need all of them ACCEPTED",
				wording.Quote(d.Name), lineOf(first[d.Name]))
		}
		first[d.Name] = at
		c.later(at, "institutionUserDisclosureStatusUpdateDateTime", d.StatusUpdate.or(time.Time{}))
	}
}
