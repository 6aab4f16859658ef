package server_test

import (
	"net/http"
	"strings"
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
	sb, err := b.Sandboxes.Create(sandbox.Plan{})
	require.NoError(t, err)
	url, end, err = b.Server.ServeSandbox(sb.Name(), false)
	require.NoError(t, err)
	t.Cleanup(end)
	return b.In(sb.Name()), url, end
}

// The listener leads to its sandbox, by a base URL without a path, and to no other one.
func TestServeSandbox(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	own, url, _ := serving(t, b)
	get := func(path string) simtest.Answer {
		return b.Do(b.Request("GET", url+path, "", "transactionId: t-1"))
	}
	list := get(simtest.GroupsPath + "?size=2&page=1")
	assert.Equal(t, 200, list.StatusCode)
	x := own.Last()
	assert.Equal(t, url+simtest.GroupsPath+"?size=2&page=1", x.Request.URL)
	assert.Equal(t, own.Sandbox.Name(), x.Sandbox)
	assert.Equal(t, 5, strings.Count(list.Body, `"href":"`+url+simtest.GroupsPath+"?page="), list.Body)
	for _, name := range []string{"default", own.Sandbox.Name()} {
		res := get("/sandboxes/" + name + simtest.GroupsPath)
		assert.Equal(t, 404, res.StatusCode)
		assert.Equal(t, "BANKSIM_UNKNOWN_PATH", res.Code())
		assert.Equal(t, own.Last().ID, res.Header.Get("Banksim-Exchange"))
	}
	assert.Zero(t, b.Journal().Last(), "the default sandbox had no request")
	simtest.ListGroups.Send(own)
	assert.Equal(t, uint64(4), own.Journal().Last(), "the sandbox has its other base URL, too")
	require.NoError(t, b.Sandboxes.Delete(own.Sandbox.Name()))
	assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", get(simtest.GroupsPath).Code())
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
