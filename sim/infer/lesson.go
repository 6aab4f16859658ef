package infer

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// evidence says which fact an exchange shows: a path in a scenario, and = with its value. What stands in braces is
// taken from the exchange: a path of [paths], or a value of [values] or [sources]. If the exchange doesn't have it, the
// evidence shows nothing.
type evidence string

// lesson is an answer that differs, beside the knowledge about the capture. Evidence is read from it.
type lesson struct {
	known
	outcome
	row           any  // of the answer, or nil
	hidesAccounts bool // whether the answer has no disclosures of accounts, and the one of the bank has some
}

var braces = lazy.Regexp(`\{[^{}]+\}`)

// facts returns what evidence shows.
func (l lesson) facts(all []evidence) (facts []fact) {
	for _, e := range all {
		if f, ok := l.fact(e); ok {
			facts = append(facts, f)
		}
	}
	return facts
}

// fact returns the fact that evidence shows. ok is false if the evidence shows nothing.
func (l lesson) fact(e evidence) (f fact, ok bool) {
	path, text, hasValue := strings.Cut(string(e), "=")
	ok = true
	f = fact{from: []int{l.number}}
	f.path = braces().ReplaceAllStringFunc(path, func(name string) string {
		name = strings.Trim(name, "{}")
		segment := ""
		if find := paths[name]; find != nil {
			segment = find(l)
		} else if value, _ := l.value(name).(string); value != "" {
			segment = at("", value)
		}
		ok = ok && segment != ""
		return segment
	})
	if hasValue {
		f.value = l.literal(text)
		ok = ok && f.value != nil && f.value != ""
	}
	return f, ok
}

// literal returns the value after =: the value of a name in braces, JSON, or a text.
func (l lesson) literal(text string) (value any) {
	if braces().MatchString(text) {
		return l.value(strings.Trim(text, "{}"))
	}
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// value returns the value of a name, or nil.
func (l lesson) value(name string) any {
	if find := values[name]; find != nil {
		return find(l)
	}
	source, member, _ := strings.Cut(name, ".")
	return sources[source](l, strings.Split(member, "."))
}

// paths are the rows that an exchange is about. A path is empty if there is no such row, or if the service has drawn
// its id in the capture: then it was not there before.
var paths = map[string]func(lesson) string{
	"institution": lesson.institutionPath,
	"user":        func(l lesson) string { return l.inInstitution("users", l.userFor(l.exchange)) },
	"login":       func(l lesson) string { return l.inInstitution("users", l.userOf(l.sent("username"))) },
	"otherUser":   func(l lesson) string { return l.inInstitution("users", l.otherUser()) },
	"issuedUser":  func(l lesson) string { return l.inInstitution("users", l.issuedUser()) },
	"account":     lesson.accountPath,
	"holder": func(l lesson) string { // of a disclosure about statements
		if l.account() != "" {
			return l.accountPath()
		}
		return l.inInstitution("users", l.userFor(l.exchange))
	},
	"token": func(l lesson) string { return l.inInstitution("tokens", l.before(l.token())) },
	"refreshed": func(l lesson) string { // the access token of the refresh token that the request uses
		if refresh := l.before(l.sent("refresh_token")); refresh != "" {
			return l.inInstitution("tokens", "access-of-"+refresh)
		}
		return ""
	},
	"group":    func(l lesson) string { return l.inInstitution("groups", l.before(l.vars["groupId"])) },
	"rowGroup": func(l lesson) string { return l.inInstitution("groups", l.before(text(l.row, "groupId"))) },
	"jobGroup": func(l lesson) string { return l.inInstitution("groups", l.before(l.jobGroups[l.vars["jobId"]])) },
}

// values are what an exchange says, or nil.
var values = map[string]func(lesson) any{
	"sharedKey":    func(l lesson) any { return l.likelyClient().sharedKey },
	"secretKey":    func(l lesson) any { return l.likelyClient().secretKey },
	"hostUserId":   func(l lesson) any { return l.userFor(l.exchange) },
	"otherUserId":  func(l lesson) any { return l.otherUser() },
	"issuedUserId": func(l lesson) any { return l.issuedUser() },
	"loginId": func(l lesson) any {
		if l.query.Get("userIdType") == sim.LoginIDType {
			return l.vars["institutionUserId"]
		}
		return l.query.Get("loginId")
	},
	"sentSecret":        func(l lesson) any { return l.clientWith(l.sent("client_id")).secretKey },
	"groupName":         func(l lesson) any { return l.nameOfGroup(l.vars["groupId"]) },
	"groupNamed":        func(l lesson) any { return l.idOfGroup(l.sent("groupName")) },
	"institutionUserId": func(l lesson) any { return strings.ToUpper(text(l.row, "institutionUserId")) },
	"multistatement":    lesson.multistatement,
	"alertTypes": func(l lesson) any {
		if len(l.alertTypeNames) == 0 {
			return nil
		}
		return l.alertTypeNames
	},
	"tokenScopes":  func(l lesson) any { return l.scopes(l.token()) },
	"clientScopes": func(l lesson) any { return l.scopes("") },
	"channels": func(l lesson) any { // answers have them in one text
		var all []any
		for name := range strings.SplitSeq(text(l.row, "channelsOptd"), ",") {
			if name = strings.TrimSpace(name); name != "" {
				all = append(all, name)
			}
		}
		if all == nil {
			return nil
		}
		return all
	},
	"inactive": func(l lesson) any { // answers leave the flag out
		if member(l.row, "active") == true {
			return nil
		}
		return false
	},
	"ownDisclosure": func(l lesson) any { // the name of a disclosure of the user's, not of an account
		if text(l.row, "accountId") != "" {
			return nil
		}
		return text(l.row, "institutionDisclosureName")
	},
	"at": func(l lesson) any { return l.at.UTC().Format("2006-01-02T15:04:05Z") },
}

// sources are where values come from that are named by a member: {row.groupName}.
var sources = map[string]func(l lesson, names []string) any{
	"row":    func(l lesson, names []string) any { return member(l.row, names...) },
	"sent":   func(l lesson, names []string) any { return l.sent(names...) },
	"path":   func(l lesson, names []string) any { return l.beforeAs(names[0], l.vars[names[0]]) },
	"number": func(l lesson, names []string) any { return json.Number(l.vars[names[0]]) },
	"before": func(l lesson, names []string) any { return l.before(text(l.row, names...)) },
	"id": func(l lesson, names []string) any { // a number
		id, _ := member(l.row, names...).(json.Number)
		return l.beforeAs(names[len(names)-1], id.String())
	},
}

func (l lesson) institutionPath() string { return at("", "institutions", l.institutionFor(l.exchange)) }

// inInstitution returns the path of a row of the institution, or "" without an id.
func (l lesson) inInstitution(list, id string) string {
	if id == "" {
		return ""
	}
	return at(l.institutionPath(), list, id)
}

func (l lesson) accountPath() string {
	user := l.inInstitution("users", l.userFor(l.exchange))
	if user == "" || l.account() == "" {
		return ""
	}
	return at(user, "accounts", l.account())
}

// before returns an id or a token, or "" if the service has drawn it in the capture: it was not there before.
func (l lesson) before(id string) string { return l.beforeAs("", id) }

// beforeAs is before for the id of a member or a variable.
func (l lesson) beforeAs(name, id string) string {
	if l.drawn[drawnKey(name, id)] {
		return ""
	}
	return id
}

// likelyClient returns the client of the request, or one of its institution.
func (l lesson) likelyClient() client {
	if own, ok := l.client(); ok {
		return own
	}
	if key := l.tokenClients[l.token()]; key != "" {
		return l.clientWith(key)
	}
	id := l.institutionFor(l.exchange)
	if c := l.clients[id]; c != (client{}) {
		return c
	}
	return client{"app-of-" + id, "secret-of-" + id}
}

// clientWith returns the client with a key. Its secret is made up, if the capture doesn't show it.
func (l lesson) clientWith(key string) client {
	return client{key, cmp.Or(l.secretKeys[key], "secret-of-"+key)}
}

// otherUser returns the user that the token of the request is bound to, who is not the user of the request.
func (l lesson) otherUser() string {
	for _, user := range append([]string{l.users[l.token()]}, l.knownUsers...) {
		if user != "" && user != l.exchange.user() && !l.refusedUsers[l.token()+" "+user] {
			return user
		}
	}
	return "user-of-" + l.token()
}

// issuedUser returns the user of the token that was issued, or "".
func (l lesson) issuedUser() string { return l.users[text(decode(l.answer), "access_token")] }

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

// multistatement returns false if the list of a user's disclosures shows that it is not configured: the user's own have
// a preference, or the disclosures of accounts are missing. Otherwise it returns nil.
func (l lesson) multistatement() any {
	isOwn := text(l.row, "accountId") == "" && member(l.row, "paperWaiver") != nil
	if isOwn || l.hidesAccounts {
		return false
	}
	return nil
}

// teach returns what a differing answer says about the bank: the first list with a new fact counts.
func (l lesson) teach() [][]fact {
	rule, needed := l.refusal()
	refusedHere := sim.Code(l.got.decision.Rule)
	switch {
	case l.accepts() && l.accepted():
		return [][]fact{l.fromRows()}
	case l.accepted():
		return [][]fact{l.facts(neededToPass[refusedHere]), l.fromRows()}
	case needed == nil && l.isRefusedBefore(refusedHere):
		return nil
	case needed == nil:
		return [][]fact{l.facts(neededToPass[refusedHere])}
	case !l.accepts() && !l.checksLater(refusedHere, rule):
		return [][]fact{l.facts(neededToPass[refusedHere]), l.ifTrusted(needed)}
	}
	return [][]fact{l.ifTrusted(needed)}
}

// ifTrusted returns what evidence shows in a trusted answer.
func (l lesson) ifTrusted(all []evidence) []fact {
	if !l.trusted {
		return nil
	}
	return l.facts(all)
}

// isRefusedBefore reports whether the service refused the request by an earlier check than a rule.
func (l lesson) isRefusedBefore(rule sim.Code) bool {
	first := l.refusalPlace()
	return first >= 0 && first < l.op.Family.CheckOrder(rule) && !l.isBeforeBody(rule, first)
}

// isBeforeBody reports whether a rule is checked before the one at a place of the family's list, because that is about
// the body, and the rule is about what the body is for.
func (l lesson) isBeforeBody(rule sim.Code, place int) bool {
	isFor := rule == sim.GroupUnknown || rule == sim.AlertPreferenceUnknown
	return isFor && place > l.op.Family.CheckOrder(sim.UserUnknown)
}

// checksLater reports whether a rule is checked after another one.
func (l lesson) checksLater(rule, other sim.Code) bool {
	place := l.op.Family.CheckOrder(other)
	return l.op.Family.CheckOrder(rule) > place && !l.isBeforeBody(rule, place)
}
