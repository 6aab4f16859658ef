package bankapi_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m, browser.Close) }

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
)
