package bankapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const strictRetail = simtest.FrozenRetail + "behavior: {strict: true}\n"

// A request whose answer rests on a choice alone gets 501, in the shape of its family and with the entry's id, and
// changes nothing. Its documented form is accepted.
func TestStrictRefusesWhatRestsOnAChoice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		simtest.Call
		entry string
		firm  simtest.Call
	}{
		{createGroup, "groups.auth", createGroup.WithToken("demo-token")},
		{createGroup.WithToken("demo-token").WithBody(`{"groupName":"EARLY ADOPTERS"}`), "groups.create.name-case",
			createGroup.WithToken("demo-token")},
		{updateUser.WithToken("avery-token").At(simtest.UpdateUserPath + "1004"), "estatements.other-user", updateUser},
	} {
		b := simtest.NewBank(t, strictRetail)
		before := b.World()
		res := test.Expect(b, 501)
		assert.Equal(t, "BANKSIM_STRICT", res.Code())
		assert.Contains(t, res.Body, test.entry)
		assert.True(t, before.Equal(b.World()), "nothing has changed")
		assert.Equal(t, test.entry, b.ExchangeOf(res).Decision.Entries[0])
		assert.Less(t, test.firm.Send(b).StatusCode, 300)
	}
}

// A strict refusal names a misspelt header, as every refusal does.
func TestStrictNamesAMisspeltHeader(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, strictRetail)
	createGroup.With("institutonId", "02688").Expect(b, 501)
	assert.Contains(t, fmt.Sprint(b.Last().Lints), "did you mean institutionId?")
}

// Refusals that a source names, and those of no operation, stay the same. A transactionId may be used once.
func TestStrictLeavesTheRest(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, strictRetail)
	assert.Equal(t, "UXESTMT_88889", updateUser.At(simtest.UpdateUserPath+"1002").Send(b).Code())
	listGroups.At("/nope").Expect(b, 404)
	list := listGroups.WithToken("demo-token")
	list.Expect(b, 200)
	assert.Contains(t, list.Send(b).Body, "groups.transaction-id-reuse")
}
