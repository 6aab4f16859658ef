package infer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// lesson is an answer of the service that the bank's answer differs from, beside what the whole capture says.
type lesson struct {
	known
	exchange
	bank outcome
}

// rowPath is where a scenario has a row or a mapping: institutions/02688/users/1001. It is empty if an exchange doesn't
// say which one. Then it says nothing about it.
type rowPath string

// at returns a path below another one, or "" if a segment is missing.
func (p rowPath) at(segments ...string) rowPath {
	if p == "" || slices.Contains(segments, "") {
		return ""
	}
	return rowPath(at(string(p), segments...))
}

// exists says that the bank has a row.
func (l lesson) exists(row rowPath) fact { return fact{path: string(row), from: []int{l.number}} }

// has says that a member of a row has a value: not nil, "" or a nil list.
func (l lesson) has(row rowPath, member string, value any) fact {
	if list, isList := value.([]any); value == nil || value == "" || isList && list == nil {
		return fact{}
	}
	return fact{string(row.at(member)), value, []int{l.number}}
}

// copies says that a row has members of an answer's row. A name may lead into it by dots: the last one is the member's.
func (l lesson) copies(row rowPath, answered any, names ...string) (all []fact) {
	for _, name := range names {
		way := strings.Split(name, ".")
		all = append(all, l.has(row, way[len(way)-1], member(answered, way...)))
	}
	return all
}

// said returns the facts that an exchange says: those with a path.
func said(all []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.path == "" })
}

func (l lesson) institutionPath() rowPath {
	return rowPath("institutions").at(l.institutionFor(l.exchange))
}

// userPath is the path of the user that the request is about.
func (l lesson) userPath() rowPath { return l.userPathOf(l.userFor(l.exchange)) }

func (l lesson) userPathOf(hostUserID string) rowPath {
	return l.institutionPath().at("users", hostUserID)
}

func (l lesson) accountPath() rowPath { return l.userPath().at("accounts", l.account()) }

func (l lesson) tokenPath() rowPath { return l.tokenPathOf(l.before(l.token())) }

func (l lesson) tokenPathOf(token string) rowPath { return l.institutionPath().at("tokens", token) }

func (l lesson) groupPath(id string) rowPath { return l.institutionPath().at("groups", l.before(id)) }

// before returns an id or a token, or "" if the service has drawn it in the capture: it was not there before.
func (l lesson) before(id string) string { return l.beforeAs("", id) }

// beforeAs is before for the id of a member or a variable.
func (l lesson) beforeAs(name, id string) string {
	if l.drawn[drawnKey(name, id)] {
		return ""
	}
	return id
}

// numberBefore is before for an id that is a number of an answer.
func (l lesson) numberBefore(answered any, names ...string) string {
	id, _ := member(answered, names...).(json.Number)
	return l.beforeAs(names[len(names)-1], id.String())
}

// knowsClient says that the institution has the client of the request.
func (l lesson) knowsClient() fact {
	c := l.likelyClient()
	return l.has(l.institutionPath().at("clients", c.sharedKey), "secretKey", c.secretKey)
}

// knowsSentClient says that the institution has the client that the body names.
func (l lesson) knowsSentClient() fact {
	key := l.sent("client_id")
	return l.has(l.institutionPath().at("clients", key), "secretKey", l.clientWith(key).secretKey)
}

// isIssuedTo says whose token it is: the client's of the request.
func (l lesson) isIssuedTo(token rowPath) fact {
	return l.has(token, "client", l.likelyClient().sharedKey)
}

// likelyClient returns the client of the request, or one of its institution.
func (l lesson) likelyClient() client {
	if own, ok := l.client(); ok {
		return own
	}
	if key := l.of(l.token()).client; key != "" {
		return l.clientWith(key)
	}
	id := l.institutionFor(l.exchange)
	if c := l.clients[id]; c != (client{}) {
		return c
	}
	return client{"app-of-" + id, "secret-of-" + id}
}

// otherUser returns the user that the token of the request is bound to, who is not the user of the request.
func (l lesson) otherUser() string {
	use := l.of(l.token())
	for _, user := range append([]string{use.user}, l.users...) {
		if user != "" && user != l.user() && !use.refusedFor[user] {
			return user
		}
	}
	return "user-of-" + l.token()
}

// issuedUser returns the user of the token that was issued, or "".
func (l lesson) issuedUser() string { return l.of(text(decode(l.answer), "access_token")).user }

// nameOfGroup returns the name of a group that was there before: made up, if no list shows it.
func (l lesson) nameOfGroup(id string) string {
	if name := l.groupNames[id]; name != "" {
		return name
	}
	return "group " + id[:min(len(id), 8)]
}

// idOfGroup returns the id of a group that was there before.
func (l lesson) idOfGroup(name string) string {
	if id := l.groupIDs[name]; id != "" || name == "" {
		return id
	}
	return unknownID + name
}

// bankRule returns the rule of the bank's refusal.
func (l lesson) bankRule() sim.Code { return sim.Code(l.bank.got.decision.Rule) }

// teach returns what a differing answer says about the bank: the first list with a new fact counts.
func (l lesson) teach() [][]fact {
	pass := said(l.neededToPass(l.bankRule())) // nothing if the bank accepts the request
	if l.accepted() {
		return [][]fact{pass, l.fromRows()}
	}
	rule, refuse := l.refusal()
	place := l.refusalPlace()
	switch {
	case rule == "" && place >= 0 && l.isBeforeBankRule(place):
		return nil
	case rule == "":
		return [][]fact{pass}
	case l.bank.accepts(), l.isBeforeBankRule(l.op.Family.CheckOrder(rule)):
		pass = nil
	}
	if !l.bank.trusted {
		return [][]fact{pass}
	}
	return [][]fact{pass, refuse}
}

// refusal returns the rule that refused the request at the service, and what the bank needs to refuse it, too. It is a
// rule of the operation that has the status and the code of the answer.
func (l lesson) refusal() (rule sim.Code, needed []fact) {
	for _, refusal := range slices.Concat(l.op.Refusals(), l.op.Conditions()) {
		if !l.isRefusal(refusal) || l.isContradicted(refusal.Rule) {
			continue
		}
		if needed = l.neededToRefuse(refusal.Rule); needed != nil {
			return refusal.Rule, said(needed)
		}
	}
	return "", nil
}

// isContradicted reports whether another exchange shows that a rule can't have refused the request.
func (l lesson) isContradicted(rule sim.Code) bool {
	switch rule {
	case sim.TokenExpired:
		return l.of(l.token()).lastWorked > l.number
	case sim.TokenOfAnotherUser, sim.UserUnknown:
		return l.of(l.token()).acceptedFor[l.user()]
	}
	return false
}

// isBeforeBankRule reports whether the check at a place of the family's list comes before the bank's refusal. Whether a
// group or an alert preference exists is checked before the body.
func (l lesson) isBeforeBankRule(place int) bool {
	rule, order := l.bankRule(), l.op.Family.CheckOrder
	isOfBody := place > order(sim.UserUnknown)
	if isOfBody && (rule == sim.GroupUnknown || rule == sim.AlertPreferenceUnknown) {
		return false
	}
	return place < order(rule)
}

// fromRows returns what the rows of a trusted answer show.
func (l lesson) fromRows() []fact {
	if !l.bank.trusted || l.lacksAnswer {
		return nil
	}
	return said(l.shownBy(decode(l.answer)))
}

// unseenGroups returns groups that a list counts and doesn't show. Their names are made up.
func (l lesson) unseenGroups() [][]fact {
	if l.op.Name != contract.GroupsList.Name {
		return nil
	}
	var all []fact
	for n := range min(listedIn(decode(l.answer)).groups-l.bank.here.groups, maxRows) {
		name := "unseen group " + strconv.Itoa(n+1)
		all = append(all, l.has(l.institutionPath().at("groups", unknownID+name), "groupName", name))
	}
	return [][]fact{said(all)}
}
