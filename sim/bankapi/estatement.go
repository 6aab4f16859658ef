package bankapi

import (
	"regexp"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// disclosureTime is the format of institutionUserDisclosureStatusUpdateDateTime (published), for times in UTC.
const disclosureTime = "2006-01-02T15:04:05.000-07:00"

// disclosures is the answer of section 4.1.
type disclosures struct {
	InstitutionUserDisclosures []institutionUserDisclosure `json:"institutionUserDisclosures"`
}

// institutionUserDisclosure is the resource of section 2.1.
type institutionUserDisclosure struct {
	InstitutionID    string `json:"institutionId"`
	Status           string `json:"institutionDisclosureStatus"`
	StatusUpdateTime string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver      bool   `json:"paperWaiver"`
	AccountID        string `json:"accountId"`
	Name             string `json:"institutionDisclosureName"`
}

// getDisclosures is section 4.1.
func getDisclosures(c *call) (reply, error) {
	caller, hostUserID, err := c.estatementCaller()
	if err != nil {
		return reply{}, err
	}
	accountID := c.pathVar("accountId")
	rows, err := c.World.Disclosures(caller, hostUserID, accountID)
	if err != nil {
		return reply{}, err
	}
	answer := disclosures{make([]institutionUserDisclosure, len(rows))}
	for i, d := range rows {
		answer.InstitutionUserDisclosures[i] = institutionUserDisclosure{
			InstitutionID:    caller.InstitutionID,
			Status:           d.Status,
			StatusUpdateTime: d.StatusUpdate.UTC().Format(disclosureTime),
			PaperWaiver:      d.PaperWaiver,
			AccountID:        accountID,
			Name:             d.Name,
		}
	}
	if len(rows) == 0 {
		c.restsOn(contract.EstatementsDisclosuresNone)
	} else {
		c.restsOn(contract.EstatementsDisclosuresStatusValues)
		c.restsOn(contract.EstatementsDisclosuresTimestamp)
	}
	return c.reply(answer), nil
}

// updateAccount is section 4.2.
func updateAccount(c *call) (reply, error) {
	caller, hostUserID, err := c.estatementCaller()
	if err != nil {
		return reply{}, err
	}
	var body struct {
		ActivateEstatement *bool   `json:"activateEstatement"`
		AccountID          *string `json:"accountId"`
	}
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	activate, err := c.activation(body.ActivateEstatement)
	if err != nil {
		return reply{}, err
	}
	if body.AccountID == nil {
		return reply{}, sim.Refuse(contract.MemberMissing, "accountId is missing")
	}
	return c.emptyReply(), c.World.UpdateAccountPreference(caller, hostUserID, *body.AccountID, activate)
}

// updateUser is section 4.3.
func updateUser(c *call) (reply, error) {
	caller, hostUserID, err := c.estatementCaller()
	if err != nil {
		return reply{}, err
	}
	var body struct {
		ActivateEstatement *bool `json:"activateEstatement"`
	}
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	activate, err := c.activation(body.ActivateEstatement)
	if err != nil {
		return reply{}, err
	}
	return c.emptyReply(), c.World.UpdateUserPreference(caller, hostUserID, activate)
}

// activation returns the activateEstatement of a body, which both updates require.
func (c *call) activation(given *bool) (bool, error) {
	if given == nil {
		return false, sim.Refuse(contract.MemberMissing, "activateEstatement is missing")
	}
	if !*given {
		c.restsOn(contract.EstatementsUpdateOff)
	}
	return *given, nil
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// estatementCaller reads what the three operations share: the bearer token, correlationid and hostUserId.
func (c *call) estatementCaller() (caller sim.Caller, hostUserID string, err error) {
	if caller, err = c.bearer(); err != nil {
		return caller, "", err
	}
	wanted := c.behavior().Estatements.CorrelationID
	if wanted != sim.CorrelationIDOptional {
		if err = c.requireRequestID(); err != nil {
			return caller, "", err
		}
	} else if c.requestID() == "" {
		c.restsOn(contract.EstatementsCorrelationID)
	}
	if wanted == sim.CorrelationIDUUID && !uuid.MatchString(c.requestID()) {
		return caller, "", sim.Refuse(contract.RequestIDMalformed, "header correlationid must be a UUID")
	}
	hostUserID, err = c.parameter("hostUserId")
	return caller, hostUserID, err
}
