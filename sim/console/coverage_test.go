package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// What an app meets is seen while it meets it: which answers of an operation it got, and which never.
func TestCoverage(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, "/coverage/"+b.Sandbox.Name())
	page.See("None yet.")
	require.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	page.See("groups.create")
	page.See("1 of ")
	page.Click("Each answer of groups.create")
	page.See("200: met 1")
	page.See("400 2004 group-exists: never met")
	page.See("Never called: estatements.getDisclosures, ")
	require.Equal(t, 400, simtest.CreateGroup.Send(b).StatusCode)
	page.See("400 2004 group-exists: met 1")

	page.Click("All sandboxes")
	page.See("groups.create")
	assert.Contains(t, page.Address(), "all=1")
}

// lookAtCoverage shows what a small suite met, opened at an operation.
func lookAtCoverage(t *testing.T) *browser.Tab {
	b := simtest.NewBank(t, simtest.FrozenRetail+"faults: [{operation: groups.list, when: {nth: 1}, then: {status: 500}}]\n")
	for _, send := range []simtest.Call{simtest.CreateGroup, simtest.CreateGroup, simtest.ListGroups, simtest.ListGroups, simtest.UpdateUser} {
		send.Send(b)
	}
	page := open(t, b, "/coverage/"+b.Sandbox.Name())
	page.Click("Each answer of groups.list")
	page.See("500 2001: met only by a fault 1")
	return page
}
