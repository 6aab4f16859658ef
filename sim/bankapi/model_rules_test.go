package bankapi_test

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// verdict is what the reference knows of an answer. A refusal has a code; the body of a success is looked at, and
// learned from, by then.
type verdict struct {
	status int
	code   string
	then   func(l *learner, body string)
}

func refused(status int, code string) verdict { return verdict{status: status, code: code} }

// refCaller is who a request speaks for.
type refCaller struct{ institution, client, user string }

// authenticate returns the caller of a token, or what is wrong with the credentials: "missing", "malformed",
// "unknown" or "expired".
func (b *refBank) authenticate(c credentials, bareToo bool, now time.Time) (refCaller, string) {
	switch {
	case c.kind == "none":
		return refCaller{}, "missing"
	case c.kind == "malformed" || c.kind == "bare" && !bareToo:
		return refCaller{}, "malformed"
	}
	grant, token := b.token(c.token)
	if grant == nil || token.refresh || grant.revoked {
		return refCaller{}, "unknown"
	}
	if !now.Before(token.expires) {
		return refCaller{}, "expired"
	}
	return refCaller{grant.institution, grant.client, grant.user}, ""
}

// estatement says what the three e-statement operations answer.
func (b *refBank) estatement(r estatementRequest, now time.Time) verdict {
	is := b.Behavior.Estatements
	caller, wrong := b.authenticate(r.credentials, false, now)
	if wrong != "" {
		codes := map[string]string{"missing": "UXESTMT_10001", "malformed": "UXESTMT_10012", "unknown": "UXESTMT_10002", "expired": "UXESTMT_10004"}
		return refused(is.BearerFailureStatus, codes[wrong])
	}
	user := b.user(caller.institution, r.hostUserID)
	switch {
	case is.CorrelationID != "optional" && r.correlationID == "":
		return refused(400, "UXESTMT_10007")
	case is.CorrelationID == "uuid" && len(r.correlationID) != 36:
		return refused(400, "UXESTMT_10008")
	case r.hostUserID == "":
		return refused(400, "UXESTMT_11010")
	case r.body.fault == "media":
		return refused(415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE")
	case r.body.fault != "":
		return refused(400, "UXESTMT_11018")
	case r.operation != "estatements.getDisclosures" && r.activate == nil,
		r.operation == "estatements.updateAccount" && r.account == "":
		return refused(400, "UXESTMT_11010")
	case caller.user != "" && caller.user != r.hostUserID:
		return refused(403, "UXESTMT_10003")
	case user == nil:
		return refused(404, "UXESTMT_88888")
	case r.operation == "estatements.getDisclosures":
		return refDisclosures(caller.institution, user, r.account)
	case !b.institution(caller.institution).Multistatement:
		return refused(400, "UXESTMT_11021")
	case !user.Active:
		return refused(400, "UXESTMT_88889")
	case r.operation == "estatements.updateUser":
		return updateAll(user, *r.activate)
	}
	account := user.account(r.account)
	if account == nil {
		return refused(400, "UXESTMT_11012")
	}
	if !accepted(account.Disclosures) {
		return refused(400, "UXESTMT_11013")
	}
	account.prefer(*r.activate)
	return verdict{status: is.UpdateAccountStatus, then: wantEmptyBody}
}

func updateAll(user *refUser, activate bool) verdict {
	if !accepted(user.Disclosures) {
		return refused(400, "UXESTMT_11013")
	}
	if len(user.Accounts) == 0 {
		return refused(400, "UXESTMT_11020")
	}
	for a := range user.Accounts {
		user.Accounts[a].prefer(activate)
	}
	for d := range user.Disclosures {
		user.Disclosures[d].PaperWaiver = activate
	}
	return verdict{status: 204, then: wantEmptyBody}
}

func accepted(ds []refDisclosure) bool {
	return len(ds) > 0 && !slices.ContainsFunc(ds, func(d refDisclosure) bool { return d.Status != "ACCEPTED" })
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
	return verdict{status: 200, then: func(l *learner, body string) { wantBody(l, want, body) }}
}

// createGroup says what groups.create answers.
func (b *refBank) createGroup(r groupRequest, now time.Time) verdict {
	institutionID, refusal := b.groupInstitution(r, now)
	if refusal != nil {
		return *refusal
	}
	is, in := b.Behavior.Groups, b.institution(institutionID)
	taken := func(g refGroup) bool { return g.Status == "ACTIVE" && g.Name == r.name }
	honored := is.ClientGroupID == "honor" && r.id != ""
	switch {
	case r.body.fault == "media":
		return refused(415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE")
	case r.body.fault != "" || strings.TrimSpace(r.name) == "",
		utf8.RuneCountInString(r.name) > is.NameLimit, utf8.RuneCountInString(r.description) > is.DescriptionLimit:
		return refused(400, "2000")
	case honored && slices.ContainsFunc(in.Groups, func(g refGroup) bool { return g.ID == r.id }):
		return refused(400, "2004")
	case is.DuplicateName == "reject" && slices.ContainsFunc(in.Groups, taken):
		return refused(400, "2004")
	}
	b.useTransactionID(institutionID, r)
	return verdict{status: is.CreateStatus, then: func(l *learner, body string) {
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

// groupInstitution returns the institution that a group request belongs to, or why it is refused before its body
// or its parameters are looked at.
func (b *refBank) groupInstitution(r groupRequest, now time.Time) (string, *verdict) {
	is := b.Behavior.Groups
	refuse := func(status int, code string) (string, *verdict) { return "", &verdict{status: status, code: code} }
	caller, wrong := b.authenticate(r.credentials, false, now)
	if wrong != "" && (wrong != "missing" || is.Auth == "required") {
		return refuse(401, "2003")
	}
	institutionID := caller.institution
	if institutionID == "" {
		institutionID = r.institutionID
	}
	if institutionID == "" {
		institutionID = b.Institutions[0].ID
	}
	if r.transactionID == "" || b.institution(institutionID) == nil || b.used[[2]string{institutionID, r.transactionID}] {
		return refuse(400, "2000")
	}
	return institutionID, nil
}

// useTransactionID remembers the transactionId of a request that succeeds.
func (b *refBank) useTransactionID(institutionID string, r groupRequest) {
	if b.Behavior.Groups.TransactionIDReuse == "reject" {
		b.used[[2]string{institutionID, r.transactionID}] = true
	}
}

// createAlert says what alerts.createPreference answers.
func (b *refBank) createAlert(r alertRequest, now time.Time) verdict {
	is := b.Behavior.Alerts
	caller, wrong := b.authenticate(r.credentials, true, now)
	if wrong != "" && (wrong != "missing" || is.Auth == "required") {
		return refused(401, "CMN_90001")
	}
	if is.Headers == "required" && (r.fiid == "" || r.transactionID == "" || r.userid == "") {
		return refused(400, "PRMVAL_10007")
	}
	institutionID, user := r.fiid, r.userid
	if institutionID == "" {
		institutionID = caller.institution
	}
	if institutionID == "" {
		institutionID = b.Institutions[0].ID
	}
	if user == "" {
		user = caller.user
	}
	in := b.institution(institutionID)
	switch {
	case in == nil || caller.institution != "" && caller.institution != institutionID:
		return refused(400, "PRMVAL_10003")
	case user != "" && b.user(institutionID, user) == nil, caller.user != "" && caller.user != user:
		return refused(400, "PRMVAL_10004")
	case r.body.fault == "media":
		return refused(415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE")
	case r.body.fault != "":
		return refused(400, "PRMSYS_10002")
	}
	if code := b.alertFault(in, user, r.alert); code != "" {
		return refused(400, code)
	}
	b.alertID++
	want := r.alert.stored(b.alertID, institutionID, user)
	in.alerts = append(in.alerts, refAlert{b.alertID, user, want})
	return verdict{status: is.CreateStatus, then: func(l *learner, body string) { wantBody(l, want, body) }}
}

// alertFault returns the code of what is wrong with an alert preference, empty for a good one.
func (b *refBank) alertFault(in *refInstitution, user string, alert alertBody) string {
	is, d := b.Behavior.Alerts, alert.Details
	for _, field := range is.RequiredFields {
		if field == "alertOpted" && alert.Opted == nil || field == "alertPreferenceDetails.channelTypeName" && (d == nil || d.Channel == nil) {
			return "PRMVAL_10012"
		}
	}
	switch {
	case d == nil:
	case d.Institution != nil && *d.Institution != "" && *d.Institution != in.ID:
		return "PRMVAL_10003"
	case d.Customer != nil && *d.Customer != "" && user != "" && *d.Customer != user:
		return "PRMVAL_10004"
	case is.KnownChannelsOnly && d.Channel != nil && !slices.Contains([]string{"EMAIL", "SMS", "PUSH", "WEB"}, *d.Channel):
		return "PRMVAL_10005"
	case len(in.AlertTypes) > 0 && d.Type != nil && !slices.Contains(in.AlertTypes, *d.Type):
		return "PRMVAL_10009"
	}
	return ""
}
