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
		ask(createGroup, " status = 429 ;code=LIMIT; message=slow down; delay=1ms;").Body)
	_, err := createGroup.With("Banksim-Fault", "connection=reset; phase=after").Try(b)
	require.Error(t, err)
	assert.Equal(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, createGroup.Send(b).Body)

	for header, message := range map[string]string{
		"statsu=500":                   `unknown key "statsu": did you mean "status"?`,
		" ; ":                          "then says nothing: add status, headers, delay, connection or expireToken",
		"status=500; status=401":       `duplicate key "status", first on line 1: remove one of them`,
		"status=bad":                   `status must be a whole number, such as 400, 401, 403, 404, 500, 501 or 503, not "bad"`,
		"status=204":                   `an answer with status 204 has no body: write body: "" beside it, or change the status`,
		"forward=http://other.example": "forward goes with a path that the interface doesn't have: add path, or remove forward",
		"code=X":                       "error needs a status: add status: 500, for example",
		"delay=1h":                     "delay must be at most 5m0s, not 1h0m0s",
		"connection=resett":            `connection can't be "resett": did you mean "reset"?`,
	} {
		res := ask(listGroups, header)
		assert.Equal(t, 400, res.StatusCode)
		assert.Equal(t, `{"code":"BANKSIM_FAULT_HEADER","message":`+simtest.JSON("header Banksim-Fault: "+message)+"}", res.Body)
	}
	assert.Equal(t, 401, ask(listGroups.WithToken("demo-token"), "expireToken=true").StatusCode)
	assert.Equal(t, []string{"Banksim-Fault"}, b.Last().Fault.Fired[:1])

	off := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 200, listGroups.With("Banksim-Fault", "statsu=500").Send(off).StatusCode)
	require.Len(t, off.Last().Lints, 1)
	assert.Equal(t, "fault-header-ignored", off.Last().Lints[0].Code)
}
