package infer

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A line says which fact an exchange shows: a place in a scenario, and = with its value. What stands in braces is what
// the exchange says, see [reading.place] and [reading.value]. A line of which that is missing shows nothing.
type line string

// reading is a differing answer, with what is known: lines are read from it.
type reading struct {
	known
	outcome
	row any // of the answer, or nil
}

var braces = regexp.MustCompile(`\{[^{}]+\}`)

// fact returns the fact of a line. ok is false if it shows none.
func (r reading) fact(l line) (f fact, ok bool) {
	place, text, hasValue := strings.Cut(string(l), "=")
	missing := false
	f = fact{from: r.number}
	f.place = braces.ReplaceAllStringFunc(place, func(name string) string {
		name = strings.Trim(name, "{}")
		if place := r.place(name); place != "" {
			return place
		}
		value, _ := r.value(name).(string)
		missing = missing || value == ""
		return at("", value)
	})
	if hasValue {
		f.value = r.literal(text)
		missing = missing || f.value == nil || f.value == ""
	}
	return f, !missing
}

// literal returns the value after =.
func (r reading) literal(text string) any {
	if name, ok := strings.CutPrefix(text, "{"); ok {
		return r.value(strings.TrimSuffix(name, "}"))
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// facts returns the facts of lines.
func (r reading) facts(lines []line) (all []fact) {
	for _, l := range lines {
		if f, ok := r.fact(l); ok {
			all = append(all, f)
		}
	}
	return all
}

// place returns the place of a row that the exchange is about, or "".
func (r reading) place(name string) string {
	below := func(of, list, id string) string {
		if of == "" || id == "" {
			return ""
		}
		return at(r.place(of), list, id)
	}
	switch name {
	case "institution":
		return at("", "institutions", r.institution(r.exchange))
	case "user":
		return below("institution", "users", r.user(r.exchange))
	case "login":
		return below("institution", "users", r.userOf(r.sent("username")))
	case "otherUser":
		return below("institution", "users", r.otherUser())
	case "refreshed": // the access token of the refresh token that the request uses
		if refresh := r.unborn(r.sent("refresh_token")); refresh != "" {
			return at(r.place("institution"), "tokens", "access-of-"+refresh)
		}
	case "issuedUser":
		return below("institution", "users", r.issuedUser())
	case "account":
		return below("user", "accounts", r.account())
	case "holder": // of a disclosure about statements
		if r.account() != "" {
			return r.place("account")
		}
		return r.place("user")
	case "token":
		return below("institution", "tokens", r.unborn(r.token()))
	case "group":
		return below("institution", "groups", r.unborn(r.vars["groupId"]))
	case "rowGroup":
		return below("institution", "groups", r.unborn(text(r.row, "groupId")))
	case "jobGroup":
		return below("institution", "groups", r.unborn(r.jobGroups[r.vars["jobId"]]))
	}
	return ""
}

// value returns a value that the exchange says, or nil.
func (r reading) value(name string) any {
	of, names, isMember := strings.Cut(name, ".")
	switch {
	case isMember && of == "row":
		return member(r.row, strings.Split(names, ".")...)
	case isMember && of == "unborn":
		return r.unborn(text(r.row, names))
	case isMember && of == "id": // a number, as a text; not one that the service has drawn in the capture
		id, _ := member(r.row, strings.Split(names, ".")...).(json.Number)
		return r.unborn(id.String())
	case isMember && of == "sent":
		return r.sent(strings.Split(names, ".")...)
	case isMember && of == "answer":
		return text(decode(r.answer), names)
	case isMember && of == "path":
		return r.unborn(r.vars[names])
	case isMember && of == "number":
		return json.Number(r.vars[names])
	}
	c := r.clientOf()
	switch name {
	case "sharedKey":
		return c.sharedKey
	case "secretKey":
		return c.secretKey
	case "hostUserId":
		return r.user(r.exchange)
	case "otherUserId":
		return r.otherUser()
	case "issuedUserId":
		return r.issuedUser()
	case "loginId":
		return r.query.Get("loginId")
	case "groupName":
		return r.nameOfGroup(r.vars["groupId"])
	case "groupNamed": // the id of the group with the name that the request gives
		return r.idOfGroup(r.sent("groupName"))
	case "noAccount": // the name of a disclosure of the user's own
		if text(r.row, "accountId") == "" {
			return text(r.row, "institutionDisclosureName")
		}
		return ""
	case "multistatement":
		return r.multistatement()
	case "institutionUserId":
		return strings.ToUpper(text(r.row, name))
	case "alertTypes":
		if len(r.alertTypeNames) > 0 {
			return r.alertTypeNames
		}
	case "inactive":
		if member(r.row, "active") != true {
			return false
		}
	case "at":
		return r.at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return nil
}

// unborn returns an id or a token, or "" if the service has drawn it in the capture: it was not there before.
func (r reading) unborn(id string) string {
	if r.born[id] {
		return ""
	}
	return id
}

// clientOf returns the client of the request, or one of its institution.
func (r reading) clientOf() client {
	if own, ok := r.client(); ok {
		return own
	}
	id := r.institution(r.exchange)
	if c := r.clients[id]; c != (client{}) {
		return c
	}
	return client{"app-of-" + id, "secret-of-" + id}
}

// otherUser returns the user that the token of the request is bound to, who is not the user of the request.
func (r reading) otherUser() string {
	for _, user := range append([]string{r.users[r.token()]}, r.people...) {
		if user != "" && user != r.exchange.user() && !r.strangers[r.token()+" "+user] {
			return user
		}
	}
	return "user-of-" + r.token()
}

// multistatement returns false if the list of a user's disclosures shows that it is not configured: the user's own have
// a preference, or the disclosures of accounts are missing. Otherwise it returns nil.
func (r reading) multistatement() any {
	accounts := func(answer []byte) (count int) {
		for _, row := range array(decode(answer), "institutionUserDisclosures") {
			if text(row, "accountId") != "" {
				count++
			}
		}
		return count
	}
	isOwn := text(r.row, "accountId") == "" && member(r.row, "paperWaiver") != nil
	if isOwn || accounts(r.answer) == 0 && accounts(r.got.Body) > 0 {
		return false
	}
	return nil
}

// issuedUser returns the user of the token that was issued, or "".
func (r reading) issuedUser() string { return r.users[text(decode(r.answer), "access_token")] }

// nameOfGroup returns the name of a group that was there before: made up, if no list shows it.
func (r reading) nameOfGroup(id string) string {
	if name := r.groupNames[id]; name != "" {
		return name
	}
	return "group " + id
}

// idOfGroup returns the id of a group that was there before.
func (r reading) idOfGroup(name string) string {
	if id := r.groupIDs[name]; id != "" || name == "" {
		return id
	}
	return drawnID + name
}

// teach returns what a differing answer says about the bank: the first that is new counts. Where both have refused the
// request, the bank lacks what the later check needs.
func (r reading) teach() [][]fact {
	if r.accepts() && r.accepted() {
		return [][]fact{r.switched(), r.shown()}
	}
	lift, bring := r.facts(lifted[sim.Code(r.got.Decision.Rule)]), []fact(nil)
	rule, lines := r.refusal()
	if r.trusted {
		bring = r.facts(lines)
	}
	if lines != nil && r.checksLater(sim.Code(r.got.Decision.Rule), rule) {
		return [][]fact{bring}
	}
	return [][]fact{lift, bring, r.shown()}
}

// checksLater reports whether a rule is checked after another one. Whether there is a group comes before its new name.
func (r reading) checksLater(rule, other sim.Code) bool {
	return r.op.Family.CheckOrder(rule) > r.op.Family.CheckOrder(other) && rule != sim.GroupUnknown
}
