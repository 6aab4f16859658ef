package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestOperations(t *testing.T) {
	estatements := []*contract.Operation{
		contract.EstatementsGetDisclosures, contract.EstatementsUpdateAccount, contract.EstatementsUpdateUser,
	}
	assert.Equal(t, estatements, fault.Operations{"estatements.*"}.All())
	assert.Equal(t, append(estatements, contract.GroupsList), fault.Operations{"groups.list", "estatements.*"}.All(),
		"in the order of the contract")
	for _, all := range []fault.Operations{nil, fault.Operations{"*"}} {
		assert.Equal(t, contract.Operations, all.All())
	}
	for _, pattern := range contract.Patterns() {
		assert.NotEmpty(t, fault.Operations{pattern}.All(), pattern)
	}
}
