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

	for header, message := range map[string]string{
		"statsu=500":               `unknown key \"statsu\": the keys are status, code, message, delay, connection, phase`,
		"status":                   `\"status\" has no value: write it as in status=500`,
		"status=abc":               `status must be a number such as 500, not \"abc\"`,
		"status=500; status=401":   `\"status\" is given twice: remove one`,
		"status=204":               `status must be from 400 to 599, not 204: the header can't give the body that any other needs`,
		"status=302":               `status must be from 400 to 599, not 302: the header can't give the body that any other needs`,
		"code=CMN_90002":           `error needs a status: add status: 500, which CMN_90002 goes with`,
		"delay=5":                  `delay must be a duration such as 200ms, not \"5\"`,
		"delay=1h":                 `delay must be at most 5m0s, not 1h0m0s`,
		"connection=rest":          `connection must be one of reset close hang truncate malformed dribble garbage, not \"rest\"`,
		"phase=after":              `phase says only when: add status, delay or connection`,
		"status=500; phase=during": `phase must be before or after, not \"during\"`,
		" ; ":                      `it is empty: write what shall happen, as in status=500; delay=200ms`,
	} {
		res := ask(listGroups, header)
		assert.Equal(t, 400, res.StatusCode, header)
		assert.Contains(t, res.Body, `{"code":"BANKSIM_FAULT_HEADER","message":"header Banksim-Fault: `+message, header)
	}

	off := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 200, listGroups.With("Banksim-Fault", "statsu=500").Send(off).StatusCode)
	require.Len(t, off.Last().Lints, 1)
	assert.Equal(t, "fault-header-ignored", off.Last().Lints[0].Code)
}
