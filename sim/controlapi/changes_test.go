package controlapi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// changesOf returns what an exchange has changed.
func changesOf(t *testing.T, b *simtest.Bank, id string) []api.Change {
	t.Helper()
	var got struct {
		Exchange journal.Exchange `json:"exchange"`
		Changes  []api.Change     `json:"changes"`
	}
	require.NoError(t, json.Unmarshal([]byte(b.ControlSandbox(200, "GET /journal/"+id+"/why", "").Body), &got))
	assert.Equal(t, id, got.Exchange.ID)
	assert.NotNil(t, got.Changes)
	return got.Changes
}

// An exchange shows whether it has changed a row, and which: in both, a fault that loses the answer makes no difference.
func TestWhatExchangesChange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
  - {name: before, when: {request: {header: {x-fail: before}}}, then: {status: 500}}
  - {name: after, when: {request: {header: {x-fail: after}}}, phase: after, then: {status: 500}}
`))
	birds := simtest.CreateGroup.WithBody(`{"groupName":"Early birds"}`)
	for i, test := range []struct {
		call   simtest.Call
		status int
		rows   int
	}{
		{simtest.CreateGroup, 200, 1},
		{simtest.CreateGroup, 400, 0}, // the name is taken
		{simtest.ListGroups, 200, 0},
		{birds.With("x-fail", "before"), 500, 0},
		{birds.With("x-fail", "after"), 500, 1},
		{simtest.UpdateAccount, 200, 1},
		{simtest.UpdateAccount, 200, 0}, // it is so already
		{simtest.UpdateUser, 204, 2},
		{simtest.IssueTokens, 200, 1},
		{simtest.CreateAlert, 201, 1},
		{simtest.RevokeTokens, 200, 1},
		{simtest.ListGroups.At("/nowhere"), 404, 0},
	} {
		res := test.call.Send(b)
		assert.Equal(t, test.status, res.StatusCode, "%s: %s", test.call, res.Body)
		id := fmt.Sprint(i + 1)
		x := simtest.Decode[journal.Exchange](t, b.ControlSandbox(200, "GET /journal/"+id, ""))
		assert.Equal(t, test.rows > 0, x.Changed, "%s", test.call)
		assert.Len(t, changesOf(t, b, id), test.rows, "%s", test.call)
	}
	row := changesOf(t, b, "6")[0]
	assert.Equal(t, "accounts/02688/1001/acc-1001-checking", row.Row)
	assert.Equal(t, false, row.Before["activateEstatement"])
	assert.Equal(t, true, row.After["activateEstatement"])
	assert.Nil(t, changesOf(t, b, "5")[0].Before)
}
