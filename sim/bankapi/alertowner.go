package bankapi

import (
	"cmp"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertOwner is whose preferences a request is about.
type alertOwner struct{ institutionID, hostUserID string }

// businessLocation is the header or parameter that names the location of a business user.
const businessLocation = "institutionCustomerId"

// alertEvidence is what the answers of all operations on alerts rest on.
var alertEvidence = []condition{
	{contract.AlertsBareToken, facts.hasBareToken},
	{contract.AlertsAuth, func(f facts) bool { return f.authorization() == "" }},
}

// userAlertEvidence is what the answers of operations on the preferences of a user rest on.
var userAlertEvidence = []condition{
	{contract.AlertsHeaders, func(f facts) bool { return f.lacksAlertHeader("fiid", "userid") }},
	{contract.AlertsUser, namesUserInQuery},
	{contract.AlertsInstitution, namesUserInQuery},
	{contract.AlertsBusinessUser, func(f facts) bool {
		return namesUserInQuery(f) && f.header(businessLocation) != ""
	}},
	{contract.AlertsInactiveUser, facts.alertUserIsInactive},
}

// institutionAlertEvidence is what the answers of operations on the alerts of an institution rest on.
var institutionAlertEvidence = []condition{
	{contract.AlertsHeaders, func(f facts) bool { return f.lacksAlertHeader("fiid") }},
	{contract.AlertsInstitution, func(f facts) bool { return !f.takesHeader("fiid") }},
	{contract.AlertsTypesExternalSystem, hasQuery("externalSystem")},
	{contract.AlertsListTypes, hasQuery("alertTypes")},
}

// namesUserInQuery holds if the query of the operation names the user.
func namesUserInQuery(f facts) bool { return f.op.TakesQuery("hostUserId") }

// takesBareToken reports whether an operation takes an access token without the word Bearer.
func takesBareToken(op *contract.Operation) bool {
	return op.Kind() == contract.AlertsCreatePreference.Kind() && contract.In(op.Dialect).BareTokens
}

// isBareToken reports whether an Authorization header can be an access token alone.
func isBareToken(authorization string) bool {
	return isToken(authorization) && !strings.EqualFold(authorization, bearerScheme)
}

// hasBareToken reports whether the Authorization header is an access token that counts without the word Bearer.
func (c *call) hasBareToken() bool { return takesBareToken(c.op) && isBareToken(c.authorization()) }

// lacksAlertHeader reports whether a request leaves out a header that it may leave out: one with these names, or the
// header that identifies the request.
func (c *call) lacksAlertHeader(names ...string) bool {
	if c.policy.Alerts.Headers != sim.Optional {
		return false
	}
	for _, name := range names {
		if c.takesHeader(name) && c.header(name) == "" {
			return true
		}
	}
	return c.requestID() == ""
}

// alertUserIsInactive reports whether the user of the request is not active.
func (c *call) alertUserIsInactive() bool {
	owner, err := c.readAlertOwner()
	user, ok := c.World.User(owner.institutionID, owner.hostUserID)
	return err == nil && ok && !user.Active
}

// alertCaller authenticates the caller by "Bearer TOKEN" or the bare token: the format is not shown (section 5).
func (c *call) alertCaller() (sim.Caller, error) {
	if c.hasBareToken() {
		return c.authorize(c.authorization())
	}
	caller, err := c.optionalBearer(c.policy.Alerts.Auth)
	if err == nil && !c.takesHeader("fiid") {
		caller.InstitutionID = cmp.Or(caller.InstitutionID, c.World.Home())
	}
	return caller, err
}

// readAlertOwner returns whose preferences a request is about.
func (c *call) readAlertOwner() (alertOwner, error) {
	caller, err := c.alertCaller()
	switch {
	case err != nil:
		return alertOwner{}, err
	case c.op.TakesQuery("hostUserId"):
		return c.alertOwnerOfQuery(caller)
	}
	return c.alertOwnerOfHeaders(caller)
}

// alertOwnerOfQuery returns the user that the query names, or else the user of the token.
func (c *call) alertOwnerOfQuery(caller sim.Caller) (owner alertOwner, err error) {
	if err := c.requireAlertRequestID(); err != nil {
		return owner, err
	}
	for _, name := range []string{"hostUserId", "loginId"} {
		if err := c.notRepeated(contract.ParametersExclude, name, ": give one user"); err != nil {
			return owner, err
		}
	}
	caller, hostUserID, err := c.anyUser(caller)
	if err != nil {
		return owner, err
	}
	_, err = c.World.MaySpeakFor(caller, hostUserID)
	return alertOwner{caller.InstitutionID, hostUserID}, err
}

// requireAlertRequestID refuses a request without the header that identifies it, unless the policy lets it be left out.
func (c *call) requireAlertRequestID() error {
	if c.policy.Alerts.Headers == sim.Optional && c.requestID() == "" {
		return nil
	}
	return c.requireRequestID()
}

// alertOwnerOfHeaders reads the headers that say what the request is about. It reads userid only if the operation is
// about a user's preferences.
func (c *call) alertOwnerOfHeaders(caller sim.Caller) (owner alertOwner, err error) {
	fiid, userid, ofUser := c.header("fiid"), "", c.takesHeader("userid")
	if ofUser {
		userid = c.header("userid")
	}
	if c.policy.Alerts.Headers != sim.Optional {
		if fiid == "" {
			return owner, sim.Refuse(contract.HeaderMissing, "header fiid is missing")
		}
		if err := c.requireRequestID(); err != nil {
			return owner, err
		}
		if ofUser && userid == "" {
			return owner, sim.Refuse(contract.HeaderMissing, "header userid is missing")
		}
	}
	owner.institutionID, owner.hostUserID, err = c.World.AlertScope(caller, fiid, userid)
	if err == nil || userid == "" || !c.op.Family.Refusal(sim.UserUnknown).IsAccepted(c.policy) {
		return owner, err
	}
	for _, kind := range []string{sim.LoginIDType, sim.InstitutionUserIDType} {
		institutionID := cmp.Or(fiid, caller.InstitutionID, c.World.Home())
		user, unknown := c.World.UserByID(sim.Caller{InstitutionID: institutionID}, kind, userid)
		if unknown != nil {
			continue
		}
		_, _, refused := c.World.AlertScope(caller, fiid, user.HostUserID)
		if refused == nil && c.unlessWaived(err) == nil {
			return alertOwner{institutionID, user.HostUserID}, nil
		}
	}
	return owner, err
}

// alertInstitution returns the institution whose alerts a request is about.
func (c *call) alertInstitution() (*sim.Institution, error) {
	caller, err := c.alertCaller()
	if err != nil {
		return nil, err
	}
	owner := alertOwner{institutionID: caller.InstitutionID}
	if c.takesHeader("fiid") {
		owner, err = c.alertOwnerOfHeaders(caller)
	} else {
		err = c.requireAlertRequestID()
	}
	if err != nil {
		return nil, err
	}
	institution, _ := c.World.Institution(owner.institutionID)
	return institution, c.noneRepeated()
}
