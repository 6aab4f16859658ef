package bankapi

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// userDisclosure is a disclosure of a user or of one of its accounts (published).
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

// listUserDisclosures lists the disclosures of a user and its accounts.
func listUserDisclosures(c *call) (answer, error) {
	caller, err := c.identifiedBearer()
	if err != nil {
		return answer{}, err
	}
	caller, hostUserID, err := c.anyUser(caller)
	if err != nil {
		return answer{}, err
	}
	rows, err := c.World.ListDisclosures(caller, hostUserID)
	if err != nil {
		return answer{}, err
	}
	user, _ := c.World.User(caller.InstitutionID, hostUserID)
	institution, _ := c.World.Institution(caller.InstitutionID)
	all := make([]userDisclosure, len(rows))
	for i, d := range rows {
		all[i] = userDisclosure{
			InstitutionID:     caller.InstitutionID,
			InstitutionUserID: user.InstitutionUserID(),
			ID:                d.ID(user),
			Name:              d.Name,
			CustomID:          institution.CustomDisclosureID(d.Name),
			Status:            d.Status,
			StatusUpdateTime:  d.StatusUpdate.UTC().Format(contract.Document().DisclosureTime), AccountID: d.AccountID,
		}
		if d.Name == sim.DisclosureOLS && (d.AccountID != "" || !institution.Multistatement) {
			all[i].PaperWaiver = &d.PaperWaiver
		}
	}
	return c.answer(map[string]any{"institutionUserDisclosures": all}, all), nil
}

// institutionDisclosure is a custom disclosure of an institution (published).
type institutionDisclosure struct {
	ID            string `json:"institutionDisclosureId"`
	InstitutionID string `json:"institutionId"`
	Name          string `json:"institutionDisclosureName"`
	Data          string `json:"institutionDisclosureData,omitzero"`
	DataType      string `json:"institutionDisclosureDataType,omitzero"`
}

// listInstitutionDisclosures lists the custom disclosures of the caller's institution.
func listInstitutionDisclosures(c *call) (answer, error) {
	caller, err := c.identifiedBearer()
	if err != nil {
		return answer{}, err
	}
	institution, _ := c.World.Institution(caller.InstitutionID)
	all := []institutionDisclosure{}
	for _, d := range institution.Disclosures {
		all = append(all, institutionDisclosure{d.ID, institution.InstitutionID, d.Name, d.Data, d.DataType})
	}
	return c.answer(map[string]any{"institutionDisclosures": all}, nil), nil
}

// disclosureBody is the body of the operations that change disclosures.
type disclosureBody struct {
	ID          string  `json:"institutionDisclosureId"`
	UserID      string  `json:"institutionUserDisclosureId"` // the published example of an update has the id there
	Name        string  `json:"institutionDisclosureName"`
	Status      string  `json:"institutionUserDisclosureStatus"`
	At          *string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	AccountID   string  `json:"accountId"`
	PaperWaiver *bool   `json:"paperWaiver"`
}

// createUserDisclosure stores a user's answer to a disclosure.
func createUserDisclosure(c *call) (answer, error) {
	named, body, err := c.disclosureChange()
	if err != nil {
		return answer{}, err
	}
	n, err := body.disclosure()
	if err != nil {
		return answer{}, err
	}
	if n.IsFor(sim.DisclosureOLS) && n.PaperWaiver == nil {
		return answer{}, sim.Refuse(sim.DisclosureWaiverMissing, "paperWaiver is missing: %s needs it", n.Name)
	}
	hasAccountType := c.query.Has("accountType")
	if n.AccountID != "" || hasAccountType {
		if err := c.checkAccountType(); err != nil {
			return answer{}, err
		}
	}
	if hasAccountType && n.AccountID == "" && n.IsFor(sim.DisclosureOLS) {
		return answer{}, sim.Refuse(contract.AccountIDMissing,
			"accountId is missing: with query parameter accountType the disclosure is for an account")
	}
	hostUserID, err := c.hostUserID(named)
	if err != nil {
		return answer{}, err
	}
	return c.emptyAnswer(n), c.World.CreateDisclosure(named.caller, hostUserID, n, c.Now)
}

// updateUserDisclosure changes the status of a disclosure.
func updateUserDisclosure(c *call) (answer, error) {
	named, body, err := c.disclosureChange()
	if err != nil {
		return answer{}, err
	}
	n, err := body.disclosure()
	if err != nil {
		return answer{}, err
	}
	hostUserID, err := c.hostUserID(named)
	if err != nil {
		return answer{}, err
	}
	return c.emptyAnswer(n), c.World.UpdateDisclosure(named.caller, hostUserID, n, c.Now)
}

// deleteUserDisclosure removes the disclosure of an account.
func deleteUserDisclosure(c *call) (answer, error) {
	named, body, err := c.disclosureChange()
	switch {
	case err != nil:
		return answer{}, err
	case body.Name == "":
		return answer{}, sim.Refuse(contract.MemberMissing, "institutionDisclosureName is missing")
	case body.AccountID == "":
		return answer{}, sim.Refuse(contract.AccountIDMissing, "accountId is missing")
	}
	if err := c.checkAccountType(); err != nil {
		return answer{}, err
	}
	hostUserID, err := c.hostUserID(named)
	if err != nil {
		return answer{}, err
	}
	return c.emptyAnswer(nil), c.World.DeleteDisclosure(named.caller, hostUserID, body.Name, body.AccountID)
}

// businessUserEvidence is what the answers of all operations on the disclosures of a user rest on.
var businessUserEvidence = []condition{
	{contract.DisclosuresBusinessUser, func(f facts) bool {
		return f.op.TakesQuery(businessLocation) && f.query.Has(businessLocation)
	}},
}

// customDisclosureEvidence is the evidence of the operations whose disclosures may be custom ones.
var customDisclosureEvidence = []condition{
	{contract.DisclosuresCustom, when(func(n sim.NewDisclosure) bool { return n.CustomID != "" })},
	{contract.DisclosuresCustom, when(func(all []userDisclosure) bool {
		return slices.ContainsFunc(all, func(d userDisclosure) bool { return d.CustomID != "" })
	})},
}

// disclosureChange reads what the operations that change disclosures share: the token, transactionId, the parameters
// that name the user, and the body.
func (c *call) disclosureChange() (named naming, body disclosureBody, err error) {
	if named.caller, err = c.identifiedBearer(); err != nil {
		return named, body, err
	}
	if named, err = c.anyNaming(named.caller); err != nil {
		return named, body, err
	}
	if len(c.content.data) == 0 && c.content.err == nil {
		return named, body, sim.Refuse(contract.BodyEmpty, "the request has no body")
	}
	if err = c.decodeJSON(&body); err == nil && utf8.RuneCountInString(body.Name) > contract.LongestDisclosureName {
		err = sim.Refuse(contract.DisclosureNameTooLong,
			"institutionDisclosureName is longer than %d characters", contract.LongestDisclosureName)
	}
	return named, body, err
}

// disclosure returns what a body says about a disclosure.
func (d disclosureBody) disclosure() (sim.NewDisclosure, error) {
	n := sim.NewDisclosure{
		CustomID:    cmp.Or(d.ID, d.UserID),
		Name:        d.Name,
		Status:      d.Status,
		AccountID:   d.AccountID,
		PaperWaiver: d.PaperWaiver,
	}
	switch {
	case n.CustomID == "" && n.Name == "":
		return n, sim.Refuse(contract.MemberMissing, "institutionDisclosureId or institutionDisclosureName is missing")
	case n.Status == "":
		return n, sim.Refuse(contract.MemberMissing, "institutionUserDisclosureStatus is missing")
	case d.At == nil:
		return n, n.CheckStatus()
	}
	at, ok := instant(*d.At)
	if !ok {
		return n, sim.Refuse(contract.MemberMistyped,
			"institutionUserDisclosureStatusUpdateDateTime must be a time such as 2026-01-15T09:00:00.000+00:00")
	}
	n.At = &at
	return n, n.CheckStatus()
}

func (c *call) checkAccountType() error {
	if len(c.query["accountType"]) != 1 || !slices.Contains(sim.AccountTypes, c.query.Get("accountType")) {
		return sim.Refuse(contract.AccountTypeUnknown,
			"query parameter accountType must be a type of account, such as CHECKING")
	}
	return nil
}
