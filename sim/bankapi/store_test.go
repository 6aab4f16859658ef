package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// Where a bank can't be stored, a change is refused in the family's shape and changes nothing, and so is a request that
// a fault has counted. Others are answered.
func TestNotStored(t *testing.T) {
	t.Parallel()
	kept, err := store.OpenFile(t.TempDir())
	require.NoError(t, err)
	scenario := simtest.Scenario(t, simtest.WithFaults("- {operation: jobs.list, then: {status: 500}}\n"))
	sandboxes, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: scenario}, kept)
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Sandboxes: sandboxes})
	createGroup.Expect(b, 200)
	require.NoError(t, kept.Close()) // as if its disk had failed

	before := b.World()
	second := createGroup.WithBody(`{"groupName":"Second"}`)
	for _, call := range []simtest.Call{second, simtest.IssueTokens, simtest.ListJobs} {
		res := call.Expect(b, 503)
		assert.Equal(t, "BANKSIM_NOT_STORED", res.Code())
		assert.Equal(t, "5", res.Header.Get("Retry-After"))
		assert.Equal(t, "not-stored", b.ExchangeOf(res).Decision.Rule)
	}
	assert.True(t, before.Equal(b.World()))
	listGroups.Expect(b, 200)
	refused := b.ControlSandbox(503, "DELETE /faults", "")
	assert.Contains(t, refused.Body, "the store of the banks can't be used at present")
	assert.Equal(t, "5", refused.Header.Get("Retry-After"))
	assert.Len(t, b.Sandbox.Known().Faults.Counts(), 1)
	assert.Contains(t, b.Control(200, "GET /readyz", "").Body, "the banks could not be stored last")
	metrics := b.Control(200, "GET /metrics", "").Body
	assert.Contains(t, metrics, "banksim_store_failures_total 4")
	assert.Contains(t, metrics, `banksim_unexplained_errors_total{operation="groups.create"} 1`)
	assert.Contains(t, b.Control(200, "GET /v1/info", "").Body, kept.Location())
	refused = b.Control(503, "POST /v1/reset", "")
	assert.Contains(t, refused.Body, `1 sandbox of 1 could not be reset: \"default\": the store of the banks`)
	assert.Empty(t, refused.Header.Get("Retry-After"), "others may have been reset")
}
