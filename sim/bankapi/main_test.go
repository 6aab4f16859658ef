package bankapi_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m) }

// aUUID is the id of a request in the public dialect.
const aUUID = "9b2f3c52-9d4e-4d26-8a39-1d4a5a0e8f11"

// The calls that most tests derive theirs from.
var (
	getDisclosures = simtest.GetDisclosures
	updateAccount  = simtest.UpdateAccount
	updateUser     = simtest.UpdateUser
	issueTokens    = simtest.IssueTokens
	revokeTokens   = simtest.RevokeTokens
	createGroup    = simtest.CreateGroup
	listGroups     = simtest.ListGroups
	createAlert    = simtest.CreateAlert
	exampleCall    = simtest.ExampleOf
)
