package bankapi

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// userDisclosure is a disclosure of a user or of one of its accounts.
type userDisclosure struct {
	InstitutionID     string `json:"institutionId"`
	InstitutionUserID string `json:"institutionUserId"`
	ID                string `json:"institutionUserDisclosureId"`
	CustomID          string `json:"institutionDisclosureId,omitzero"`
	Name              string `json:"institutionDisclosureName"`
	Status            string `json:"institutionUserDisclosureStatus"`
	StatusUpdateTime  string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver       *bool  `json:"paperWaiver,omitzero"`
	AccountID         string `json:"accountId,omitzero"`
}

func listUserDisclosures(x *exchange, user namedUser) (reply, error) {
	rows, err := x.at.World.ListDisclosures(user.caller, user.hostUserID)
	if err != nil {
		return reply{}, err
	}
	row, _ := x.at.World.User(user.caller.InstitutionID, user.hostUserID)
	institution, _ := x.at.World.Institution(user.caller.InstitutionID)
	all := make([]userDisclosure, len(rows))
	for i, d := range rows {
		all[i] = userDisclosure{
			InstitutionID: user.caller.InstitutionID, InstitutionUserID: row.InstitutionUserID(), ID: d.ID(row), Name: d.Name,
			CustomID:         institution.CustomDisclosureID(d.Name),
			Status:           d.Status,
			StatusUpdateTime: d.StatusUpdate.UTC().Format(contract.Document().DisclosureTime), AccountID: d.AccountID,
		}
		if all[i].CustomID != "" {
			x.restsOn(contract.DisclosuresCustom)
		}
		if d.Name == sim.DisclosureOLS && (d.AccountID != "" || !institution.Multistatement) {
			all[i].PaperWaiver = &d.PaperWaiver
		}
	}
	return x.answerWith(map[string]any{"institutionUserDisclosures": all}), nil
}

// institutionDisclosure is a custom disclosure of an institution.
type institutionDisclosure struct {
	ID            string `json:"institutionDisclosureId"`
	InstitutionID string `json:"institutionId"`
	Name          string `json:"institutionDisclosureName"`
	Data          string `json:"institutionDisclosureData,omitzero"`
	DataType      string `json:"institutionDisclosureDataType,omitzero"`
}

// listInstitutionDisclosures lists the custom disclosures of the caller's institution.
func listInstitutionDisclosures(x *exchange, caller sim.Caller) (reply, error) {
	institution, _ := x.at.World.Institution(caller.InstitutionID)
	all := []institutionDisclosure{}
	for _, d := range institution.Disclosures {
		all = append(all, institutionDisclosure{d.ID, institution.InstitutionID, d.Name, d.Data, d.DataType})
	}
	return x.answerWith(map[string]any{"institutionDisclosures": all}), nil
}

// newDisclosure is the body of the operations that change disclosures.
type newDisclosure struct {
	ID          string  `json:"institutionDisclosureId"`
	UserID      string  `json:"institutionUserDisclosureId"` // the published example of an update has the id there
	Name        string  `json:"institutionDisclosureName"`
	Status      string  `json:"institutionUserDisclosureStatus"`
	At          *string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	AccountID   string  `json:"accountId"`
	PaperWaiver *bool   `json:"paperWaiver"`
}

// createUserDisclosure stores a user's answer to a disclosure.
func createUserDisclosure(x *exchange, write disclosureWrite) (reply, error) {
	n, err := x.newDisclosure(write.body)
	if err != nil {
		return reply{}, err
	}
	if n.AccountID != "" || x.query.Has("accountType") {
		if err := x.accountType(); err != nil {
			return reply{}, err
		}
	}
	return x.emptyReply(), x.at.World.CreateDisclosure(write.caller, write.hostUserID, n, x.at.Now)
}

// updateUserDisclosure changes the status of a disclosure.
func updateUserDisclosure(x *exchange, write disclosureWrite) (reply, error) {
	n, err := x.newDisclosure(write.body)
	if err != nil {
		return reply{}, err
	}
	return x.emptyReply(), x.at.World.UpdateDisclosure(write.caller, write.hostUserID, n, x.at.Now)
}

// deleteUserDisclosure removes the disclosure of an account.
func deleteUserDisclosure(x *exchange, write disclosureWrite) (reply, error) {
	body := write.body
	switch {
	case body.Name == "":
		return reply{}, sim.Refuse(contract.MemberMissing, "institutionDisclosureName is missing")
	case body.AccountID == "":
		return reply{}, sim.Refuse(contract.AccountIDMissing, "accountId is missing")
	}
	if err := x.accountType(); err != nil {
		return reply{}, err
	}
	return x.emptyReply(), x.at.World.DeleteDisclosure(write.caller, write.hostUserID, body.Name, body.AccountID)
}

// businessLocation is the parameter that names the location of a business user.
const businessLocation = "institutionCustomerId"

// disclosureUser reads what all operations on the disclosures of a user share: the token, transactionId and the user.
func (x *exchange) disclosureUser() (user namedUser, err error) {
	caller, err := x.identifiedBearer()
	if err != nil {
		return user, err
	}
	if user, err = x.anyUser(caller); err != nil {
		return user, err
	}
	if x.op.TakesQuery(businessLocation) && x.query.Has(businessLocation) {
		x.restsOn(contract.DisclosuresBusinessUser)
	}
	user.hostUserID, err = x.estatementUser(user)
	return user, err
}

// disclosureWrite is a request that changes the disclosures of a user.
type disclosureWrite struct {
	namedUser
	body newDisclosure
}

// disclosureWrite is disclosureUser, and reads the body, too.
func (x *exchange) disclosureWrite() (write disclosureWrite, err error) {
	if write.namedUser, err = x.disclosureUser(); err != nil {
		return write, err
	}
	if len(x.content.data) == 0 && x.content.err == nil {
		return write, sim.Refuse(contract.BodyEmpty, "the request has no body")
	}
	err = x.decodeJSON(&write.body)
	return write, err
}

// newDisclosure returns what a body says about a disclosure.
func (x *exchange) newDisclosure(d newDisclosure) (sim.NewDisclosure, error) {
	n := sim.NewDisclosure{
		CustomID: cmp.Or(d.ID, d.UserID), Name: d.Name, Status: d.Status, AccountID: d.AccountID, PaperWaiver: d.PaperWaiver,
	}
	if n.CustomID != "" {
		x.restsOn(contract.DisclosuresCustom)
	}
	switch {
	case n.CustomID == "" && n.Name == "":
		return n, sim.Refuse(contract.MemberMissing, "institutionDisclosureId or institutionDisclosureName is missing")
	case n.Status == "":
		return n, sim.Refuse(contract.MemberMissing, "institutionUserDisclosureStatus is missing")
	case d.At == nil:
		return n, nil
	}
	at, ok := instant(*d.At)
	if !ok {
		return n, sim.Refuse(contract.MemberMistyped,
			"institutionUserDisclosureStatusUpdateDateTime must be a time such as 2026-01-15T09:00:00.000+00:00")
	}
	n.At = &at
	return n, nil
}

func (x *exchange) accountType() error {
	if len(x.query["accountType"]) != 1 || !slices.Contains(sim.AccountTypes, x.query.Get("accountType")) {
		return sim.Refuse(contract.AccountTypeUnknown, "query parameter accountType must be a type of account, such as CHECKING")
	}
	return nil
}
