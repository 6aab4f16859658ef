package server_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// serving serves a new sandbox on a listener of its own, and returns that listener's URL.
func serving(t *testing.T, b *simtest.Bank) (of *simtest.Bank, url string, end func()) {
	t.Helper()
	sb, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{})
	require.NoError(t, err)
	url, end, err = b.Server.ServeSandbox(sb.Name(), false)
	require.NoError(t, err)
	t.Cleanup(end)
	return b.In(sb.Name()), url, end
}

// The listeners end one by one, and with the server. The test's main function finds what they leave behind.
func TestServeSandboxEnds(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	_, _, end := serving(t, b)
	simtest.ListGroups.Send(b)
	end()
	end()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, url, end := serving(t, b)
			assert.Equal(t, 200, b.Do(b.Request("GET", url+simtest.GroupsPath, "", "transactionId: t-1")).StatusCode)
			end()
		})
	}
	all.Wait()
	serving(t, b)
	require.NoError(t, b.Server.Shutdown(t.Context()))
	_, _, err := b.Server.ServeSandbox("default", false)
	assert.ErrorIs(t, err, http.ErrServerClosed)
}
