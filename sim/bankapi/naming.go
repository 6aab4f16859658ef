package bankapi

import (
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// naming is how a request names its user: by one of the ids.
type naming struct {
	caller              sim.Caller
	hostUserID, loginID string
}

// speaker returns the caller of a request about a user. If the scenario accepts a token of another user, the caller is
// bound to no user.
func (c *call) speaker(named naming) sim.Caller {
	caller := named.caller
	if caller.HostUserID == "" {
		return caller
	}
	isOther := named.hostUserID != "" && named.hostUserID != caller.HostUserID
	if user, known := c.World.User(caller.InstitutionID, caller.HostUserID); known {
		isOther = isOther || named.loginID != "" && named.loginID != user.Username
	}
	const wrong = "the access token is bound to another user than the one that is named"
	if isOther && c.waives(sim.TokenOfAnotherUser, wrong) {
		caller.HostUserID = ""
	}
	return caller
}

// anyUser returns the caller, and the user that either parameter names, or else the user of the token.
func (c *call) anyUser(caller sim.Caller) (_ sim.Caller, hostUserID string, err error) {
	named, err := c.anyNaming(caller)
	if err != nil {
		return caller, "", err
	}
	hostUserID, err = c.hostUserID(named)
	return named.caller, hostUserID, err
}

// anyNaming reads the parameters hostUserId and loginId. Either may name the user. Without both, the token must be
// bound to a user.
func (c *call) anyNaming(caller sim.Caller) (named naming, err error) {
	named.caller = caller
	hasHostUserID, hasLoginID := c.query.Get("hostUserId") != "", c.query.Get("loginId") != ""
	switch {
	case hasHostUserID && hasLoginID:
		err = c.refuseUnlessWaived(contract.ParametersExclude,
			"query parameters hostUserId and loginId exclude each other: give one of them")
		if err != nil {
			return named, err
		}
		named.hostUserID, err = c.parameter("hostUserId")
	case hasHostUserID:
		named.hostUserID, err = c.parameter("hostUserId")
	case hasLoginID:
		named.loginID, err = c.parameter("loginId")
	case caller.HostUserID != "":
		named.hostUserID = caller.HostUserID
	default:
		return named, sim.Refuse(contract.ParameterMissing,
			"query parameters hostUserId and loginId are missing, and the access token is bound to no user")
	}
	if err == nil {
		named.caller = c.speaker(named)
	}
	return named, err
}

// hostUserID returns the hostUserId of the user that a request names.
func (c *call) hostUserID(named naming) (string, error) {
	if named.loginID == "" {
		return named.hostUserID, nil
	}
	return c.World.EstatementUser(named.caller, named.loginID)
}
