package bankapi

import (
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// accountDisclosure is an element of the answer of section 2.1.
type accountDisclosure struct {
	InstitutionID     string `json:"institutionId"`
	InstitutionUserID string `json:"institutionUserId,omitzero"` // of the public dialect
	Status            string `json:"institutionDisclosureStatus"`
	StatusUpdated     string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver       bool   `json:"paperWaiver"`
	AccountID         string `json:"accountId"`
	Name              string `json:"institutionDisclosureName"`
}

// getDisclosures is section 4.1.
func getDisclosures(c *call) (answer, error) {
	caller, hostUserID, err := c.estatementUser()
	if err != nil {
		return answer{}, err
	}
	accountID := c.pathVar("accountId")
	user, rows, err := c.World.Disclosures(caller, hostUserID, accountID, c.op.Dialect)
	if err != nil {
		return answer{}, err
	}
	shownID := ""
	if c.documented.Body.Has("institutionUserDisclosures", "institutionUserId") {
		shownID = strings.ToLower(user.InstitutionUserID())
	}
	layout := contract.In(c.op.Dialect).DisclosureTime
	all := make([]accountDisclosure, len(rows))
	for i, d := range rows {
		all[i] = accountDisclosure{
			InstitutionID: caller.InstitutionID, InstitutionUserID: shownID, Status: d.Status,
			StatusUpdated: d.StatusUpdate.UTC().Format(layout),
			PaperWaiver:   d.PaperWaiver,
			AccountID:     accountID,
			Name:          d.Name,
		}
	}
	return c.answer(accountDisclosures{all}, all), nil
}

type accountDisclosures struct {
	All []accountDisclosure `json:"institutionUserDisclosures"`
}

var disclosureEvidence = []condition{
	{contract.EstatementsDisclosuresNone, when(func(all []accountDisclosure) bool { return len(all) == 0 })},
	{contract.EstatementsDisclosuresStatusValues, when(func(all []accountDisclosure) bool { return len(all) > 0 })},
	{contract.EstatementsDisclosuresTimestamp, when(func(all []accountDisclosure) bool { return len(all) > 0 })},
}

// updateAccount is section 4.2.
func updateAccount(c *call) (answer, error) {
	update, err := c.readPreferenceUpdate()
	if err != nil {
		return answer{}, err
	}
	err = c.World.UpdateAccountPreference(c.policy, update.caller, update.hostUserID, update.accountID, update.to)
	return c.emptyAnswer(update.to), err
}

// partialUpdate is the answer to an update of all accounts if some fail (published).
type partialUpdate struct {
	Updated []string `json:"updatedAccounts"`
	Failed  []string `json:"failedAccounts"`
}

// updateUser is section 4.3.
func updateUser(c *call) (answer, error) {
	update, err := c.readPreferenceUpdate()
	if err != nil {
		return answer{}, err
	}
	updated, failed, err := c.World.UpdateUserPreference(c.policy, update.caller, update.hostUserID, update.to)
	if err != nil || len(failed) == 0 {
		return c.emptyAnswer(update.to), err
	}
	partly := c.answer(partialUpdate{append([]string{}, updated...), failed}, update.to)
	partly.documented = &contract.UpdatedPartly
	return partly, nil
}

var preferenceEvidence = []condition{
	{contract.EstatementsUpdateOff, when(func(to sim.Preference) bool { return !to.Activate })},
	{contract.EstatementsUpdateStatusTime, when(func(to sim.Preference) bool { return to.At != nil })},
}

// preferenceUpdate is a request about whether an account, or all accounts of a user, have electronic statements.
type preferenceUpdate struct {
	caller     sim.Caller
	hostUserID string
	accountID  string // or "" for all
	to         sim.Preference
}

// readPreferenceUpdate reads what both updates share. A member that an operation lacks is ignored.
func (c *call) readPreferenceUpdate() (update preferenceUpdate, err error) {
	named, err := c.estatementNaming()
	if err != nil {
		return update, err
	}
	update.caller = named.caller
	var body struct {
		ActivateEstatement *bool   `json:"activateEstatement"`
		AccountID          *string `json:"accountId"`
		At                 *string `json:"disclosureStatusUpdatedAt"`
	}
	if err := c.decodeJSON(&body); err != nil {
		return update, err
	}
	if body.ActivateEstatement == nil {
		return update, sim.Refuse(contract.MemberMissing, "activateEstatement is missing")
	}
	update.to.Activate = *body.ActivateEstatement
	if c.has(contract.StatusUpdatedAt.Name, body.At) {
		at, ok := instant(*body.At)
		if !ok || !contract.StatusUpdatedAt.Type.Matches(*body.At) {
			return update, sim.Refuse(contract.MemberMalformed,
				"%s must be a time such as 2026-05-13T00:00:00-07:00", contract.StatusUpdatedAt.Name)
		}
		update.to.At = &at
	}
	if c.op.Request.Has("accountId") {
		if body.AccountID == nil {
			return update, sim.Refuse(contract.MemberMissing, "accountId is missing")
		}
		update.accountID = *body.AccountID
	}
	update.hostUserID, err = c.hostUserID(named)
	return update, err
}

// instant returns the time that a text gives with an offset, in UTC.
func instant(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err == nil && at.Year() >= 1 && at.Year() <= 9998
}

// estatementEvidence is what the answers of all operations of the family rest on.
var estatementEvidence = []condition{
	{contract.EstatementsCorrelationID, func(f facts) bool {
		return f.requestID() == "" || f.op.Dialect == sim.DialectPublic && f.requireUUID() != nil
	}},
	{contract.EverywhereUnknownParameters, facts.ignoresLoginID},
}

// ignoresLoginID reports whether a request names its user by loginId, and only hostUserId counts.
func (c *call) ignoresLoginID() bool {
	return c.policy.Estatements.User != sim.EstatementUserAny && c.query.Has("loginId")
}

// estatementUser authenticates the caller of an e-statement request, and returns the user that the request names.
func (c *call) estatementUser() (caller sim.Caller, hostUserID string, err error) {
	named, err := c.estatementNaming()
	if err != nil {
		return caller, "", err
	}
	hostUserID, err = c.hostUserID(named)
	return named.caller, hostUserID, err
}

// estatementNaming reads what the e-statement operations share: the bearer token, correlationid and the parameters that
// name the user.
func (c *call) estatementNaming() (named naming, err error) {
	if named.caller, err = c.bearer(); err != nil {
		return named, err
	}
	wanted := c.policy.Estatements.CorrelationID
	if wanted != sim.CorrelationIDOptional {
		if err = c.requireRequestID(); err != nil {
			return named, err
		}
	}
	if wanted == sim.CorrelationIDUUID {
		if err = c.requireUUID(); err != nil {
			return named, err
		}
	}
	if c.policy.Estatements.User == sim.EstatementUserAny {
		return c.anyNaming(named.caller)
	}
	if c.ignoresLoginID() {
		c.lint(
			"login-id-ignored",
			"loginId is ignored: behavior.estatements.user: any in the scenario lets it name the user")
	}
	if named.hostUserID, err = c.parameter("hostUserId"); err == nil {
		named.caller = c.speaker(named)
	}
	return named, err
}
