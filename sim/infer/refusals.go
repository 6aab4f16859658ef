package infer

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// reading is a request of the capture with what is known: what a rule says about the bank is read from it.
type reading struct {
	known
	outcome
}

// fact returns a fact that the exchange shows.
func (r reading) fact(place string, value any) fact { return fact{place, value, r.number} }

// The places of the rows that the request is about.
func (r reading) institutionPlace() string { return at("", "institutions", r.institution(r.exchange)) }
func (r reading) userPlace() string {
	return at(r.institutionPlace(), "users", r.user(r.exchange))
}
func (r reading) accountPlace() string { return at(r.userPlace(), "accounts", r.account()) }
func (r reading) groupPlace() string {
	return at(r.institutionPlace(), "groups", r.vars["groupId"])
}

// lifted are, by the rule by which the bank refuses a request, what the bank must have so that it doesn't.
var lifted = map[sim.Code]func(reading) []fact{
	sim.TokenUnknown:           reading.tokenExists,
	sim.TokenExpired:           reading.tokenLasts,
	sim.ClientUnknown:          reading.clientExists,
	sim.ClientNotOfInstitution: reading.clientExists,
	sim.InstitutionUnknown:     func(r reading) []fact { return []fact{r.fact(r.institutionPlace(), nil)} },
	sim.UserUnknown:            reading.userExists,
	sim.AccountUnknown:         func(r reading) []fact { return []fact{r.fact(r.accountPlace(), nil)} },
	sim.NoAccounts: func(r reading) []fact {
		return []fact{r.fact(at(r.userPlace(), "accounts", "account-of-"+r.user(r.exchange)), nil)}
	},
	sim.AccountUndisclosed:        reading.disclosureAccepted,
	sim.DisclosureNotAccepted:     reading.disclosureAccepted,
	sim.DisclosuresNotAllAccepted: reading.disclosureAccepted,
	sim.DisclosureUnsupported:     reading.disclosureOffered,
	sim.DisclosureMissing:         reading.disclosureStored,
	sim.UserCredentialsWrong:      reading.loginExists,
	sim.RefreshTokenInvalid:       reading.refreshTokenExists,
	sim.RevocationOfNothing:       reading.tokenToRevokeExists,
	sim.GroupUnknown:              reading.groupExists,
	sim.JobUnknown:                reading.jobExists,
	sim.AlertPreferenceUnknown:    reading.alertPreferenceExists,
	sim.CodeClientUnknown:         reading.codeClientExists,
	sim.ClientWithoutCodes:        reading.codeClientExists,
	sim.ScopesNotAllowed:          reading.codeClientExists,
	sim.CodeUserUnknown:           reading.loginExists,
}

// brought are, by the rule by which the service has refused a request, what the bank must have so that it does, too.
var brought = map[sim.Code]func(reading) []fact{
	sim.UserNotActive:                    func(r reading) []fact { return []fact{r.fact(at(r.userPlace(), "active"), false)} },
	sim.MultistatementNotConfigured:      reading.noMultistatement,
	sim.DisclosuresWithoutMultistatement: reading.noMultistatement,
	sim.DisclosureNotAccepted: func(r reading) []fact {
		return []fact{r.fact(at(r.statementsPlace(), "disclosures", sim.DisclosureOLS, disclosureStatus), sim.NotAccepted)}
	},
	sim.GroupExists:        reading.groupNamed,
	sim.TokenExpired:       reading.tokenExpired,
	sim.TokenOfAnotherUser: reading.tokenBound,
	sim.JobRunning:         reading.jobRuns,
	sim.GroupBusy:          reading.jobRuns,
	sim.AlertWithoutDestinations: func(r reading) []fact {
		return []fact{r.fact(at(r.userPlace(), "destinations"), "none")}
	},
	sim.AlertTypeUnknown: func(r reading) []fact {
		if len(r.alertTypeNames) == 0 {
			return nil
		}
		return []fact{r.fact(at(r.institutionPlace(), "alertTypes"), r.alertTypeNames)}
	},
	sim.AlertTypeNotOpted: func(r reading) []fact {
		name := r.sent("alertPreferenceDetails", "alertTypeName")
		return []fact{r.fact(at(r.institutionPlace(), "institutionAlertTypes", name, "statusOptd"), "INACTIVE")}
	},
}

const disclosureStatus = "institutionDisclosureStatus"

// refusedBy returns the rules by which the service may have refused the request: those of the operation with its status
// and code.
func (o outcome) refusedBy() (rules []sim.Code) {
	code := contract.ErrorCode(o.answer)
	for _, r := range o.op.Refusals() {
		if r.Code == code && slices.Contains(o.op.Family.Statuses(r), o.status) {
			rules = append(rules, r.Rule)
		}
	}
	return rules
}

// fromRefusals returns what a refusal by one side alone, or for another reason, says about the bank.
func (r reading) fromRefusals() (all []fact) {
	if !r.accepts() {
		if lift := lifted[sim.Code(r.got.Decision.Rule)]; lift != nil {
			all = lift(r)
		}
	}
	if len(all) > 0 || r.accepted() || !r.trusted {
		return all
	}
	for _, rule := range r.refusedBy() {
		if bring := brought[rule]; bring != nil {
			return bring(r)
		}
	}
	return nil
}

// fromSwitch returns the switch of the service whose answer to an accepted request has the status of the capture.
func (r reading) fromSwitch() (all []fact) {
	for _, a := range r.op.Answers {
		if a.Status == r.status && a.Switched != nil && a.Switched.Switch.Key != "" {
			place := "behavior/" + slashed(a.Switched.Switch.Key)
			return []fact{r.fact(place, switchValue(a.Value))}
		}
	}
	return nil
}

func (r reading) clientOf(institution string) client {
	if c := r.clients[institution]; c != (client{}) {
		return c
	}
	return client{"app-of-" + institution, "secret-of-" + institution}
}

func (r reading) clientFact(institution string, c client) fact {
	return r.fact(at("", "institutions", institution, "clients", c.sharedKey, "secretKey"), c.secretKey)
}

func (r reading) clientExists() []fact {
	c, ok := r.client()
	if !ok {
		return nil
	}
	return []fact{r.clientFact(r.institution(r.exchange), c)}
}

// tokenExists returns the facts about the access token of the request, unless the service issued it in the capture.
func (r reading) tokenExists() []fact { return r.withToken(r.token(), "") }

// tokenToRevokeExists returns the facts about the token that the request revokes.
func (r reading) tokenToRevokeExists() []fact { return r.withToken(r.sent("token"), "") }

// refreshTokenExists returns the facts about the refresh token of the request. Its access token is made up.
func (r reading) refreshTokenExists() []fact {
	refresh := r.sent("refresh_token")
	if refresh == "" {
		refresh = r.sent("token")
	}
	return r.withToken("access-of-"+refresh, refresh)
}

func (r reading) withToken(access, refresh string) []fact {
	if access == "" || r.born[access] || r.born[refresh] {
		return nil
	}
	institution := r.institution(r.exchange)
	c := r.clientOf(institution)
	if own, ok := r.client(); ok {
		c = own
	}
	place := at("", "institutions", institution, "tokens", access)
	all := []fact{r.clientFact(institution, c), r.fact(at(place, "client"), c.sharedKey)}
	if refresh == "" {
		return all
	}
	all = append(all, r.fact(at(place, "refreshToken"), refresh))
	if user := r.users[text(decode(r.answer), "access_token")]; user != "" {
		all = append(all, r.fact(at("", "institutions", institution, "users", user), nil), r.fact(at(place, "hostUserId"), user))
	}
	return all
}

// tokenPlace is where the access token of the request is.
func (r reading) tokenPlace() string { return at(r.institutionPlace(), "tokens", r.token()) }

func (r reading) tokenLasts() []fact {
	if r.born[r.token()] {
		return nil
	}
	return []fact{r.fact(at(r.tokenPlace(), "expiresIn"), "8760h")}
}

// tokenExpired returns that the access token of the request had expired by then.
func (r reading) tokenExpired() []fact {
	if r.token() == "" || r.born[r.token()] {
		return nil
	}
	return append(r.tokenExists(), r.fact(at(r.tokenPlace(), "expiresAt"), r.at.UTC().Format("2006-01-02T15:04:05Z")))
}

// tokenBound returns that the token is bound to another user than that of the request.
func (r reading) tokenBound() []fact {
	user := r.users[r.token()]
	if user == "" || user == r.exchange.user() {
		user = "user-of-" + r.token()
	}
	if r.born[r.token()] {
		return nil
	}
	return append(r.tokenExists(), r.fact(at(r.institutionPlace(), "users", user), nil),
		r.fact(at(r.tokenPlace(), "hostUserId"), user))
}

func (r reading) userExists() []fact {
	if r.user(r.exchange) == "" {
		return nil
	}
	all := []fact{r.fact(r.userPlace(), nil)}
	if login := r.query.Get("loginId"); login != "" {
		all = append(all, r.fact(at(r.userPlace(), "username"), login))
	}
	return all
}

func (r reading) loginExists() []fact {
	login, password := r.sent("username"), r.sent("password")
	if login == "" {
		return nil
	}
	user := at(r.institutionPlace(), "users", r.userOf(login))
	all := []fact{r.fact(user, nil), r.fact(at(user, "username"), login)}
	if password != "" {
		all = append(all, r.fact(at(user, "password"), password))
	}
	return all
}

// statementsPlace is the account whose statements the request changes, or the user for all accounts.
func (r reading) statementsPlace() string {
	if r.account() != "" {
		return r.accountPlace()
	}
	return r.userPlace()
}

func (r reading) disclosureAccepted() []fact {
	place := at(r.statementsPlace(), "disclosures", sim.DisclosureOLS, disclosureStatus)
	return []fact{r.fact(place, sim.Accepted)}
}

// disclosureOffered returns that the institution has the disclosure that the request names.
func (r reading) disclosureOffered() []fact {
	name := r.sent("institutionDisclosureName")
	if name == "" {
		return nil
	}
	return []fact{r.fact(at(r.institutionPlace(), "institutionDisclosures", name), nil)}
}

// disclosureStored returns that the user had answered the disclosure that the request changes.
func (r reading) disclosureStored() []fact {
	name := r.sent("institutionDisclosureName")
	if name == "" {
		return nil
	}
	return []fact{r.fact(at(r.userPlace(), "disclosures", name, disclosureStatus), sim.NotAccepted)}
}

func (r reading) noMultistatement() []fact {
	return []fact{r.fact(at(r.institutionPlace(), "multistatement"), false)}
}

func (r reading) groupExists() []fact {
	id := r.vars["groupId"]
	if id == "" || r.born[id] {
		return nil
	}
	return []fact{r.fact(at(r.groupPlace(), "groupName"), r.nameOfGroup(id))}
}

// nameOfGroup returns the name of a group that was there before, or a made-up one.
func (r reading) nameOfGroup(id string) string {
	if name := r.groupNames[id]; name != "" {
		return name
	}
	return "group " + id
}

// groupNamed returns that there was a group with the name that the request gives.
func (r reading) groupNamed() []fact {
	name := r.sent("groupName")
	if name == "" {
		return nil
	}
	id := r.groupIDs[strings.ToLower(name)]
	if id == "" {
		id = drawnID + name
	} else {
		name = r.groupNames[id]
	}
	return []fact{r.fact(at(r.institutionPlace(), "groups", id, "groupName"), name)}
}

// jobRuns returns that a job of the group was running.
func (r reading) jobRuns() []fact {
	if r.born[r.vars["groupId"]] {
		return nil
	}
	place := at(r.groupPlace(), "jobs", drawnID)
	return append(r.groupExists(), r.fact(at(place, "jobStatus"), "PROCESSING"))
}

func (r reading) jobExists() []fact {
	id := r.vars["jobId"]
	if group := text(decode(r.answer), "groupId"); id != "" && group != "" && !r.born[id] {
		return r.job(decode(r.answer))
	}
	return nil
}

func (r reading) alertPreferenceExists() []fact {
	id := r.vars["alertPrefId"]
	if id == "" || r.born[id] {
		return nil
	}
	return []fact{r.fact(at(r.userPlace(), "alertPreferences", id, "alertPreferenceDetails", "alertPrefId"), asNumber(id))}
}

// codeClientExists returns the client that codes are for.
func (r reading) codeClientExists() []fact {
	institution, key := r.institution(r.exchange), r.sent("client_id")
	if key == "" {
		return nil
	}
	place := at("", "institutions", institution, "clients", key)
	answer := decode(r.answer)
	scopes := r.sent("scopes")
	if scopes == "" {
		scopes = text(answer, "scopes")
	}
	all := []fact{
		r.fact(at(place, "secretKey"), "secret-of-"+key),
		r.fact(at(place, "authorizationCode", "scopes"), words(scopes)),
	}
	redirect := text(answer, "redirect_uri")
	if redirect == "" {
		redirect = "https://" + key + ".example/callback"
	}
	return append(all, r.fact(at(place, "authorizationCode", "redirectUri"), redirect))
}
