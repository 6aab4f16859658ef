package bankapi_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const (
	mostOfBody = 1 << 20 // bytes that a body has at most
	leastRoom  = 8       // of such bodies, whatever the memory limit is; one upload takes as much
)

// startWithLeastRoom starts a simulator with as little room for large bodies as any has.
func startWithLeastRoom(t *testing.T) *simtest.Bank {
	t.Helper()
	before := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(before)
	return simtest.Start(t, server.Config{})
}

// createUnder creates a sandbox with a fault.
func createUnder(t *testing.T, b *simtest.Bank, name, rule string) *simtest.Bank {
	t.Helper()
	sc := simtest.Scenario(t, simtest.WithFaults("- "+rule+"\n"))
	_, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: name, Scenario: sc})
	require.NoError(t, err)
	return b.In(name)
}

// namedCreate returns a request for a group of a name, with a body of so many bytes.
func namedCreate(name string, size int) simtest.Call {
	body := `{"groupName":"` + name + `"}`
	return createGroup.WithBody(body + strings.Repeat(" ", size-len(body)))
}

// largeCreate returns a request for a group of a number, with a body that is as large as it may be.
func largeCreate(number int) simtest.Call {
	return namedCreate(fmt.Sprintf("g-%d", number), mostOfBody)
}

// largeUpload returns an upload with a body that is as large as it may be.
func largeUpload() simtest.Call {
	rest := mostOfBody - len(simtest.Multipart("ADD", ""))
	return simtest.UploadParticipants.With("content-type", simtest.MultipartType).
		WithBody(simtest.Multipart("ADD", strings.Repeat("x", rest)))
}

// requireRoom requires that a body that is not small finds room in a sandbox that no fault delays.
func requireRoom(t *testing.T, b *simtest.Bank) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // half of the time for which a body waits for room
	defer cancel()
	res, err := b.Try(namedCreate("not small", 5000).Request(b).WithContext(ctx))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, res.Body)
}

// awaitFired waits until the first fault of a sandbox has fired so many times.
func awaitFired(t *testing.T, b *simtest.Bank, times uint64) {
	t.Helper()
	hasFired := func() bool { return b.Sandbox.Known().Faults.Counts()[0].Fired == times }
	require.Eventually(t, hasFired, simtest.Patience, time.Millisecond)
}

// endDelays ends the simulator, and the delays of faults with it. Delayed requests are answered.
func endDelays(t *testing.T, b *simtest.Bank) {
	t.Helper()
	require.NoError(t, b.Server.Shutdown(t.Context()))
}

// Requests with large bodies take no room from those to other sandboxes while a fault delays them. They are answered
// once the delay has ended.
func TestDelayedBodiesTakeNoRoom(t *testing.T) { // not parallel: it sets the memory limit
	const create, upload = "groups.create", "groups.uploadParticipants"
	for name, c := range map[string]struct {
		operation string
		requests  int // as many as fill the room
		then      string
		isLost    bool
	}{
		"before":         {create, leastRoom, "{delay: 4m}", false},
		"after":          {create, leastRoom, "{delay: 4m}, phase: after", false},
		"hang":           {create, leastRoom, "{connection: {hang: 4m}}", true},
		"hang, after":    {create, leastRoom, "{connection: {hang: 4m}}, phase: after", true},
		"upload, before": {upload, 1, "{delay: 4m}", false},
		"upload, after":  {upload, 1, "{delay: 4m}, phase: after", false},
		"upload, hang":   {upload, 1, "{connection: {hang: 4m}}", true},
	} {
		t.Run(name, func(t *testing.T) {
			var waiting sync.WaitGroup
			t.Cleanup(waiting.Wait)
			b := startWithLeastRoom(t)
			require.Equal(t, 200, createGroup.Send(b).StatusCode)
			slow := createUnder(t, b, "slow", "{name: slow, operation: "+c.operation+", then: "+c.then+"}")
			for i := range c.requests {
				waiting.Go(func() {
					call := largeCreate(i)
					if c.operation == upload {
						call = largeUpload()
					}
					res, err := call.Try(slow)
					if c.isLost {
						assert.Error(t, err)
					} else if assert.NoError(t, err) {
						assert.Equal(t, 200, res.StatusCode, res.Body)
					}
				})
			}
			awaitFired(t, slow, uint64(c.requests))
			requireRoom(t, b)
			endDelays(t, b)
			waiting.Wait()
		})
	}
}

// Bodies that are delayed have a room of their own. Where it is used up, a request is refused at once.
func TestTooManyDelayedBodies(t *testing.T) { // not parallel: it sets the memory limit
	var waiting sync.WaitGroup
	t.Cleanup(waiting.Wait)
	b := startWithLeastRoom(t)
	slow := createUnder(t, b, "slow", "{name: slow, operation: groups.create, then: {delay: 4m}}")
	var accepted atomic.Int32
	refused := make(chan simtest.Answer, leastRoom+1)
	for i := range leastRoom + 1 {
		waiting.Go(func() {
			res, err := largeCreate(i).Try(slow)
			if !assert.NoError(t, err) {
				return
			}
			if res.StatusCode == http.StatusOK {
				accepted.Add(1)
			} else {
				refused <- res
			}
		})
	}
	var res simtest.Answer
	select {
	case res = <-refused:
	case <-time.After(simtest.Patience):
		require.Fail(t, "all requests are delayed")
	}
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Equal(t, "BANKSIM_OVERLOADED", res.Code())
	assert.Equal(t, "2", res.Header.Get("Retry-After"))
	x := slow.ExchangeOf(res)
	assert.Equal(t, string(contract.Overloaded), x.Decision.Rule)
	assert.Equal(t, journal.Refused, x.Decision.Outcome)
	assert.Contains(t, x.Decision.Message, "faults delay too many requests with large bodies")
	assert.EqualValues(t, 1, slow.Journal().Last(), "the others are delayed")

	requireRoom(t, b)
	endDelays(t, b)
	waiting.Wait()
	assert.EqualValues(t, leastRoom, accepted.Load())
}

// A delay ends when the caller disconnects, with a large body as well: it needs no room then.
func TestDelayOfLargeBodyEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: slow, operation: groups.create, then: {delay: 4m}}\n"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Try(largeCreate(1).Request(b).WithContext(ctx))
		ended <- err
	}()
	awaitFired(t, b, 1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	assert.Equal(t, "the client disconnected during the delay: nothing was carried out", b.Last().Decision.Message)
}
