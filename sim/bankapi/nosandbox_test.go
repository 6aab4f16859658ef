package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Without a default sandbox, a request whose URL names none is refused, in its family's shape, and reaches no bank:
// neither the one that its client meant, nor another.
func TestNoDefaultSandbox(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{NoDefault: true})
	_, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: "mine"})
	require.NoError(t, err)
	before := b.State()
	for i, call := range []simtest.Call{simtest.CreateGroup, revokeTokens, listGroups.At("/nope")} {
		res := call.Send(b)
		assert.Equal(t, 421, res.StatusCode, call)
		assert.Equal(t, "BANKSIM_NO_SANDBOX", res.Code(), res.Body)
		assert.Contains(t, res.Body, "a base URL is "+b.Server.ServiceURL()+"/sandboxes/NAME; has the client dropped its path?")
		x := b.Last()
		assert.Equal(t, i+1, int(b.Journal().Last()), "the journal of default has it")
		assert.Contains(t, x.Request.URL, b.Server.ServiceURL()+"/")
		assert.Equal(t, "sandbox-missing", x.Decision.Rule)
		assert.Equal(t, []string{contract.EverywhereSandbox.ID}, x.Decision.Entries[:1])
	}
	assert.Equal(t, before, b.State())
	mine := b.In("mine")
	assert.Zero(t, mine.Journal().Last())
	assert.Equal(t, 200, simtest.CreateGroup.Send(mine).StatusCode)
	assert.Equal(t, 200, b.Do(b.Request("GET", b.Server.ServiceURL()+"/sandboxes/default"+simtest.GroupsPath, "",
		"transactionId: t-1")).StatusCode)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/default", "").Body, `"baseUrl":"`+b.Server.ServiceURL()+`/sandboxes/default"`)
	assert.Contains(t, b.Control(200, "GET /v1/info", "").Body, `"baseUrl":"`+b.Server.ServiceURL()+`/sandboxes/default"`)
}
