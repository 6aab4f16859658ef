package infer

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// known is what the capture says without a bank. It doesn't change once it is made.
type known struct {
	drawn              map[string]bool // ids and tokens that the service has drawn in the capture
	tokens             map[string]*tokenUse
	drawnTokens        *tokenUse // what the capture shows of one that the service has drawn, it may show of all
	defaultInstitution string    // the institution of requests that name none
	users              []string  // the hostUserIds of users that exist
	isUser             map[string]bool
	ofLogin            map[string]string // hostUserIds by login
	clients            map[string]client // the first one of an institution
	secretKeys         map[string]string // of clients, by their shared keys
	groupIDs           map[string]string // of groups that were there before, by name
	groupNames         map[string]string // the same the other way round
	groups             *list.List        // the ids of these groups in the order of unsorted lists
	placeOf            map[string]*list.Element
	jobGroups          map[string]string // of jobs
	alertTypeNames     []any             // that the service accepts
}

type client struct{ sharedKey, secretKey string }

// tokenUse is what the capture says of a token.
type tokenUse struct {
	institution string
	user        string // the hostUserId of its user
	client      string // the shared key of its client, where an answer shows it
	lastWorked  int    // the number of the last exchange that it worked for
	// These are hostUserIds that it was accepted for and refused for, and scopes that it has and lacks.
	acceptedFor, refusedFor, hasScope, lacksScope map[string]bool
}

func newTokenUse() *tokenUse {
	return &tokenUse{
		acceptedFor: map[string]bool{}, refusedFor: map[string]bool{}, hasScope: map[string]bool{},
		lacksScope: map[string]bool{},
	}
}

// of returns the notes about a token, or no notes.
func (k *known) of(token string) tokenUse {
	if use := k.tokens[token]; use != nil {
		return *use
	}
	return tokenUse{}
}

// note returns the notes about a token, to add to them.
func (k *known) note(token string) *tokenUse {
	if k.tokens[token] == nil {
		k.tokens[token] = newTokenUse()
	}
	return k.tokens[token]
}

// knownFrom returns what a capture says without a bank.
func knownFrom(ctx context.Context, all []exchange) known {
	k := known{
		drawn: map[string]bool{}, tokens: map[string]*tokenUse{}, drawnTokens: newTokenUse(),
		isUser: map[string]bool{}, ofLogin: map[string]string{}, clients: map[string]client{},
		secretKeys: map[string]string{},
		groupIDs:   map[string]string{}, groupNames: map[string]string{}, jobGroups: map[string]string{},
		groups: list.New(), placeOf: map[string]*list.Element{},
	}
	for x := range until(ctx, all) {
		k.noteDrawn(x)
		if x.accepted() {
			k.noteInstitution(x)
			k.note(x.token()).acceptedFor[x.user()] = true
		}
		if x.op.Security == contract.Bearer && x.passed(sim.TokenUnknown) && !x.refusedAs(sim.TokenExpired) {
			k.note(x.token()).lastWorked = x.number
		}
	}
	for x := range until(ctx, all) { // a refused request may name an institution that doesn't exist
		k.noteInstitution(x)
		if !x.accepted() { // before others: a token that is accepted may have either scope of an operation
			k.noteScopes(x)
		}
	}
	if k.defaultInstitution == "" {
		k.defaultInstitution = "00000"
	}
	for x := range until(ctx, all) {
		k.noteCaller(x)
		if x.accepted() {
			k.noteScopes(x)
			k.noteGroups(x)
			k.noteJobs(x)
			k.noteAlertType(x)
		}
	}
	for x := range until(ctx, all) { // whose tokens are known by now
		if login := x.sent("username"); login != "" && x.accepted() {
			if user := k.of(text(decode(x.answer), "access_token")).user; user != "" {
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

// noteScopes notes which scopes a token has, and which it lacks: of operations that refuse it so, while others take it
// later.
func (k *known) noteScopes(x exchange) {
	if x.token() == "" || x.op.Scope == "" {
		return
	}
	use := k.note(x.token())
	if !x.accepted() && (!x.refusedAs(sim.ScopeMissing) || use.lastWorked <= x.number) {
		return
	}
	for _, scope := range x.op.Scopes() {
		if use.lacksScope[scope] { // then the token was accepted for the other one
			continue
		}
		use.noteScope(scope, x.accepted())
		if k.drawn[x.token()] {
			k.drawnTokens.noteScope(scope, x.accepted())
		}
	}
}

func (use *tokenUse) noteScope(scope string, has bool) {
	if has {
		use.hasScope[scope] = true
	} else {
		use.lacksScope[scope] = true
	}
}

// scopes returns the scopes that a token may have, maybe none.
func (use tokenUse) scopes() []any {
	some := []any{}
	for _, scope := range contract.Scopes() {
		if use.hasScope[scope] || !use.lacksScope[scope] {
			some = append(some, scope)
		}
	}
	return some
}

// noteCaller notes the client of a request, and whether its token is for the user.
func (k *known) noteCaller(x exchange) {
	own, hasOwn := x.client()
	if hasOwn {
		if id := k.institutionFor(x); k.clients[id] == (client{}) {
			k.clients[id] = own
		}
		if k.secretKeys[own.sharedKey] == "" {
			k.secretKeys[own.sharedKey] = own.secretKey
		}
	}
	switch {
	case x.refusedAs(sim.ClientAuthorizesItself):
		k.note(x.token()).client = x.sent("client_id")
	case hasOwn && x.op.Name == contract.TokensRevoke.Name && x.accepted():
		k.note(x.sent("token")).client = own.sharedKey
	}
	switch user, token := x.user(), x.token(); {
	case user == "" || token == "":
	case x.passed(sim.UserUnknown):
		k.noteUser(token, user)
	case x.refusedAs(sim.TokenOfAnotherUser), x.refusedAs(sim.UserUnknown):
		k.note(token).refusedFor[user] = true
	}
}

// noteJobs notes the groups of jobs.
func (k *known) noteJobs(x exchange) {
	answer := decode(x.answer)
	for _, job := range append(array(answer, "content"), answer) {
		id, group, name := text(job, "jobId"), text(job, "groupId"), text(job, "groupName")
		if id == "" || group == "" {
			continue
		}
		k.jobGroups[id] = group
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
	if token := x.token(); token != "" && k.of(token).institution == "" {
		k.note(token).institution = id
	}
	answer := decode(x.answer)
	if issued := text(answer, "access_token"); issued != "" {
		k.note(issued).institution = id // section 2.4
		if user := text(answer, "di_ficustomer"); user != "" {
			k.noteUser(issued, user)
		}
	}
}

// isInstitutionID matches the ids that a scenario can have.
var isInstitutionID = lazy.Regexp(`^\d{1,32}$`)

// noteUser notes the first user that a token works for.
func (k *known) noteUser(token, user string) {
	if use := k.note(token); use.user == "" {
		use.user = user
	}
	if !k.isUser[user] {
		k.isUser[user], k.users = true, append(k.users, user)
	}
}

// noteGroups notes the groups of a list that were there before the capture: their first names, and their order.
func (k *known) noteGroups(x exchange) {
	if x.op.Name != contract.GroupsList.Name {
		return
	}
	var ids []string
	for _, row := range array(decode(x.answer), "content") {
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
func (k *known) institutionFor(x exchange) string {
	return cmp.Or(k.of(x.token()).institution, x.institution(), k.defaultInstitution)
}

// userFor returns the hostUserId of the user of a request, or "".
func (k *known) userFor(x exchange) string {
	if user := x.user(); user != "" {
		return user
	}
	if login := x.login(); login != "" {
		return k.userOf(login)
	}
	return k.of(x.token()).user
}

// userOf returns the hostUserId of the user with a login: the login, if the capture doesn't show another one.
func (k *known) userOf(login string) string { return cmp.Or(k.ofLogin[login], login) }

// clientWith returns the client with a key. Its secret is made up, if the capture doesn't show it.
func (k *known) clientWith(key string) client {
	return client{key, cmp.Or(k.secretKeys[key], "secret-of-"+key)}
}
