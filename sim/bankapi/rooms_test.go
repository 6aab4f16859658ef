package bankapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
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

// create returns a request for a group, with a body of so many bytes.
func create(name string, size int) simtest.Call {
	body := `{"groupName":"` + name + `"}`
	return createGroup.WithBody(body + strings.Repeat(" ", size-len(body)))
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
	res, err := b.Try(create("not small", 5000).Request(b).WithContext(ctx))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, res.Body)
}

// awaitFired waits until the first fault of a sandbox has fired so many times.
func awaitFired(t *testing.T, b *simtest.Bank, times uint64) {
	t.Helper()
	hasFired := func() bool { return b.Sandbox.Known().Faults.Counts()[0].Fired == times }
	require.Eventually(t, hasFired, simtest.Patience, time.Millisecond)
}

// Requests with large bodies take no room from those to other sandboxes while a fault delays them. They are answered
// once the delay has ended.
func TestDelayedBodiesTakeNoRoom(t *testing.T) { // not parallel: it sets the memory limit
	for name, c := range map[string]struct {
		operation, then string
		isLost          bool
	}{
		"before":         {"groups.create", "{delay: 4m}", false},
		"hang, after":    {"groups.create", "{connection: {hang: 4m}}, phase: after", true},
		"upload, before": {"groups.uploadParticipants", "{delay: 4m}", false},
	} {
		t.Run(name, func(t *testing.T) {
			var waiting sync.WaitGroup
			t.Cleanup(waiting.Wait)
			b := startWithLeastRoom(t)
			slow := createUnder(t, b, "slow", "{name: slow, operation: "+c.operation+", then: "+c.then+"}")
			calls := []simtest.Call{largeUpload()} // as many as fill the room
			if c.operation == "groups.create" {
				calls = nil
				for i := range leastRoom {
					calls = append(calls, create(fmt.Sprint("g-", i), mostOfBody))
				}
			}
			for _, call := range calls {
				waiting.Go(func() {
					res, err := call.Try(slow)
					if c.isLost {
						assert.Error(t, err)
					} else if assert.NoError(t, err) {
						assert.Equal(t, 200, res.StatusCode, res.Body)
					}
				})
			}
			awaitFired(t, slow, uint64(len(calls)))
			requireRoom(t, b)
			require.NoError(t, b.Server.Shutdown(t.Context())) // which ends delays
			waiting.Wait()
		})
	}
}

// Bodies that are delayed have a room of their own. Where it is used up, a request is refused at once.
func TestTooManyDelayedBodies(t *testing.T) { // not parallel: it sets the memory limit
	b := startWithLeastRoom(t)
	slow := createUnder(t, b, "slow", "{name: slow, operation: groups.create, then: {delay: 4m}}")
	answers := make(chan simtest.Answer, leastRoom+2)
	for i := range leastRoom + 2 {
		go func() {
			r := create(fmt.Sprint("g-", i), mostOfBody).Request(slow)
			if i == 0 { // a small one, which doesn't say so, takes no room
				r = create("small", 100).Request(slow)
				r.ContentLength = -1
			}
			res, err := slow.Try(r)
			assert.NoError(t, err)
			answers <- res
		}()
	}
	res := <-answers
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Equal(t, "BANKSIM_OVERLOADED", res.Code())
	assert.Equal(t, "2", res.Header.Get("Retry-After"))
	assert.Contains(t, slow.ExchangeOf(res).Decision.Message, "faults delay too many requests with large bodies")

	requireRoom(t, b)
	require.NoError(t, b.Server.Shutdown(t.Context()))
	for range leastRoom + 1 {
		assert.Equal(t, 200, (<-answers).StatusCode)
	}
}

// startingWriter calls a function when the answer begins.
type startingWriter struct {
	*httptest.ResponseRecorder
	start func()
}

// WriteHeader calls the function and begins the answer.
func (w startingWriter) WriteHeader(status int) {
	w.start()
	w.ResponseRecorder.WriteHeader(status)
}

// A request to an unknown sandbox gives back the room of its body before it is answered.
func TestUnknownSandboxTakesNoRoom(t *testing.T) { // not parallel: it sets the memory limit
	before := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(before)
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	t.Cleanup(sandboxes.Close)
	handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	upload := func(ctx context.Context, baseURL string, start func()) int {
		call := largeUpload()
		r := httptest.NewRequestWithContext(ctx, call.Method, baseURL+call.Path, strings.NewReader(call.Body))
		r.Header = call.Header
		w := startingWriter{httptest.NewRecorder(), start}
		handler.ServeHTTP(w, r)
		return w.Code
	}
	status := upload(t.Context(), "/sandboxes/unknown", func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, http.StatusOK, upload(ctx, "", func() {}), "an upload to another sandbox has room")
	})
	assert.Equal(t, http.StatusNotFound, status)
}
