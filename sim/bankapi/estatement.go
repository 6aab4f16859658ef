package bankapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// getDisclosures is section 4.1. It puts the resources of section 2.1 together by hand because it is called so often.
func getDisclosures(x *exchange, named namedUser) (reply, error) {
	hostUserID, err := x.estatementUser(named)
	if err != nil {
		return reply{}, err
	}
	accountID := x.pathVar("accountId")
	user, rows, err := x.at.World.Disclosures(named.caller, hostUserID, accountID, x.op.Dialect)
	if err != nil {
		return reply{}, err
	}
	userID := ""
	if x.answer().Body.Has("institutionUserDisclosures", "institutionUserId") {
		userID = strings.ToLower(user.InstitutionUserID())
	}
	layout := contract.In(x.op.Dialect).DisclosureTime
	b := append(make([]byte, 0, 64+len(rows)*384), `{"institutionUserDisclosures":[`...) // most need no more
	for i, d := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(append(b, `{"institutionId":`...), named.caller.InstitutionID)
		if userID != "" {
			b = wire.AppendString(append(b, `,"institutionUserId":`...), userID)
		}
		b = wire.AppendString(append(b, `,"institutionDisclosureStatus":`...), d.Status)
		b = append(b, `,"institutionUserDisclosureStatusUpdateDateTime":"`...)
		b = d.StatusUpdate.UTC().AppendFormat(b, layout)
		b = strconv.AppendBool(append(b, `","paperWaiver":`...), d.PaperWaiver)
		b = wire.AppendString(append(b, `,"accountId":`...), accountID)
		b = wire.AppendString(append(b, `,"institutionDisclosureName":`...), d.Name)
		b = append(b, '}')
	}
	b = append(b, "]}"...)
	if len(rows) == 0 {
		x.restsOn(contract.EstatementsDisclosuresNone)
	} else {
		x.restsOn(contract.EstatementsDisclosuresStatusValues, contract.EstatementsDisclosuresTimestamp)
	}
	return x.jsonReply(b), nil
}

// updateAccount is section 4.2.
func updateAccount(x *exchange, update preferenceUpdate) (reply, error) {
	return x.emptyReply(), x.at.World.UpdateAccountPreference(x.behavior, update.caller, update.hostUserID, update.accountID, update.to)
}

// updateUser is section 4.3.
func updateUser(x *exchange, update preferenceUpdate) (reply, error) {
	updated, failed, err := x.at.World.UpdateUserPreference(x.behavior, update.caller, update.hostUserID, update.to)
	if err != nil || len(failed) == 0 {
		return x.emptyReply(), err
	}
	x.decided = contract.EstatementsUpdateUserPartial
	partly := struct {
		Updated []string `json:"updatedAccounts"`
		Failed  []string `json:"failedAccounts"`
	}{append([]string{}, updated...), failed}
	return x.replyWith(&contract.UpdatedPartly, wire.MustEncode(partly)), nil // published
}

// preferenceUpdate is a request about whether an account, or all accounts of a user, have electronic statements.
type preferenceUpdate struct {
	namedUser
	accountID string // empty: all
	to        sim.Preference
}

// preferenceUpdate reads what both updates share. Where an operation lacks a member of the body, that is ignored.
func (x *exchange) preferenceUpdate() (update preferenceUpdate, err error) {
	if update.namedUser, err = x.estatementRequest(); err != nil {
		return update, err
	}
	var body struct {
		ActivateEstatement *bool   `json:"activateEstatement"`
		AccountID          *string `json:"accountId"`
		At                 *string `json:"disclosureStatusUpdatedAt"`
	}
	if err := x.decodeJSON(&body); err != nil {
		return update, err
	}
	x.leaveOut("accountId", &body.AccountID)
	x.leaveOut(contract.StatusUpdatedAt.Name, &body.At)
	if body.ActivateEstatement == nil {
		return update, sim.Refuse(contract.MemberMissing, "activateEstatement is missing")
	}
	if update.to.Activate = *body.ActivateEstatement; !update.to.Activate {
		x.restsOn(contract.EstatementsUpdateOff)
	}
	if body.At != nil {
		at, ok := instant(*body.At)
		if !ok || !contract.StatusUpdatedAt.Type.Matches(*body.At) {
			return update, sim.Refuse(contract.MemberMalformed,
				"%s must be a time such as 2026-05-13T00:00:00-07:00", contract.StatusUpdatedAt.Name)
		}
		x.restsOn(contract.EstatementsUpdateStatusTime)
		update.to.At = &at
	}
	if body.AccountID == nil && x.op.Request.Has("accountId") {
		return update, sim.Refuse(contract.MemberMissing, "accountId is missing")
	}
	update.accountID = orEmpty(body.AccountID)
	update.hostUserID, err = x.estatementUser(update.namedUser)
	return update, err
}

// instant returns the time that a text gives with an offset, in UTC.
func instant(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err == nil && at.Year() >= 1 && at.Year() <= 9998
}

// namedUser is how a request names its user: by one of the ids or, without both, by its caller's token.
type namedUser struct {
	caller              sim.Caller
	hostUserID, loginID string
}

// estatementRequest reads what the three operations share: the bearer token, correlationid and the parameters that name the
// user.
func (x *exchange) estatementRequest() (named namedUser, err error) {
	caller, err := x.bearer()
	if err != nil {
		return named, err
	}
	wanted := x.behavior.Estatements.CorrelationID
	if wanted != sim.CorrelationIDOptional {
		if err = x.requireRequestID(); err != nil {
			return named, err
		}
	} else if x.requestID() == "" {
		x.restsOn(contract.EstatementsCorrelationID)
	}
	if wanted == sim.CorrelationIDUUID {
		if err = x.requireUUID(); err != nil {
			return named, err
		}
	}
	if x.behavior.Estatements.User == sim.EstatementUserAny {
		return x.anyUser(caller)
	}
	if x.query.Has("loginId") {
		x.lint("login-id-ignored", "loginId is ignored: behavior.estatements.user: any in the scenario lets it name the user")
		x.restsOn(contract.EverywhereUnknownParameters)
	}
	named.caller = caller
	named.hostUserID, err = x.parameter("hostUserId")
	return named, err
}

// anyUser reads the parameters of which either may name the user, and neither where the token is bound to one.
func (x *exchange) anyUser(caller sim.Caller) (named namedUser, err error) {
	named.caller = caller
	hasHostUserID, hasLoginID := x.query.Get("hostUserId") != "", x.query.Get("loginId") != ""
	switch {
	case hasHostUserID && hasLoginID:
		return named, sim.Refuse(contract.ParametersExclude, "query parameters hostUserId and loginId exclude each other: give one of them")
	case hasHostUserID:
		named.hostUserID, err = x.parameter("hostUserId")
	case hasLoginID:
		named.loginID, err = x.parameter("loginId")
	case caller.HostUserID != "":
		named.hostUserID = caller.HostUserID
	default:
		return named, sim.Refuse(contract.ParameterMissing,
			"query parameters hostUserId and loginId are missing, and the access token is bound to no user")
	}
	return named, err
}

// estatementUser returns the hostUserId of the user that a request names.
func (x *exchange) estatementUser(named namedUser) (hostUserID string, err error) {
	if named.loginID == "" {
		return named.hostUserID, nil
	}
	return x.at.World.EstatementUser(named.caller, named.loginID)
}
