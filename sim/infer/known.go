package infer

import (
	"container/list"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// known is what the capture says without a bank. It never changes.
type known struct {
	defaultInstitution string            // the institution of requests that name none
	institutions       map[string]string // of tokens
	users              map[string]string // hostUserIds of tokens
	knownUsers         []string          // the hostUserIds of users that exist
	isKnownUser        map[string]bool
	refusedUsers       map[string]bool   // tokens with the hostUserIds of users that they are not for
	ofLogin            map[string]string // hostUserIds by login
	clients            map[string]client // the first one of an institution
	secretKeys         map[string]string // of clients, by their shared keys
	tokenClients       map[string]string // shared keys of the clients of tokens, where an answer shows them
	drawn              map[string]bool   // ids and tokens that the service has drawn in the capture
	groupIDs           map[string]string // of groups that were there before, by name
	groupNames         map[string]string // the same the other way round
	groups             *list.List        // the ids of these groups in the order of unsorted lists
	placeOf            map[string]*list.Element
	jobGroups          map[string]string // of jobs
	alertTypeNames     []any             // that the service accepts
	lastWorked         map[string]int    // the numbers of the last exchanges that tokens worked for
	acceptedFor        map[string]bool   // tokens with the hostUserIds of users that they were accepted for
	deniedScopes       map[string]bool   // tokens with scopes that they lack; scopes alone: of tokens that were drawn
	shownScopes        map[string]bool   // the same for those that they have
}

type client struct{ sharedKey, secretKey string }

// knownFrom returns what a capture says without a bank.
func knownFrom(ctx context.Context, all []exchange) known {
	k := known{
		institutions: map[string]string{}, users: map[string]string{}, ofLogin: map[string]string{},
		clients: map[string]client{}, drawn: map[string]bool{}, refusedUsers: map[string]bool{},
		isKnownUser: map[string]bool{}, groups: list.New(), placeOf: map[string]*list.Element{},
		groupIDs: map[string]string{}, groupNames: map[string]string{}, jobGroups: map[string]string{},
		lastWorked: map[string]int{}, tokenClients: map[string]string{}, secretKeys: map[string]string{},
		acceptedFor: map[string]bool{}, deniedScopes: map[string]bool{}, shownScopes: map[string]bool{},
	}
	for x := range until(ctx, all) {
		k.noteDrawn(x)
		if x.accepted() {
			k.noteInstitution(x)
			k.acceptedFor[x.token()+" "+x.user()] = true
		}
		if x.op.Security == contract.Bearer && x.passed(sim.TokenUnknown) && !x.refusedAs(sim.TokenExpired) {
			k.lastWorked[x.token()] = x.number
		}
	}
	for x := range until(ctx, all) { // a refused request may name an institution that doesn't exist
		k.noteInstitution(x)
	}
	if k.defaultInstitution == "" {
		k.defaultInstitution = "00000"
	}
	for x := range until(ctx, all) {
		k.noteCaller(x)
		k.noteScopes(x)
		if x.accepted() {
			k.noteGroups(x)
			k.noteJobs(x)
			k.noteAlertType(x)
		}
	}
	for x := range until(ctx, all) { // whose tokens are known by now
		if login := x.sent("username"); login != "" && x.accepted() {
			if user := k.users[text(decode(x.answer), "access_token")]; user != "" {
				k.ofLogin[login] = user
			}
		}
	}
	return k
}

// noteDrawn notes the ids and the tokens that the service has drawn for a request.
func (k *known) noteDrawn(x exchange) {
	if creates(x.op) && x.accepted() {
		eachMember(decode(x.answer), func(name, value string) {
			if slices.Contains(drawnMembers, name) && !x.sentID(value) {
				k.drawn[drawnKey(name, value)] = true
			}
		})
	}
}

// drawnKey returns an id or a token as a key of drawn. The id of an alert preference is a number like others.
func drawnKey(name, value string) string {
	if strings.HasPrefix(name, "alertPref") {
		return "alert " + value
	}
	return value
}

// noteScopes notes which scopes a token lacks: of operations that refuse it so, while others take it later.
func (k *known) noteScopes(x exchange) {
	token, noted := x.token(), k.deniedScopes
	switch {
	case token == "" || x.op.Scope == "":
		return
	case x.accepted():
		noted = k.shownScopes
	case !x.refusedAs(sim.ScopeMissing) || k.lastWorked[token] <= x.number:
		return
	}
	for _, scope := range x.op.Scopes() {
		if x.accepted() && k.deniedScopes[token+" "+scope] { // then it was the other one
			continue
		}
		noted[token+" "+scope] = true
		if k.drawn[token] {
			noted[scope] = true
		}
	}
}

// scopes returns the scopes that a token may have, or, without a token, all tokens that were drawn.
func (k known) scopes(token string) (some []any) {
	for _, scope := range contract.Scopes() {
		if of := strings.TrimPrefix(token+" "+scope, " "); !k.deniedScopes[of] || k.shownScopes[of] {
			some = append(some, scope)
		}
	}
	return some
}

// noteCaller notes the client of a request, and whether its token is for the user.
func (k *known) noteCaller(x exchange) {
	if c, ok := x.client(); ok && k.clients[k.institutionFor(x)] == (client{}) {
		k.clients[k.institutionFor(x)] = c
	}
	own, hasOwn := x.client()
	if hasOwn && k.secretKeys[own.sharedKey] == "" {
		k.secretKeys[own.sharedKey] = own.secretKey
	}
	switch {
	case x.refusedAs(sim.ClientAuthorizesItself):
		k.tokenClients[x.token()] = x.sent("client_id")
	case hasOwn && x.op.Name == contract.TokensRevoke.Name && x.accepted():
		k.tokenClients[x.sent("token")] = own.sharedKey
	}
	switch user, token := x.user(), x.token(); {
	case user == "" || token == "":
	case x.passed(sim.UserUnknown):
		k.noteUser(token, user)
	case x.refusedAs(sim.TokenOfAnotherUser), x.refusedAs(sim.UserUnknown):
		k.refusedUsers[token+" "+user] = true
	}
}

// noteJobs notes the groups of jobs.
func (k *known) noteJobs(x exchange) {
	answer := decode(x.answer)
	for _, job := range append(array(answer, "content"), answer) {
		id, group, name := text(job, "jobId"), text(job, "groupId"), text(job, "groupName")
		if id != "" && group != "" {
			k.jobGroups[id] = group
		}
		if name != "" && k.groupNames[group] == "" && !k.drawn[group] {
			k.groupIDs[name], k.groupNames[group] = group, name
		}
	}
}

// noteInstitution notes the institution of a token.
func (k *known) noteInstitution(x exchange) {
	id := x.institution()
	if id == "" {
		eachMember(decode(x.answer), func(name, value string) {
			if name == "institutionId" && id == "" {
				id = value
			}
		})
	}
	if !isInstitutionID().MatchString(id) {
		return
	}
	if k.defaultInstitution == "" {
		k.defaultInstitution = id
	}
	if token := x.token(); token != "" && k.institutions[token] == "" {
		k.institutions[token] = id
	}
	if answer := decode(x.answer); text(answer, "access_token") != "" {
		k.institutions[text(answer, "access_token")] = id // section 2.4
		if user := text(answer, "di_ficustomer"); user != "" {
			k.noteUser(text(answer, "access_token"), user)
		}
	}
}

// isInstitutionID matches the ids that a scenario can have.
var isInstitutionID = lazy.Regexp(`^\d{1,32}$`)

// noteUser notes the first user that a token works for.
func (k *known) noteUser(token, user string) {
	if k.users[token] == "" {
		k.users[token] = user
	}
	if !k.isKnownUser[user] {
		k.isKnownUser[user], k.knownUsers = true, append(k.knownUsers, user)
	}
}

// noteGroups notes the groups of a list that were there before the capture: their first names, and their order.
func (k *known) noteGroups(x exchange) {
	if x.op.Name != contract.GroupsList.Name {
		return
	}
	list := decode(x.answer)
	var ids []string
	for _, row := range array(list, "content") {
		id, name := text(row, "groupId"), text(row, "groupName")
		if id == "" || k.drawn[id] {
			continue
		}
		ids = append(ids, id)
		if k.groupNames[id] == "" { // it may have another one later
			k.groupIDs[name], k.groupNames[id] = id, name
		}
	}
	if !x.query.Has("sort") {
		k.noteOrder(ids)
	}
}

// noteOrder notes the order of the groups in a list. New groups are as late as the order of the others allows.
func (k *known) noteOrder(ids []string) {
	var next *list.Element
	for _, id := range slices.Backward(ids) {
		switch at := k.placeOf[id]; {
		case at != nil:
			next = at
			continue
		case next == nil:
			next = k.groups.PushBack(id)
		default:
			next = k.groups.InsertBefore(id, next)
		}
		k.placeOf[id] = next
	}
}

// groupOrder returns the places of groups in unsorted lists, by their ids.
func (k *known) groupOrder() map[string]int {
	order := make(map[string]int, len(k.placeOf))
	for at := k.groups.Front(); at != nil; at = at.Next() {
		order[at.Value.(string)] = len(order)
	}
	return order
}

// noteAlertType notes an alert type that the service accepts.
func (k *known) noteAlertType(x exchange) {
	name := x.sent("alertPreferenceDetails", "alertTypeName")
	isCreation := x.op.Name == contract.AlertsCreatePreference.Name && name != ""
	if isCreation && !slices.Contains(k.alertTypeNames, any(name)) {
		k.alertTypeNames = append(k.alertTypeNames, name)
	}
}

// institutionFor returns the institution of a request.
func (k known) institutionFor(x exchange) string {
	for _, id := range []string{k.institutions[x.token()], x.institution(), k.defaultInstitution} {
		if id != "" {
			return id
		}
	}
	return ""
}

// userFor returns the hostUserId of the user of a request, or "".
func (k known) userFor(x exchange) string {
	if user := x.user(); user != "" {
		return user
	}
	login := x.query.Get("loginId")
	if x.query.Get("userIdType") == "LOGIN_ID" {
		login = x.vars["institutionUserId"]
	}
	if login != "" {
		return k.userOf(login)
	}
	return k.users[x.token()]
}

// userOf returns the hostUserId of the user with a login: the login, if the capture doesn't show another one.
func (k known) userOf(login string) string {
	if user := k.ofLogin[login]; user != "" {
		return user
	}
	return login
}

// refusedAs reports whether the answer is the one to requests that a rule refuses.
func (x exchange) refusedAs(rule sim.Code) bool {
	return contract.ErrorCode(x.answer) == x.op.Family.Refusal(rule).Code
}

// passed reports whether the service has let a request pass a rule: it was accepted, or refused by a later check.
func (x exchange) passed(rule sim.Code) bool {
	return x.accepted() || x.refusalPlace() > x.op.Family.CheckOrder(rule)
}

// refusalPlace returns the place of the first rule with the answer's code among the checks of its family, or -1.
func (x exchange) refusalPlace() int {
	code := contract.ErrorCode(x.answer)
	return slices.IndexFunc(x.op.Family.Refusals, func(r contract.Refusal) bool { return r.Code == code })
}

// institution returns the institution that a request names, or "".
func (x exchange) institution() string {
	for _, name := range []string{"institutionId", "fiid"} {
		if id := x.header.Get(name); isInstitutionID().MatchString(id) {
			return id
		}
	}
	return ""
}

// user returns the hostUserId that a request names, or "".
func (x exchange) user() string {
	if x.query.Get("userIdType") == "HOST_USER_ID" {
		return x.vars["institutionUserId"]
	}
	if user := x.query.Get("hostUserId"); user != "" {
		return user
	}
	return x.header.Get("userid")
}

// account returns the account that a request names, or "".
func (x exchange) account() string {
	if id := x.vars["accountId"]; id != "" {
		return id
	}
	return x.sent("accountId")
}

// token returns the access token of a request, or "".
func (x exchange) token() string {
	scheme, token, ok := strings.Cut(x.header.Get("Authorization"), " ")
	switch {
	case !ok:
		return scheme // without a word before it
	case strings.EqualFold(scheme, "Bearer") && !strings.ContainsAny(token, " \t,"):
		return token
	}
	return ""
}

// client returns the client in a request's Basic credentials.
func (x exchange) client() (client, bool) {
	scheme, encoded, _ := strings.Cut(x.header.Get("Authorization"), " ")
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	key, secret, isPair := strings.Cut(string(decoded), ":")
	ok := strings.EqualFold(scheme, "Basic") && err == nil && isPair && key != "" && secret != ""
	return client{key, secret}, ok
}

// sent returns a text in the body of a request, or "".
func (x exchange) sent(names ...string) string {
	if redact.IsForm(x.header.Get("Content-Type")) {
		form, _ := url.ParseQuery(string(x.body)) // what can't be read has no members
		return form.Get(names[0])
	}
	return text(decode(x.body), names...)
}

// member returns a member of a JSON value, or nil.
func member(value any, names ...string) any {
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func text(value any, names ...string) string {
	text, _ := member(value, names...).(string)
	return text
}

func array(value any, names ...string) []any {
	elements, _ := member(value, names...).([]any)
	return elements
}

func number(value any, names ...string) int {
	digits, _ := member(value, names...).(json.Number)
	n, _ := digits.Int64()
	return int(n)
}

// eachMember calls fn for the texts and numbers in a JSON value, with the names of their members.
func eachMember(value any, fn func(name, value string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch inner := value[name].(type) {
			case string:
				fn(name, inner)
			case json.Number:
				fn(name, inner.String())
			default:
				eachMember(inner, fn)
			}
		}
	case []any:
		for _, element := range value {
			eachMember(element, fn)
		}
	}
}
