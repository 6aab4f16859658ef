package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A request can ask for a fault by a header if the scenario allows it.
func TestFaultHeader(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		"extends: retail\nclock: {run: false}\nbehavior: {faultHeader: true}\nfaults: [{name: own, operation: groups.list, then: "+
			"{status: 401}}]\n")
	ask := func(call simtest.Call, header string) simtest.Answer {
		return call.With("Banksim-Fault", header).Send(b)
	}
	assert.Equal(t, 500, ask(listGroups, "status=500").StatusCode, "it comes before the scenario's")
	assert.Equal(t, []string{"Banksim-Fault", "own"}, b.Last().Fault.Fired)
	assert.Equal(t, "Banksim-Fault", b.Last().Fault.AnsweredBy)
	assert.Equal(t, `{"code":"LIMIT","message":"slow down"}`,
		ask(createGroup, " Status = 429 ;code=LIMIT; message=slow down; delay=1ms;").Body)
	_, err := createGroup.With("Banksim-Fault", "connection=reset; phase=after").Try(b)
	require.Error(t, err)
	assert.Equal(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, createGroup.Send(b).Body)

	res := ask(listGroups, "statsu=500")
	assert.Equal(t, 400, res.StatusCode)
	assert.Contains(t, res.Body, `{"code":"BANKSIM_FAULT_HEADER","message":"header Banksim-Fault: unknown key \"statsu\": the keys are `)
	assert.Equal(t, 400, ask(listGroups, " ; ").StatusCode)

	off := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 200, listGroups.With("Banksim-Fault", "statsu=500").Send(off).StatusCode)
	require.Len(t, off.Last().Lints, 1)
	assert.Equal(t, "fault-header-ignored", off.Last().Lints[0].Code)
}
