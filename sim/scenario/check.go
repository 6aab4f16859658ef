package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// checker finds what no schema can say: doubled ids, references to nothing, values that contradict each other.
type checker struct {
	findings
	files   []source
	invalid nodeSet                // the values that don't fit the schema
	removed map[keyPath]*yaml.Node // see merger
	partial bool                   // whether something that is extended is missing: then references may lead there

	behavior sim.Behavior
	start    time.Time // of the clock

	startsNow bool // whether the clock starts at the real time

	ids    seenIDs             // those that are unique in the whole scenario
	users  map[string]knownIDs // by institution
	amount generatedAmount
}

// seenIDs tells where each id was first, by its key and text.
type seenIDs map[[2]string]*yaml.Node

// LatestYear is the last year in which a clock starts. 292 years, the longest duration, are left before a year has five
// digits.
const LatestYear = 9700

// check checks a document against the tree that it was read from, and returns its mistakes.
func check(f family, m merged, d Document, invalid nodeSet) findings {
	tree := m.tree
	c := checker{
		files:     f.files,
		invalid:   invalid,
		removed:   m.removed,
		partial:   f.partial,
		behavior:  behaviorOf(&d.Behavior),
		start:     d.Clock.startTime(),
		startsNow: d.Clock.Start == startNow,
		ids:       seenIDs{},
		users:     map[string]knownIDs{},
	}
	if c.start.Year() > LatestYear {
		c.add(lookup(tree, "clock", "start"),
			"start is out of range: the clock starts in the year %d at the latest", LatestYear)
	}
	c.switches(lookup(tree, "behavior"), &d.Behavior)
	for n, i := range d.Institutions {
		at := lookup(tree, "institutions").Content[n]
		c.unique(c.ids, "institutionId", i.InstitutionID, at)
		if c.full() {
			return c.findings
		}
		c.institution(at, i)
	}
	if len(d.Faults) > 0 {
		c.faults(lookup(tree, "faults"), ruleList(d.Faults))
		c.faultReferences(lookup(tree, "faults"), d)
	}
	return c.findings
}

// where says where a node is, for a message about another one.
func (c *checker) where(n, from *yaml.Node) string {
	if fileOf(n) != fileOf(from) {
		return fmt.Sprintf("in %s, line %d", c.files[fileOf(n)].file, lineOf(n))
	}
	return fmt.Sprintf("on line %d", lineOf(n))
}

// unique reports an id that an earlier item has. A token is unlike all others, whichever key it has.
func (c *checker) unique(ids seenIDs, key, id string, item *yaml.Node) {
	if id == "" {
		return
	}
	kind, shown := key, " "+wording.Quote(id)
	if secretKeys[key] {
		kind, shown = "token", ""
	}
	at := lookup(item, key)
	first, doubled := ids[[2]string{kind, id}]
	if !doubled {
		ids[[2]string{kind, id}] = at
		return
	}
	if first.Line == at.Line && first.Column == at.Column {
		at = item // an alias of the first item: the second one is where the alias is
	}
	c.add(at, "duplicate %s%s, first %s: change or remove one of them", key, shown, c.where(first, at))
}

// idText returns an id as a text, or an empty text for 0.
func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

func (c *checker) switches(at *yaml.Node, block *yaml.Node) {
	c.cors(lookup(at, "cors"))
	groups, limits := lookup(at, "groups"), c.behavior.Groups
	if limits.DefaultPageSize <= limits.MaxPageSize {
		return
	}
	key := "maxPageSize"
	if setting(block, contract.GroupsListDefaultSize.Switch) != nil {
		key = "defaultPageSize"
	}
	c.add(lookup(groups, key),
		"defaultPageSize %d is more than maxPageSize %d: write a lower defaultPageSize, or a higher maxPageSize",
		limits.DefaultPageSize, limits.MaxPageSize)
}

// cors reports credentials for pages of all origins. Browsers refuse such answers (Fetch standard, CORS check).
func (c *checker) cors(at *yaml.Node) {
	if c.behavior.CORS.Credentials && slices.Contains(c.behavior.CORS.Origins, sim.AnyOrigin) {
		c.add(lookup(at, "credentials"), "credentials don't go with the origin %s, which browsers refuse then: "+
			"list the origins by name, such as \"http://localhost:*\", or remove credentials",
			wording.Quote(sim.AnyOrigin))
	}
}

func (c *checker) institution(at *yaml.Node, i institution) {
	ids := seenIDs{}
	for n, client := range i.Clients {
		here := lookup(at, "clients").Content[n]
		c.unique(ids, "sharedKey", client.SharedKey, here)
		c.clientScopes(here, client)
	}
	alertTypes := c.known(at, "institutionAlertTypes", "alertTypeName")
	for _, name := range slices.DeleteFunc(slices.Clone(i.AlertTypes), func(name string) bool { return name == "" }) {
		alertTypes.names, alertTypes.has[name] = append(alertTypes.names, name), true
	}
	users := c.known(at, "users", "hostUserId")
	users.partial = users.partial || c.invalid[valueOf(at, "generate")]
	c.users[i.InstitutionID] = users
	for n, u := range i.Users {
		here := lookup(at, "users").Content[n]
		c.unique(ids, "hostUserId", u.HostUserID, here)
		c.unique(ids, "username", u.Username, here)
		c.user(here, u, alertTypes)
	}
	c.alertPreferences(at, i.AlertPreferences, alertTypes)
	c.parents(at, i)
	c.institutionAlerts(at, ids, i, alertTypes)
	c.tokens(at, i)
	for n, g := range i.Groups {
		here := lookup(at, "groups").Content[n]
		c.unique(ids, "groupId", g.GroupID, here)
		if g.Status != sim.GroupStatusDeleted && c.behavior.Groups.DuplicateName == sim.DuplicateNameReject {
			c.unique(ids, "groupName", g.Name, here)
		}
		c.group(here, g)
		for k, j := range g.Jobs {
			c.job(lookup(here, "jobs").Content[k], ids, g, j)
		}
	}
	if i.Generate != nil {
		c.generate(lookup(at, "generate"), *i.Generate)
	}
}

func (c *checker) user(at *yaml.Node, u user, alertTypes knownIDs) {
	c.unique(c.ids, "institutionUserId", u.InstitutionUser, at)
	c.unique(c.ids, "customerId", u.CustomerID, at)
	accounts := seenIDs{}
	for n, a := range u.Accounts {
		c.unique(accounts, "accountId", a.AccountID, lookup(at, "accounts").Content[n])
	}
	c.alertPreferences(at, u.AlertPreferences, alertTypes)
}

func (c *checker) additionalInfo(of *yaml.Node, written map[string]any) {
	if info := additionalInfo(written); info != nil && len(*info) > sim.MaxAdditionalInfo {
		c.add(lookup(of, "additionalInfo"),
			"additionalInfo is longer than %d bytes as JSON: shorten it", sim.MaxAdditionalInfo)
	}
}

// knownIDs are the ids that something may refer to.
type knownIDs struct {
	names   []string
	has     map[string]bool
	partial bool // whether there are items without a known id, because they have a mistake
}

// known returns the ids in a list of a mapping as they are written. An id that doesn't fit isn't named.
func (c *checker) known(in *yaml.Node, list, key string) knownIDs {
	k := knownIDs{has: map[string]bool{}}
	items := valueOf(in, list)
	if !isKind(items, yaml.SequenceNode) {
		k.partial = items != nil
		return k
	}
	for _, item := range items.Content {
		value := valueOf(item, key)
		switch {
		case value == nil:
			k.partial = true
			continue
		case !c.invalid[value]:
			k.names = append(k.names, value.Value)
		}
		k.has[value.Value] = true
	}
	return k
}

// refersToNothing reports a reference to an item of a list of an institution that isn't there: at what removed it, if
// that is known.
func (c *checker) refersToNothing(at *yaml.Node, i institution, list, id string, all knownIDs) {
	key, what := lists[list].by[0][0], lists[list].item
	if all.partial || c.partial || c.full() {
		return
	}
	inList := keyPath{}.key("institutions").item(i.InstitutionID).key(list)
	for _, p := range []keyPath{inList.item(id), inList} {
		if removal := c.removed[p]; removal != nil {
			c.add(removal, "the %s with %s %s is removed, and referred to %s: remove or change what refers to it, too",
				what, key, wording.Quote(id), c.where(at, removal))
			return
		}
	}
	hint := c.didYouMean(id, all.names, "there are")
	switch {
	case list == "users" && i.Generate != nil && i.Generate.Users > 0:
		hint = fmt.Sprintf(": generate makes %s to %s", generatedUserID(1), generatedUserID(i.Generate.Users))
	case len(all.has) == 0:
		hint = ": it has none, so add one"
	}
	c.add(at, "no %s of this institution has %s %s%s", what, key, wording.Quote(id), hint)
}

func (c *checker) group(at *yaml.Node, g group) {
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
	c.participants(at, g.Participants)
	if count := g.ParticipantCount; count != nil && !c.partial && *count < len(g.Participants) {
		c.add(lookup(at, "groupParticipantCount"),
			"groupParticipantCount %d is less than the %d participants that are named: raise it, or leave it out",
			*count, len(g.Participants))
	}
}

// parents checks the primary users of sub-users.
func (c *checker) parents(at *yaml.Node, i institution) {
	users, subs := c.users[i.InstitutionID], map[string]bool{}
	for _, u := range i.Users {
		subs[u.HostUserID] = u.Parent != ""
	}
	for n, u := range i.Users {
		here := lookup(lookup(at, "users").Content[n], "parentHostUserId")
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

// participants reports participants that a group or a job has twice.
func (c *checker) participants(of *yaml.Node, ids []string) {
	seen := map[string]bool{}
	for n, id := range ids {
		if seen[id] && id != "" {
			again := lookup(of, "participants").Content[n]
			c.add(again, "duplicate participant %s: remove one of them", wording.Quote(id))
		}
		seen[id] = true
	}
}
