package bankapi_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The reference's disclosures of users: the rows that the e-statement operations look at.

type disclosureRequest struct {
	estatementRequest        // who asks, and about whom
	transactionID            string
	custom, name, status, at string // empty: not sent
	accountType              string // of the query; empty: not sent
	waiver                   *bool
	fault                    sim.Code
}

// aUUID is a request id that every operation accepts.
const aUUID = "9b2f3c52-9d4e-4d26-8a39-1d4a5a0e8f11"

func drawDisclosure(t *rapid.T, op *contract.Operation, bearer credentials) disclosureRequest {
	r := disclosureRequest{
		estatementRequest: estatementRequest{operation: op, credentials: bearer,
			hostUserID: mostly(t, "hostUserId", []string{"1001", "1003", "1002", "1004"}, "7", ""),
		},
		transactionID: mostly(t, "transactionId", []string{aUUID}, "t-1", ""),
		custom:        mostly(t, "institutionDisclosureId", []string{""}, "custom"),
		name:          mostly(t, "institutionDisclosureName", []string{"OLS", "ESIGN", "OLS", "IB"}, "TAX", ""),
		status:        mostly(t, "status", []string{sim.Accepted, sim.NotAccepted}, sim.Enrolled, "MAYBE", ""),
		accountType:   mostly(t, "accountType", []string{"CHECKING"}, "WALLET", ""),
		waiver:        optional(t, "paperWaiver", true, false),
	}
	r.at = pick(t, "status time", "", "2026-01-10T00:00:00.000+00:00", "2026-01-10T00:00:00-07:00")
	if r.name == "OLS" || chance(t, 8, "account of another") {
		r.account = pick(t, "accountId", "checking", "savings", "", "loan", "nope")
	}
	if chance(t, 5, "by name") {
		r.loginID = pick(t, "loginId", "avery", "blake", "nobody")
		r.hostUserID = pick(t, "hostUserId beside it", "", "", "1001")
	}
	members := map[string]any{}
	for name, value := range map[string]string{"institutionDisclosureId": r.custom, "institutionDisclosureName": r.name,
		"institutionUserDisclosureStatus": r.status, "institutionUserDisclosureStatusUpdateDateTime": r.at, "accountId": r.account} {
		if value != "" {
			members[name] = value
		}
	}
	if r.waiver != nil {
		members["paperWaiver"] = *r.waiver
	}
	r.body = drawBody(t, members)
	if r.fault = r.body.fault; r.body.text == "" {
		r.fault = contract.BodyEmpty
	}
	return r
}

func (r disclosureRequest) wire() simtest.Call {
	op, body := r.operation, r.body
	if !op.Changes {
		body = wireBody{}
	}
	var query []string
	for _, p := range [][2]string{{"hostUserId", r.hostUserID}, {"loginId", r.loginID}, {"accountType", r.accountType}} {
		if p[1] != "" && op.TakesQuery(p[0]) {
			query = append(query, p[0]+"="+p[1])
		}
	}
	return body.call(op, r.credentials, "transactionId", r.transactionID).WithQuery(strings.Join(query, "&"))
}

// disclosureUser returns the user of a request, or the rule that refuses it before its body is read, or after it.
func (b *refBank) disclosureUser(r disclosureRequest, now time.Time) (in *refInstitution, user *refUser, before, after sim.Code) {
	caller, wrong := b.authenticate(r.credentials, false, now)
	if wrong != "" {
		return nil, nil, wrong, ""
	}
	switch {
	case r.transactionID == "":
		return nil, nil, contract.RequestIDMissing, ""
	case len(r.transactionID) != 36:
		return nil, nil, contract.RequestIDMalformed, ""
	}
	by, wrong := named(r.estatementRequest, caller, sim.EstatementUserAny)
	if wrong != "" {
		return nil, nil, wrong, ""
	}
	if user = b.user(caller.institution, by.hostUserID); by.loginID != "" {
		user = b.userNamed(caller.institution, by.loginID)
	}
	switch {
	case caller.user != "" && by.loginID == "" && by.hostUserID != caller.user, caller.user != "" && by.loginID != "" && (user == nil || user.ID != caller.user):
		wrong = sim.TokenOfAnotherUser
	case user == nil:
		wrong = sim.UserUnknown
	}
	if by.loginID != "" {
		return b.institution(caller.institution), user, wrong, ""
	}
	return b.institution(caller.institution), user, "", wrong
}

type userDisclosureBody struct {
	InstitutionID string `json:"institutionId"`
	UserID        string `json:"institutionUserId"`
	ID            string `json:"institutionUserDisclosureId"`
	Name          string `json:"institutionDisclosureName"`
	Status        string `json:"institutionUserDisclosureStatus"`
	Updated       string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver   *bool  `json:"paperWaiver"`
	AccountID     string `json:"accountId"`
}

// userDisclosures predicts the answer of disclosures.listUser.
func (b *refBank) userDisclosures(r disclosureRequest, now time.Time) verdict {
	in, user, before, after := b.disclosureUser(r, now)
	if wrong := cmp.Or(before, after); wrong != "" {
		return refused(wrong)
	}
	want := []userDisclosureBody{}
	add := func(ds []refDisclosure, accountID string) {
		for _, d := range ds {
			shown := userDisclosureBody{InstitutionID: in.ID, Name: d.Name, Status: d.Status, AccountID: accountID,
				Updated: d.Updated.UTC().Format("2006-01-02T15:04:05.000-07:00")}
			if d.Name == "OLS" && (accountID != "" || !in.Multistatement) {
				shown.PaperWaiver = &d.PaperWaiver
			}
			want = append(want, shown)
		}
	}
	add(user.Disclosures, "")
	for _, a := range user.Accounts {
		add(a.Disclosures, a.ID)
	}
	institutionID, userID := in.ID, user.ID
	return verdict{then: func(l *learner, body string) {
		got := decodeBody[struct {
			All []userDisclosureBody `json:"institutionUserDisclosures"`
		}](l, body).All
		for i, d := range got {
			l.constant("institutionUserId of "+institutionID+"/"+userID, d.UserID)
			l.constant("disclosure of "+strings.Join([]string{institutionID, userID, d.AccountID, d.Name}, "/"), d.ID)
			got[i].UserID, got[i].ID = "", ""
		}
		l.equal(want, got, "disclosures")
	}}
}

// newDisclosure predicts the answers of disclosures.createUser and disclosures.updateUser.
func (b *refBank) newDisclosure(r disclosureRequest, now time.Time) verdict {
	in, user, before, after := b.disclosureUser(r, now)
	limited := r.name == "OLS" || r.name == "ESIGN"
	wrongStatus := !slices.Contains([]string{"ACCEPTED", "NOT_ACCEPTED", "ENROLLED", "NOT_ENROLLED"}, r.status) || limited && r.status == "ENROLLED"
	creates := r.operation.Name == contract.DisclosuresCreateUser.Name
	switch {
	case before != "":
		return refused(before)
	case r.fault != "":
		return refused(r.fault)
	case r.custom != "":
		return refused(sim.DisclosureUnsupported)
	case r.name == "", r.status == "":
		return refused(contract.MemberMissing)
	case creates && (r.account != "" || r.accountType != "") && r.accountType != "CHECKING":
		return refused(contract.AccountTypeUnknown)
	case after != "":
		return refused(after)
	case !creates && r.name == "OLS":
		return refused(sim.DisclosureImpossible)
	case r.name == "TAX":
		return refused(sim.DisclosureUnsupported)
	case wrongStatus:
		return refused(sim.DisclosureStatusUnknown)
	}
	given := refDisclosure{Name: r.name, Status: r.status, Updated: now, PaperWaiver: r.waiver != nil && *r.waiver}
	if r.at != "" {
		given.Updated = refTime(r.at)
	}
	if !creates {
		at := slices.IndexFunc(user.Disclosures, func(d refDisclosure) bool { return d.Name == r.name })
		if at < 0 {
			return refused(sim.DisclosureMissing)
		}
		given.PaperWaiver = user.Disclosures[at].PaperWaiver
		user.Disclosures = answering(user.Disclosures, given)
		return verdict{then: wantEmptyBody}
	}
	account := user.account(r.account)
	switch {
	case r.name == "OLS" && r.waiver == nil:
		return refused(sim.DisclosureWaiverMissing)
	case r.account == "":
		user.Disclosures = answering(user.Disclosures, given)
	case !in.Multistatement || r.name != "OLS":
		return refused(sim.DisclosureUnsupported)
	case account == nil:
		return refused(sim.AccountUnknown)
	default:
		account.Disclosures, account.Activate = answering(account.Disclosures, given), given.PaperWaiver
	}
	return verdict{then: wantEmptyBody}
}

// answering puts a disclosure in the place of all that have its name, or behind the others.
func answering(ds []refDisclosure, given refDisclosure) []refDisclosure {
	found := false
	for i := range ds {
		if ds[i].Name == given.Name {
			ds[i], found = given, true
		}
	}
	if !found {
		ds = append(ds, given)
	}
	return ds
}

// deleteDisclosure predicts the answer of disclosures.deleteUser.
func (b *refBank) deleteDisclosure(r disclosureRequest, now time.Time) verdict {
	_, user, before, after := b.disclosureUser(r, now)
	switch {
	case before != "":
		return refused(before)
	case r.fault != "":
		return refused(r.fault)
	case r.name == "":
		return refused(contract.MemberMissing)
	case r.account == "":
		return refused(contract.AccountIDMissing)
	case r.accountType != "CHECKING":
		return refused(contract.AccountTypeUnknown)
	case after != "":
		return refused(after)
	case r.name != "OLS":
		return refused(sim.DisclosureImpossible)
	}
	isOLS := func(d refDisclosure) bool { return d.Name == "OLS" }
	account := user.account(r.account)
	if account == nil || !slices.ContainsFunc(account.Disclosures, isOLS) {
		return refused(sim.DisclosureMissing)
	}
	account.Disclosures = slices.DeleteFunc(account.Disclosures, isOLS)
	return verdict{then: wantEmptyBody}
}

func refTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

// disclosure sends a request about the disclosures of a user, in either dialect.
func (m *machine) disclosure(t *rapid.T, op *contract.Operation, judge func(*refBank, disclosureRequest, time.Time) verdict) {
	name, bearer := m.somewhere()
	r := drawDisclosure(t, m.spoken(op), bearer)
	m.call(name, r.operation, m.perhapsHead(r.wire()), func(s *refSandbox, _ string) verdict { return judge(&s.bank, r, s.now) })
}

func (m *machine) listUserDisclosures(t *rapid.T) {
	m.disclosure(t, contract.DisclosuresListUser, (*refBank).userDisclosures)
}

func (m *machine) createDisclosure(t *rapid.T) {
	m.disclosure(t, contract.DisclosuresCreateUser, (*refBank).newDisclosure)
}

func (m *machine) updateDisclosure(t *rapid.T) {
	m.disclosure(t, contract.DisclosuresUpdateUser, (*refBank).newDisclosure)
}

func (m *machine) deleteDisclosure(t *rapid.T) {
	m.disclosure(t, contract.DisclosuresDeleteUser, (*refBank).deleteDisclosure)
}
