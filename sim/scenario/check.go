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
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// checker reports what is wrong with a document of valid structure: duplicates, dangling references, values that
// contradict each other.
type checker struct {
	report   *report
	behavior sim.Behavior
	start    time.Time // the clock's

	tokenTexts   map[string]place            // of the whole scenario
	alertPrefIDs map[string]place            // of the whole scenario
	userIDs      map[string]map[string]place // of the whole scenario, by key
	// contradictions is whether the scenario says that alert preferences may contradict what they belong to, as the default
	// lets callers create them. Unless it is said, one in a scenario is taken for a mistake.
	contradictions bool

	generated int                       // rows to generate, in the institutions so far
	accounts  map[string]map[string]int // see accountsOf, by institution

	alertTypes   map[string]bool // the names of those of an institution, once they are needed
	alertTypesOf string          // that institution
}

// check checks a document against the tree that it was read from.
func (r *report) check(root *yaml.Node, d document) {
	c := checker{report: r, behavior: behaviorOf(&d.Behavior), start: d.Clock.Start.or(defaultStart), tokenTexts: map[string]place{},
		alertPrefIDs: map[string]place{}, userIDs: map[string]map[string]place{"institutionUserId": {}, "customerId": {}},
		accounts: map[string]map[string]int{}}
	if said := setting(&d.Behavior, contract.AlertsContradiction.Switch); said != nil {
		c.contradictions = c.behavior.Alerts.Contradiction == sim.ContradictionAccept
	}
	c.document(place{root}, d)
}

// place is the position of a part of a document.
type place struct{ node *yaml.Node }

// key returns the place of an entry's value, or that of the mapping if there is none.
func (p place) key(name string) place {
	if value := valueOf(p.node, name); value != nil {
		return place{value}
	}
	return p
}

// item returns the place of an item of a list.
func (p place) item(i int) place { return place{p.node.Content[i]} }

// step returns the place of an item or of an entry's value, whichever the step names, or the place itself if there is
// none.
func (p place) step(name string) place {
	if i, err := strconv.Atoi(name); err == nil && p.node.Kind == yaml.SequenceNode && i < len(p.node.Content) {
		return p.item(i)
	}
	return p.key(name)
}

func (c *checker) add(at place, format string, args ...any) { c.report.add(at.node, format, args...) }

// unique records the id of an item, and reports a duplicate.
func (c *checker) unique(taken map[string]place, key, id string, item place) {
	if id == "" {
		return
	}
	at := item.key(key)
	first, duplicate := taken[id]
	if !duplicate {
		taken[id] = at
		return
	}
	if first == at {
		at = item // an alias of the first item: the duplicate is where the alias is
	}
	where := fmt.Sprintf("on line %d", first.node.Line)
	if file := c.report.fileOf(first.node); file != c.report.fileOf(at.node) {
		where = fmt.Sprintf("in %s, line %d", file, first.node.Line)
	}
	c.add(at, "duplicate %s%s, first %s: change or remove one of them", key, idShown(key, id), where)
}

// parsed reports a text that is given but can't be parsed.
func parsed[T any, S interface {
	~string
	parse() (T, error)
}](c *checker, at place, key string, text S) {
	if text == "" {
		return
	}
	if _, err := text.parse(); err != nil {
		c.add(at.key(key), "%s %s", key, err)
	}
}

func (c *checker) document(at place, d document) {
	parsed(c, at.key("clock"), "start", d.Clock.Start)
	c.switches(at.key("behavior"), &d.Behavior)
	ids := map[string]place{}
	for n, i := range d.Institutions {
		here := at.key("institutions").item(n)
		c.unique(ids, "institutionId", i.InstitutionID, here)
		c.institution(here, i)
	}
	if len(d.Faults) > 0 {
		c.faults(at.key("faults"), ruleList(d.Faults))
		c.faultsOf(at.key("faults"), d)
	}
}

func (c *checker) switches(at place, block *yaml.Node) {
	for _, s := range contract.Switches() {
		n := setting(block, s)
		switch {
		case n == nil:
		case s.Kind == contract.Lifetime:
			family, key, _ := strings.Cut(s.Key, ".")
			parsed(c, at.key(family), key, duration(n.Value))
		case s.Kind == contract.Texts:
			c.names(at.key(s.Key), s.Names)
		}
	}
	c.cors(at.key("cors"), block)
	groups, effective := at.key("groups"), c.behavior.Groups
	if effective.DefaultPageSize <= effective.MaxPageSize {
		return
	}
	if setting(block, contract.GroupsListDefaultSize.Switch) != nil {
		c.add(groups.key("defaultPageSize"), "defaultPageSize %d is more than maxPageSize %d: lower it, or raise maxPageSize",
			effective.DefaultPageSize, effective.MaxPageSize)
	} else {
		c.add(groups.key("maxPageSize"), "maxPageSize %d is less than defaultPageSize, which is %d if left out: raise it, or set defaultPageSize too",
			effective.MaxPageSize, effective.DefaultPageSize)
	}
}

// names reports the keys of a mapping that are none of the known ones.
func (c *checker) names(at place, known []string) {
	for i := 0; i < len(at.node.Content); i += 2 {
		if key := at.node.Content[i]; !slices.Contains(known, key.Value) {
			c.add(place{key}, "unknown key %s%s", phrase.Quote(key.Value), c.report.didYouMean(key.Value, known, "the keys here are"))
		}
	}
}

func (c *checker) institution(at place, i institution) {
	sharedKeys, hostUserIDs, usernames := map[string]place{}, map[string]place{}, map[string]place{}
	for n, client := range i.Clients {
		here := at.key("clients").item(n)
		c.unique(sharedKeys, "sharedKey", client.SharedKey, here)
	}
	for n, u := range i.Users {
		here := at.key("users").item(n)
		c.unique(hostUserIDs, "hostUserId", u.HostUserID, here)
		c.unique(usernames, "username", u.Username, here)
		c.user(here, i, u)
	}
	for n, p := range i.AlertPreferences {
		if p.Details != nil {
			c.alertDetails(at.key("alertPreferences").item(n).key("alertPreferenceDetails"), i, user{}, *p.Details)
		}
	}
	c.parents(at, i)
	c.institutionAlerts(at, i)
	used := map[string]place{}
	for n, id := range i.TransactionIDs {
		c.unique(used, "transactionId", id, at.key("transactionIds").item(n))
	}
	c.tokens(at, i)
	groupIDs, groupNames, jobIDs := map[string]place{}, map[string]place{}, map[string]place{}
	for n, g := range i.Groups {
		here := at.key("groups").item(n)
		c.unique(groupIDs, "groupId", g.GroupID, here)
		if g.Status != sim.GroupStatusDeleted && c.behavior.Groups.DuplicateName == sim.DuplicateNameReject {
			c.unique(groupNames, "groupName", g.Name, here)
		}
		c.group(here, g)
		for k, j := range g.Jobs {
			c.job(here.key("jobs").item(k), jobIDs, g, j)
		}
	}
	if i.Generate != nil {
		c.filler(at.key("generate"), *i.Generate)
	}
}

func (c *checker) user(at place, i institution, u user) {
	c.userStatus(at, u)
	c.disclosures(at, u.Disclosures)
	accountIDs := map[string]place{}
	for n, a := range u.Accounts {
		here := at.key("accounts").item(n)
		c.unique(accountIDs, "accountId", a.AccountID, here)
		c.disclosures(here, a.Disclosures)
	}
	for n, p := range u.AlertPreferences {
		if p.Details != nil {
			c.alertDetails(at.key("alertPreferences").item(n).key("alertPreferenceDetails"), i, u, *p.Details)
		}
	}
}

func (c *checker) disclosures(at place, disclosures []disclosure) {
	for n, d := range disclosures {
		parsed(c, at.key("disclosures").item(n), "institutionUserDisclosureStatusUpdateDateTime", d.StatusUpdate)
	}
}

// alertDetails checks the details of an alert preference. As in a request, an empty id contradicts nothing.
func (c *checker) alertDetails(at place, i institution, u user, d alertDetails) {
	if d.AlertPrefID != 0 {
		c.unique(c.alertPrefIDs, "alertPrefId", strconv.FormatInt(d.AlertPrefID, 10), at)
	}
	if d.InstitutionID != nil && *d.InstitutionID != "" && i.InstitutionID != "" && *d.InstitutionID != i.InstitutionID && !c.contradictions {
		c.add(at.key("institutionId"), "institutionId %s contradicts the institution that the user belongs to, %s: write that, or remove it (behavior.alerts.contradiction: accept, written out, allows it)",
			phrase.Quote(*d.InstitutionID), phrase.Quote(i.InstitutionID))
	}
	if d.InstitutionCustomerID != nil && *d.InstitutionCustomerID != "" && u.HostUserID != "" && *d.InstitutionCustomerID != u.HostUserID && !c.contradictions {
		c.add(at.key("institutionCustomerId"), "institutionCustomerId %s contradicts the user's hostUserId, %s: write that, or remove it (behavior.alerts.contradiction: accept, written out, allows it)",
			phrase.Quote(*d.InstitutionCustomerID), phrase.Quote(u.HostUserID))
	}
	if d.ChannelTypeName != nil && c.behavior.Alerts.KnownChannelsOnly && !slices.Contains(sim.AlertChannels, *d.ChannelTypeName) {
		c.add(at.key("channelTypeName"), "unknown channelTypeName %s%s (behavior.alerts.knownChannelsOnly: false allows any)",
			phrase.Quote(*d.ChannelTypeName), c.report.didYouMean(*d.ChannelTypeName, sim.AlertChannels, "the channels are"))
	}
	if d.AlertTypeName != nil {
		c.alertTypeName(at, *d.AlertTypeName, i)
	}
}

// ids returns the ids in a list as they are written, so that an item with a mistake in it is not reported as missing.
func ids(list place, key string) (known []string, has map[string]bool) {
	has = map[string]bool{}
	if list.node.Kind != yaml.SequenceNode {
		return nil, has
	}
	for _, item := range list.node.Content {
		if value := valueOf(item, key); value != nil {
			known = append(known, value.Value)
			has[value.Value] = true
		}
	}
	return known, has
}

// tokens checks the tokens of an institution.
func (c *checker) tokens(at place, i institution) {
	clients, isClient := ids(at.key("clients"), "sharedKey")
	users, isUser := ids(at.key("users"), "hostUserId")
	for n, t := range i.Tokens {
		here := at.key("tokens").item(n)
		c.unique(c.tokenTexts, "accessToken", t.AccessToken, here)
		c.unique(c.tokenTexts, "refreshToken", t.RefreshToken, here)
		if t.Client != "" && !isClient[t.Client] {
			c.refersToNothing(here.key("client"), "client", "sharedKey", t.Client, clients)
		}
		if t.HostUserID != "" && !isUser[t.HostUserID] && !i.Generate.gives(t.HostUserID) {
			c.refersToNothing(here.key("hostUserId"), "user", "hostUserId", t.HostUserID, users)
		}
		parsed(c, here, "expiresIn", t.ExpiresIn)
		parsed(c, here, "refreshExpiresIn", t.RefreshExpiresIn)
		parsed(c, here, "expiresAt", t.ExpiresAt)
		parsed(c, here, "refreshExpiresAt", t.RefreshExpiresAt)
		c.expiry(here, "expiresIn", "expiresAt", "")
		c.expiry(here, "refreshExpiresIn", "refreshExpiresAt", "refreshToken")
		if t.AccessTokenRevoked && valueOf(here.node, "refreshToken") == nil {
			c.add(here.key("accessTokenRevoked"), "accessTokenRevoked without a refreshToken: write revoked, or add refreshToken")
		}
	}
}

// expiry checks the two keys of a token that say when it expires, of which one may be there, and neither without what expires.
func (c *checker) expiry(token place, in, at, of string) {
	for _, key := range []string{in, at} {
		if of != "" && valueOf(token.node, key) != nil && valueOf(token.node, of) == nil {
			c.add(token.key(key), "%s without a %s: add %s, or remove it", key, of, of)
		}
	}
	if valueOf(token.node, in) != nil && valueOf(token.node, at) != nil {
		c.add(token.key(at), "%s and %s both say when the token expires: remove one of them", in, at)
	}
}

func (c *checker) refersToNothing(at place, what, key, id string, known []string) {
	hint := ": it has none, so add one"
	switch {
	case c.report.full():
		return
	case len(known) > 0:
		hint = c.report.didYouMean(id, known, "there are")
	}
	c.add(at, "no %s of this institution has %s %s%s", what, key, phrase.Quote(id), hint)
}

func (c *checker) group(at place, g group) {
	limits := c.behavior.Groups
	if n := utf8.RuneCountInString(g.Name); n > limits.NameLimit {
		c.add(at.key("groupName"), "groupName has %d characters, more than %d: shorten it, or raise behavior.groups.nameLimit", n, limits.NameLimit)
	}
	if n := utf8.RuneCountInString(g.Description); n > limits.DescriptionLimit {
		c.add(at.key("groupDescription"), "groupDescription has %d characters, more than %d: shorten it, or raise behavior.groups.descriptionLimit",
			n, limits.DescriptionLimit)
	}
	parsed(c, at, "groupLastUpdatedDateTime", g.LastUpdated)
	c.participants(at, g.Participants)
	if count := g.ParticipantCount; count != nil && *count < len(g.Participants) {
		c.add(at.key("groupParticipantCount"), "groupParticipantCount %d is less than the %d participants that are named: raise it, or leave it out",
			*count, len(g.Participants))
	}
}
