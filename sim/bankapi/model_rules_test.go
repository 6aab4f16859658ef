package bankapi_test

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// verdict is what the reference predicts of an answer: the rule that refuses the request, or what follows from its
// success. The contract has the status and the code of a rule.
type verdict struct {
	rule   sim.Code                      // empty: the request is accepted
	answer *contract.Answer              // nil: the one that the behaviour selects
	then   func(l *learner, body string) // compares the body of a success and learns from it
}

func refused(rule sim.Code) verdict { return verdict{rule: rule} }

// expected returns the status and the code that the contract has for the verdict under a behaviour.
func (v verdict) expected(op *contract.Operation, b *sim.Behavior) (status int, code string) {
	if v.rule == "" && v.answer != nil {
		return v.answer.Status, ""
	}
	if v.rule == "" {
		return op.Answer(b).Status, ""
	}
	refusal := op.Family.Refusal(v.rule)
	return op.Family.Status(refusal, b), refusal.Code
}

// refCaller is the caller that a token stands for.
type refCaller struct{ institution, client, user string }

// authenticate returns the caller of a token, or the rule that refuses the credentials.
func (b *refBank) authenticate(c credentials, bareToo bool, now time.Time) (refCaller, sim.Code) {
	switch {
	case c.kind == "none":
		return refCaller{}, contract.TokenMissing
	case c.kind == "malformed" || c.kind == "bare" && !bareToo:
		return refCaller{}, contract.TokenMalformed
	}
	grant, token := b.token(c.token)
	if grant == nil || token.refresh || grant.revoked || token.revoked {
		return refCaller{}, sim.TokenUnknown
	}
	if !now.Before(token.expires) {
		return refCaller{}, sim.TokenExpired
	}
	return refCaller{grant.institution, grant.client, grant.user}, ""
}

// optionalCaller is authenticate for operations that may accept requests without credentials.
func (b *refBank) optionalCaller(c credentials, bareToo bool, auth sim.Presence, now time.Time) (refCaller, sim.Code) {
	caller, wrong := b.authenticate(c, bareToo, now)
	if wrong == contract.TokenMissing && auth == sim.Optional {
		wrong = ""
	}
	return caller, wrong
}

// estatement predicts the answers of the three e-statement operations.
func (b *refBank) estatement(r estatementRequest, now time.Time) verdict {
	is := b.behavior.Estatements
	caller, wrong := b.authenticate(r.credentials, false, now)
	if wrong != "" {
		return refused(wrong)
	}
	named, wrong := named(r, caller, is.User)
	user := b.user(caller.institution, named.hostUserID)
	if named.loginID != "" {
		user = b.userNamed(caller.institution, named.loginID)
	}
	switch {
	case is.CorrelationID != sim.CorrelationIDOptional && r.correlationID == "":
		return refused(contract.RequestIDMissing)
	case is.CorrelationID == sim.CorrelationIDUUID && len(r.correlationID) != 36:
		return refused(contract.RequestIDMalformed)
	case wrong != "":
		return refused(wrong)
	case r.body.fault != "":
		return refused(r.body.fault)
	case r.operation.Changes && r.activate == nil, r.operation == contract.EstatementsUpdateAccount && r.account == "":
		return refused(contract.MemberMissing)
	case caller.user != "" && (named.loginID == "" && caller.user != named.hostUserID || named.loginID != "" && (user == nil || user.ID != caller.user)):
		return refused(sim.TokenOfAnotherUser)
	case user == nil:
		return refused(sim.UserUnknown)
	case !r.operation.Changes:
		return refDisclosures(caller.institution, user, r.account)
	case !b.institution(caller.institution).Multistatement:
		return refused(sim.MultistatementNotConfigured)
	case !user.Active:
		return refused(sim.UserNotActive)
	case r.operation == contract.EstatementsUpdateUser:
		return updateAll(user, *r.activate, is.PartialUpdate == sim.PartialUpdateAllow)
	}
	account := user.account(r.account)
	if account == nil {
		return refused(sim.AccountUnknown)
	}
	if len(account.Disclosures) == 0 {
		return refused(sim.AccountUndisclosed)
	}
	if rule := notAccepted(account.Disclosures); rule != "" {
		return refused(rule)
	}
	account.prefer(*r.activate)
	return verdict{then: wantEmptyBody}
}

// named returns how a request names its user, or the rule that refuses its parameters.
func named(r estatementRequest, caller refCaller, by sim.EstatementUser) (namedUser, sim.Code) {
	switch {
	case by == sim.EstatementUserHostUserID && r.hostUserID == "":
		return namedUser{}, contract.ParameterMissing
	case by == sim.EstatementUserHostUserID:
		return namedUser{hostUserID: r.hostUserID}, ""
	case r.hostUserID != "" && r.loginID != "":
		return namedUser{}, contract.ParametersExclude
	case r.hostUserID == "" && r.loginID == "" && caller.user == "":
		return namedUser{}, contract.ParameterMissing
	case r.hostUserID == "" && r.loginID == "":
		return namedUser{hostUserID: caller.user}, ""
	}
	return namedUser{r.hostUserID, r.loginID}, ""
}

// namedUser is how a request names its user: by one of the two.
type namedUser struct{ hostUserID, loginID string }

func updateAll(user *refUser, activate, partly bool) verdict {
	if rule := notAccepted(user.ofStatements()); rule != "" {
		return refused(rule)
	}
	if len(user.Accounts) == 0 {
		return refused(sim.NoAccounts)
	}
	want := partialBody{[]string{}, []string{}}
	for a := range user.Accounts {
		if user.Accounts[a].UpdateFails && partly {
			want.Failed = append(want.Failed, user.Accounts[a].ID)
			continue
		}
		user.Accounts[a].prefer(activate)
		want.Updated = append(want.Updated, user.Accounts[a].ID)
	}
	for d := range user.Disclosures {
		if len(want.Updated) > 0 {
			user.Disclosures[d].PaperWaiver = activate
		}
	}
	if len(want.Failed) > 0 {
		partial := wants(want)
		partial.answer = &contract.UpdatedPartly
		return partial
	}
	return verdict{then: wantEmptyBody}
}

// ofStatements returns the disclosures that count for an update of all accounts.
func (u *refUser) ofStatements() []refDisclosure {
	var named, others []refDisclosure
	for _, d := range u.Disclosures {
		switch d.Name {
		case "OLS", "":
			named = append(named, d)
		case "ESIGN", "IB":
		default:
			others = append(others, d)
		}
	}
	if named != nil {
		return named
	}
	return others
}

// notAccepted returns the rule that refuses disclosures; empty: all are accepted.
func notAccepted(ds []refDisclosure) sim.Code {
	missing := slices.ContainsFunc(ds, func(d refDisclosure) bool { return d.Status != sim.Accepted })
	switch {
	case len(ds) == 1 && missing:
		return sim.DisclosureNotAccepted
	case len(ds) == 0 || missing:
		return sim.DisclosuresNotAllAccepted
	}
	return ""
}

func (a *refAccount) prefer(activate bool) {
	a.Activate = activate
	for d := range a.Disclosures {
		a.Disclosures[d].PaperWaiver = activate
	}
}

func refDisclosures(institutionID string, user *refUser, accountID string) verdict {
	want := disclosuresBody{[]disclosureBody{}}
	if account := user.account(accountID); account != nil {
		for _, d := range account.Disclosures {
			want.List = append(want.List, disclosureBody{institutionID, d.Status, d.Updated.Format("2006-01-02T15:04:05.000-07:00"), d.PaperWaiver, accountID, d.Name})
		}
	}
	return wants(want)
}

// wants predicts a body.
func wants[T any](want T) verdict {
	return verdict{then: func(l *learner, body string) { l.equal(want, decodeBody[T](l, body), "body") }}
}

// createGroup predicts the answer of groups.create.
func (b *refBank) createGroup(r groupRequest, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	is, in := b.behavior.Groups, b.institution(institutionID)
	taken := func(g refGroup) bool { return g.Status == sim.GroupStatusActive && g.Name == r.name }
	honored := is.ClientGroupID == sim.ClientGroupIDHonor && r.id != ""
	switch {
	case r.body.fault != "":
		return refused(r.body.fault)
	case strings.TrimSpace(r.name) == "":
		return refused(sim.GroupInvalid)
	case utf8.RuneCountInString(r.name) > is.NameLimit:
		return refused(sim.GroupNameTooLong)
	case utf8.RuneCountInString(r.description) > is.DescriptionLimit:
		return refused(sim.GroupDescriptionTooLong)
	case r.kind != "" && r.kind != "EXPERIENCE_GROUP", r.platform != "" && r.platform != "RETAIL_BANKING":
		return refused(sim.GroupTypeUnknown)
	case honored && slices.ContainsFunc(in.Groups, func(g refGroup) bool { return g.ID == r.id }):
		return refused(sim.GroupIDTaken)
	case is.DuplicateName == sim.DuplicateNameReject && slices.ContainsFunc(in.Groups, taken):
		return refused(sim.GroupExists)
	}
	b.useTransactionID(institutionID, r)
	return verdict{then: func(l *learner, body string) {
		got := decodeBody[groupBody](l, body)
		if honored {
			l.equal(r.id, got.GroupID, "groupId")
		} else {
			l.drew(b, "uuid", got.GroupID)
		}
		l.drew(b, "uuid", got.Experience.ExperienceID)
		in.Groups = append(in.Groups, refGroup{ID: got.GroupID, Name: r.name, Description: r.description, Status: "ACTIVE", Updated: now, experience: got.Experience.ExperienceID})
		want := groupBody{GroupID: got.GroupID, GroupName: r.name, GroupDescription: r.description, GroupType: "EXPERIENCE_GROUP",
			GroupPlatform: "RETAIL_BANKING", LastUpdated: now.Format("2006-01-02T15:04:05.000Z"), GroupStatus: "ACTIVE", ExperienceName: r.name}
		want.Experience.ExperienceName, want.Experience.ExperienceID, want.Experience.GroupID = r.name, got.Experience.ExperienceID, got.GroupID
		l.equal(want, got, "group")
	}}
}

// groupInstitution returns the institution that a group request belongs to, or the rule that refuses the request before
// its body or its parameters are read.
func (b *refBank) groupInstitution(r groupRequest, now time.Time) (string, sim.Code) {
	caller, wrong := b.optionalCaller(r.credentials, false, b.behavior.Groups.Auth, now)
	institutionID := cmp.Or(caller.institution, r.institutionID, b.Institutions[0].ID)
	switch {
	case wrong != "":
		return "", wrong
	case r.transactionID == "":
		return "", contract.RequestIDMissing
	case b.behavior.Dialect == sim.DialectPublic && len(r.transactionID) != 36:
		return "", contract.RequestIDMalformed
	case b.institution(institutionID) == nil:
		return "", sim.InstitutionUnknown
	case b.used[[2]string{institutionID, r.transactionID}]:
		return "", sim.RequestIDReused
	}
	return institutionID, ""
}

// useTransactionID remembers the transactionId of a request that succeeds.
func (b *refBank) useTransactionID(institutionID string, r groupRequest) {
	if b.behavior.Groups.TransactionIDReuse == sim.TransactionIDReuseReject {
		b.used[[2]string{institutionID, r.transactionID}] = true
	}
}

// createAlert predicts the answer of alerts.createPreference.
func (b *refBank) createAlert(r alertRequest, now time.Time) verdict {
	in, user, wrong := b.alertScope(r, now)
	if wrong == "" {
		wrong = r.body.fault
	}
	if wrong != "" {
		return refused(wrong)
	}
	if rule := b.refusesAlert(in, user, r.alert); rule != "" {
		return refused(rule)
	}
	b.alertID++
	want := r.alert.stored(b.alertID, in.ID, user)
	in.alerts = append(in.alerts, refAlert{b.alertID, user, want})
	return wants(want)
}

// refusesAlert returns the rule that refuses an alert preference, empty for a good one.
func (b *refBank) refusesAlert(in *refInstitution, user string, alert alertBody) sim.Code {
	is, d := b.behavior.Alerts, alert.Details
	for _, field := range is.RequiredFields {
		if field == "alertOpted" && alert.Opted == nil || field == "alertPreferenceDetails.channelTypeName" && (d == nil || d.Channel == nil) {
			return sim.AlertFieldMissing
		}
	}
	switch {
	case d == nil:
	case is.Contradiction == sim.ContradictionReject && d.Institution != nil && *d.Institution != "" && *d.Institution != in.ID:
		return sim.AlertOtherInstitution
	case is.Contradiction == sim.ContradictionReject && d.Customer != nil && *d.Customer != "" && user != "" && *d.Customer != user:
		return sim.AlertOtherCustomer
	case is.KnownChannelsOnly && d.Channel != nil && !slices.Contains([]string{"EMAIL", "SMS", "PUSH", "WEB"}, *d.Channel):
		return sim.AlertChannelUnknown
	case len(in.AlertTypes) > 0 && d.Type != nil && !slices.Contains(in.AlertTypes, *d.Type):
		return sim.AlertTypeUnknown
	}
	return ""
}
