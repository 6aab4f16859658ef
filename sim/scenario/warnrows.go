package scenario

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// checkRows warns of rows of an institution that contradict each other, or lead to nothing.
func (w *warner) checkRows(at *yaml.Node, i institution) {
	known := slices.Clone(sim.DisclosureNames)
	for _, d := range i.Disclosures {
		known = append(known, d.Name)
	}
	users := map[string]bool{}
	for n, u := range i.Users {
		users[u.HostUserID] = true
		user := lookup(at, "users").Content[n]
		w.checkUser(user, u)
		w.checkDisclosures(user, u.Disclosures, known)
		for k, a := range u.Accounts {
			w.checkDisclosures(lookup(user, "accounts").Content[k], a.Disclosures, known)
		}
	}
	for n, g := range i.Groups {
		group := lookup(at, "groups").Content[n]
		w.checkLater(group, "groupLastUpdatedDateTime", g.LastUpdated.or(time.Time{}))
		w.checkParticipants(group, g.Participants, users, i)
		for k, j := range g.Jobs {
			w.checkParticipants(lookup(group, "jobs").Content[k], j.Imports, users, i)
		}
	}
	for n, t := range i.Tokens {
		token := lookup(at, "tokens").Content[n]
		if of, refresh := t.ExpiresAt.or(time.Time{}), t.RefreshExpiresAt.or(time.Time{}); refresh.Before(of) &&
			!refresh.IsZero() {
			w.warn(lookup(token, "refreshExpiresAt"), "the refresh token expires before its access token")
		}
	}
	if g := i.Generate; g != nil && g.ParticipantsPerGroup > g.Users && g.Groups > 0 && !w.partial {
		w.warn(lookup(at, "generate", "participantsPerGroup"),
			"participantsPerGroup %d is more than %s", g.ParticipantsPerGroup, wording.Count(g.Users, "generated user"))
	}
}

// checkUser warns of a login without its other half, and of a status that contradicts itself.
func (w *warner) checkUser(at *yaml.Node, u user) {
	switch {
	case w.partial:
	case u.Username != "" && u.Password == "":
		w.warn(lookup(at, "username"), "a username without a password is no login: add password")
	case u.Username == "" && u.Password != "":
		w.warn(lookup(at, "password"), "a password without a username is no login: add username")
	}
	if s := u.Status; s != nil {
		status := lookup(at, "status")
		if s.Approved && s.Rejected {
			w.warn(lookup(status, "rejected"), "the user is both approved and rejected: remove one of them")
		}
		if !s.OnHold && (s.HoldReason != "" || s.HeldAt != nil || s.HeldBy != "") {
			w.warn(status, "the status says why or when the user was put on hold, and not that it is: add onHold: true")
		}
		if s.LastLogin != nil {
			w.checkLater(status, "lastLoginDateTime", *s.LastLogin)
		}
	}
	accounts := map[string]bool{}
	for _, a := range u.Accounts {
		accounts[a.AccountID] = true
	}
	for n, p := range u.AlertPreferences {
		if p.Account != nil && p.Account.AccountID != nil && !accounts[*p.Account.AccountID] && !w.partial {
			at := lookup(lookup(at, "alertPreferences").Content[n], "alertPreferenceAccountDetails", "accountId")
			w.warn(at, "the user has no account %s", wording.Quote(*p.Account.AccountID))
		}
	}
}

// checkDisclosures warns of disclosures of a user or an account that the institution doesn't have, that have a status
// that they never have at the bank, or that are there twice.
func (w *warner) checkDisclosures(of *yaml.Node, all []disclosure, known []string) {
	first := map[string]*yaml.Node{}
	for n, d := range all {
		at := lookup(of, "disclosures").Content[n]
		isPlain := d.Name == sim.DisclosureOLS || d.Name == sim.DisclosureESIGN
		switch {
		case d.Name != "" && !slices.Contains(known, d.Name) && !w.partial:
			w.warn(lookup(at, "institutionDisclosureName"), "the institution has no disclosure %s%s",
				wording.Quote(d.Name), wording.DidYouMean(d.Name, known, "it has"))
		case isPlain && (d.Status == sim.Enrolled || d.Status == sim.NotEnrolled):
			w.warn(lookup(at, "institutionDisclosureStatus"), "%s is never %s: it is ACCEPTED or NOT_ACCEPTED",
				d.Name, d.Status)
		case d.Name != "" && first[d.Name] != nil:
			w.warn(at, "there are two disclosures %s here, the first on line %d: updates need all of them ACCEPTED",
				wording.Quote(d.Name), lineOf(first[d.Name]))
		}
		first[d.Name] = at
		w.checkLater(at, "institutionUserDisclosureStatusUpdateDateTime", d.StatusUpdate.or(time.Time{}))
	}
}

// checkParticipants warns of participants who are no users of the institution.
func (w *warner) checkParticipants(of *yaml.Node, ids []string, users map[string]bool, i institution) {
	for n, id := range ids {
		if !w.partial && id != "" && !users[id] && !i.Generate.generatesUser(id) && len(users) > 0 {
			w.warn(lookup(of, "participants").Content[n], "the institution has no user %s", wording.Quote(id))
		}
	}
}

// checkLater warns of a time of the past that is later than the clock's start.
func (w *warner) checkLater(at *yaml.Node, key string, t time.Time) {
	start := w.clock.startTime()
	if w.clock.Start != "" && t.After(start) {
		w.warn(lookup(at, key), "%s is later than the clock's start, %s", key, moment(start))
	}
}

// wholeVariable returns the name in a mapping of a body that was meant as a text, {id}, or nothing.
func wholeVariable(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 && isLeftOut(n.Content[1]) {
		return n.Content[0].Value
	}
	return ""
}

// checkBody warns of variables in the body of a stub that are sent as they are: without quotes, in a body that is a
// text, or in the notation of another tool.
func (w *warner) checkBody(n *yaml.Node, path string, isWhole bool) {
	isVariable := func(name string) bool { return strings.Contains(path, "{"+name+"}") }
	if name := wholeVariable(n); name != "" && isVariable(name) {
		w.warn(n, `{%s} is a mapping here: write "{%s}" for the variable`, name, name)
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if match := placeholder().FindString(n.Value); match != "" {
			w.warn(n, "%s stays as it is: write {name} for a variable of the path", wording.Quote(match))
		} else if isWhole && slices.ContainsFunc(variablesOf(path), func(name string) bool {
			return strings.Contains(n.Value, "{"+name+"}")
		}) {
			w.warn(n, "a body that is a text has no variables, so it is sent as it is: write the body as JSON")
		}
	}
	for i, inner := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			w.checkBody(inner, path, false)
		}
	}
}

// variablesOf returns the names of the variables in a path.
func variablesOf(path string) (names []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}
