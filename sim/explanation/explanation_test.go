package explanation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// The entries of the ledger are as they are under the behaviour of the sandbox.
func TestEntriesUnderABehavior(t *testing.T) {
	t.Parallel()
	const withToken = "Authorization: Bearer demo-token"
	b := simtest.NewBank(t, simtest.FrozenRetail)
	create(b, aGroup, withToken)
	why := newest(t, b)
	assert.Equal(t, explanation.CitedEntry{
		ID:       "groups.create.status",
		Question: "Which status does a created group get?",
		Answer:   "200.",
		Basis:    "published",
		Source:   "public API description: POST /v3/groups; section 4.5 leaves it open",
		Switch: &contract.Setting{Key: "groups.createStatus", Value: "200", Default: "200",
			Alternatives: []contract.Alternative{{Value: "201", Answer: "201.", Basis: "convention"}}},
	}, why.Entries[0])
	assert.Contains(t, why.FullText(false), `
Ledger entry groups.create.status
  Which status does a created group get?
  200.
  (published: public API description: POST /v3/groups; section 4.5 leaves it open)
  behavior.groups.createStatus: 200
  behavior.groups.createStatus: 201 instead: 201.
`)
	assert.Equal(t, string(strictjson.MustEncode(b.Last())), string(strictjson.MustEncode(why.Exchange)))

	other := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {createStatus: 201, nameLimit: 30}}\n")
	create(other, `{"groupName": "Owls"}`, withToken)
	why = newest(t, other)
	assert.Equal(t, "convention", why.Basis.Name)
	first := why.Entries[0]
	assert.Equal(t, []string{"201.", "convention", "201"}, []string{first.Answer, first.Basis, first.Switch.Value})
	assert.Contains(t, why.FullText(false), "\n  behavior.groups.createStatus: 201 (by default 200)\n")
	create(other, `{"groupName": "Owls that are awake all night long"}`, withToken)
	assert.Equal(t, "30", newest(t, other).Entries[0].Switch.Value)
}
