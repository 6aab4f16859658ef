package testkit

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// State is all that a bank holds. Its JSON has the interface's own names. It shows no secret: keys and passwords are
// left out, and tokens are fingerprints.
type State = api.State

// Parts of a [State].
type (
	Institution     = api.Institution
	AlertType       = api.AlertType    // of an institution
	AlertDefault    = api.AlertDefault // an alert preference of an institution
	User            = api.User
	UserStatus      = api.UserStatus
	Account         = api.Account
	Disclosure      = api.Disclosure // of a user or an account
	Token           = api.Token      // an access token with its refresh token, if there is one
	Group           = api.Group
	Job             = api.Job // that imports participants into a group
	JobError        = api.JobError
	AlertPreference = api.AlertPreference
	AlertAccount    = api.AlertAccount
	AlertDetails    = api.AlertDetails
)

// State returns all that the bank holds now.
func (b *Bank) State() State {
	b.t.Helper()
	var state State
	b.in(http.MethodGet, "/state", nil, &state)
	return state
}
