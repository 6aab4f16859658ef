package bankapi_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// A client that disconnects during a delay is no failure of the store.
func TestDisconnectedWithAStore(t *testing.T) {
	t.Parallel()
	file, err := store.OpenFile(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	scenario := simtest.Scenario(t, simtest.WithFaults("- {name: slow, operation: groups.list, then: {delay: 1m}}\n"))
	sandboxes, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: scenario}, file)
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Sandboxes: sandboxes})
	ctx, disconnect := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := b.Try(listGroups.Request(b).WithContext(ctx))
		gone <- err
	}()
	awaitFired(t, b, 1)
	disconnect()
	require.ErrorIs(t, <-gone, context.Canceled)
	recorded := func() bool { return b.Journal().Last() == 1 }
	require.Eventually(t, recorded, simtest.Patience, time.Millisecond)
	last := b.Exchanges(journal.Query{})[0]
	assert.Equal(t, journal.Faulted, last.Decision.Outcome)
	assert.Equal(t, []string{"slow"}, last.Fault.Fired)
	assert.NotContains(t, b.Control(200, "GET /readyz", "").Body, "could not be stored")
}

// A fault lets the access token of an alert operation expire, whether the word Bearer comes before it or not.
func TestBareTokensExpire(t *testing.T) {
	t.Parallel()
	for _, authorization := range []string{"Bearer avery-token", "avery-token"} {
		b := simtest.NewBank(t, simtest.WithFaults(
			"- {name: old, operation: alerts.createPreference, then: {expireToken: true}}\n"))
		res := createAlert.With("authorization", authorization).Send(b)
		assert.Equal(t, 401, res.StatusCode, authorization)
		assert.Equal(t, "old", b.Last().Fault.ExpiredBy, authorization)
	}
}

// A query parameter with the name of a header is an unknown parameter like any other.
func TestHeadersInTheQuery(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	list := simtest.Calls["alerts.listPreferences"]
	for _, query := range []string{"fiid=1&fiid=1", "transactionid=1&transactionid=1", "zzz=1&zzz=1"} {
		assert.Equal(t, 200, list.WithQuery(query).Send(b).StatusCode, query)
	}
	assert.Equal(t, 400, list.WithQuery("pageNo=0&pageNo=0").Send(b).StatusCode)
}
