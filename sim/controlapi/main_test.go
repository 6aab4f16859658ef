package controlapi_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m) }

// Paths of rows in the scenario retail, below that of the sandbox.
const (
	institutionPath = "/institutions/02688"
	userPath        = institutionPath + "/users/1001"
	accountPath     = userPath + "/accounts/acc-1001-checking"
	tokensPath      = "/tokens"
)

// get returns what GET answers for a path of the bank's sandbox.
func get(b *simtest.Bank, path string) string { return b.ControlSandbox(200, "GET "+path, "").Body }
