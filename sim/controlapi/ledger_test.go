package controlapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	get := func(query string) []contract.Entry {
		return simtest.Decode[struct {
			Entries []contract.Entry `json:"entries"`
		}](t, b.Control(200, "GET /v1/ledger"+query, "")).Entries
	}
	assert.Len(t, get(""), len(contract.Ledger()))
	some := get("?operation=groups.list&basis=choice")
	require.NotEmpty(t, some)
	for _, e := range some {
		assert.True(t, e.Concerns("groups.list"))
		assert.Equal(t, contract.Choice, e.Basis)
	}
	for _, wrong := range []string{"?operation=groups", "?basis=guess", "?ledger=1"} {
		b.Control(400, "GET /v1/ledger"+wrong, "")
	}
}
