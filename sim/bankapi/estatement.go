package bankapi

import (
	"net/http"
	"regexp"

	"github.com/digitalbanking-sim/banksim/sim"
)

// estatements is the family of the e-statement operations (sections 4.1 to 4.3). Its error body and codes are
// published.
var estatements = family{
	prefix:    "/digitalbanking/ux-users",
	requestID: "correlationid",
	challenge: bearerChallenge,
	refusals: map[sim.Code]refusal{
		tokenMissing:           {http.StatusUnauthorized, "UXESTMT_10001", "estatements.bearer-failure"},
		tokenMalformed:         {http.StatusUnauthorized, "UXESTMT_10012", "estatements.bearer-failure"},
		sim.TokenUnknown:       {http.StatusUnauthorized, "UXESTMT_10002", "estatements.bearer-failure"},
		sim.TokenExpired:       {http.StatusUnauthorized, "UXESTMT_10004", "estatements.bearer-failure"},
		sim.TokenOfAnotherUser: {http.StatusForbidden, "UXESTMT_10003", "estatements.other-user"},

		requestIDMissing:   {http.StatusBadRequest, "UXESTMT_10007", "estatements.correlation-id"},
		requestIDMalformed: {http.StatusBadRequest, "UXESTMT_10008", "estatements.correlation-id"},
		parameterMissing:   {http.StatusBadRequest, "UXESTMT_11010", "estatements.host-user-id"},
		memberMissing:      {http.StatusBadRequest, "UXESTMT_11010", "estatements.body.missing-member"},
		memberMistyped:     {http.StatusBadRequest, "UXESTMT_11018", "estatements.body.malformed"},
		bodyMalformed:      {http.StatusBadRequest, "UXESTMT_11018", "estatements.body.malformed"},

		sim.UserUnknown:                 {http.StatusNotFound, "UXESTMT_88888", "estatements.unknown-user"},
		sim.MultistatementNotConfigured: {http.StatusBadRequest, "UXESTMT_11021", "estatements.update.no-multistatement"},
		sim.UserNotActive:               {http.StatusBadRequest, "UXESTMT_88889", "estatements.update.inactive-user"},
		sim.DisclosureNotAccepted:       {http.StatusBadRequest, "UXESTMT_11013", "estatements.update.not-accepted"},
		sim.AccountUnknown:              {http.StatusBadRequest, "UXESTMT_11012", "estatements.update-account.unknown-account"},
		sim.NoAccounts:                  {http.StatusBadRequest, "UXESTMT_11020", "estatements.update-user.no-accounts"},
	},
	faults: map[int]sim.Code{
		http.StatusBadRequest:   parameterMissing,
		http.StatusUnauthorized: sim.TokenUnknown,
		http.StatusForbidden:    sim.TokenOfAnotherUser,
		http.StatusNotFound:     sim.UserUnknown,
	},
	shape: []string{"estatements.error-body"},
	body:  func(r refusal, message string) any { return estatementError{r.status, r.code, message} },
	status: func(b *sim.Behavior, status int) int {
		if status == http.StatusUnauthorized {
			return b.Estatements.BearerFailureStatus
		}
		return status
	},
}

type estatementError struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

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
		c.lean("estatements.disclosures.none")
	} else {
		c.use("estatements.disclosures.status-values")
		c.use("estatements.disclosures.timestamp")
	}
	return jsonReply(http.StatusOK, answer), nil
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
	if body.ActivateEstatement == nil {
		return reply{}, sim.Refuse(memberMissing, "activateEstatement is missing")
	}
	if body.AccountID == nil {
		return reply{}, sim.Refuse(memberMissing, "accountId is missing")
	}
	if !*body.ActivateEstatement {
		c.use("estatements.update.off")
	}
	if err := c.World.UpdateAccountPreference(caller, hostUserID, *body.AccountID, *body.ActivateEstatement); err != nil {
		return reply{}, err
	}
	return emptyReply(c.behavior().Estatements.UpdateAccountStatus), nil
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
	if body.ActivateEstatement == nil {
		return reply{}, sim.Refuse(memberMissing, "activateEstatement is missing")
	}
	if !*body.ActivateEstatement {
		c.use("estatements.update.off")
	}
	if err := c.World.UpdateUserPreference(caller, hostUserID, *body.ActivateEstatement); err != nil {
		return reply{}, err
	}
	return emptyReply(http.StatusNoContent), nil
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
		c.lean("estatements.correlation-id")
	}
	if wanted == sim.CorrelationIDUUID && !uuid.MatchString(c.requestID()) {
		return caller, "", sim.Refuse(requestIDMalformed, "header correlationid must be a UUID")
	}
	hostUserID, err = c.parameter("hostUserId")
	return caller, hostUserID, err
}
