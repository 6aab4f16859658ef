package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const strictRetail = simtest.FrozenRetail + "behavior: {strict: true}\n"

// A request whose answer rests on a choice alone gets 501, in the shape of its family and with the entry's id, and
// changes nothing. Its documented form is accepted.
func TestStrictRefusesWhatRestsOnAChoice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		simtest.Call
		entry string
		firm  simtest.Call
	}{
		"a group without credentials": {createGroup, "groups.auth", createGroup.WithToken("demo-token")},
		"a revocation by password": {revokeTokens.WithBody(`{"grant_type":"password","username":"avery","password":"demo"}`),
			"revoke.by-credentials", revokeTokens},
		"a refusal by choice": {createAlert.Without("fiid"), "alerts.headers", createAlert},
		"another user's token": {updateUser.WithToken("avery-token").At(simtest.UpdateUserPath + "1004"), "estatements.other-user",
			updateUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, strictRetail)
			before := b.World()
			res := test.Send(b)
			assert.Equal(t, 501, res.StatusCode, res.Body)
			assert.Contains(t, res.Body, `"BANKSIM_STRICT"`)
			assert.Contains(t, res.Body, test.entry)
			assert.True(t, before.Equal(b.World()), "nothing has changed")
			x := b.ExchangeOf(res)
			assert.Equal(t, []string{test.entry, "everywhere.strict"}, x.Decision.Entries[:2])
			assert.Equal(t, "choice", x.Decision.Basis)
			assert.Less(t, test.firm.Send(b).StatusCode, 300)
		})
	}
}

func TestStrictAllowsATransactionIDOnce(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, strictRetail)
	list := listGroups.WithToken("demo-token")
	assert.Equal(t, 200, list.Send(b).StatusCode)
	again := list.Send(b)
	assert.Equal(t, 501, again.StatusCode)
	assert.Contains(t, again.Body, "groups.transaction-id-reuse")
	assert.Equal(t, 200, list.With("transactionId", "t-2").Send(b).StatusCode)
}

// Refusals that a source names, and those of no operation, stay the same.
func TestStrictLeavesTheRest(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, strictRetail)
	assert.Equal(t, "UXESTMT_88889", updateUser.At(simtest.UpdateUserPath+"1002").Send(b).Code())
	assert.Equal(t, "CMN_90004", revokeTokens.Without("authorization").Send(b).Code())
	assert.Equal(t, 404, listGroups.At("/nope").Send(b).StatusCode)
	assert.Equal(t, 405, listGroups.WithMethod("PATCH").Send(b).StatusCode)
}
