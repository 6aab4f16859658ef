package server_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/memlimit"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const mib = 1 << 20

// peakOf returns how far the heap grows while fn runs, in MiB, garbage that is not collected yet included. The collector
// runs early, so that there is little of it. Tests that use it are not parallel.
func peakOf(t *testing.T, fn func()) int {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := heap()
	peak := before
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, heap())
			}
		}
	}()
	fn()
	close(stop)
	<-done
	grown := int((peak - before) / mib)
	t.Logf("the heap grew by %d MiB beyond %d MiB", grown, before/mib)
	return grown
}

// fetch reads an answer of the control API to its end and returns how large it is.
func fetch(t *testing.T, b *simtest.Bank, path string) int64 {
	t.Helper()
	res, err := http.DefaultClient.Do(b.Request(http.MethodGet, b.Server.ControlURL()+b.ControlPath()+path, ""))
	if !assert.NoError(t, err) {
		return 0
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	assert.NoError(t, err)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	return n
}

// send sends a body to an operation and returns the status.
func send(t *testing.T, b *simtest.Bank, op *contract.Operation, body []byte) int {
	t.Helper()
	r := b.Request(op.Method, b.BaseURL()+op.Path, "")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "transactionid": "t", "fiid": "02688", "userid": "1001", "Authorization": "Bearer demo-token",
	} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0 // the server may refuse a body before it is sent
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// atOnce runs fn several times at once.
func atOnce(times int, fn func()) {
	var all sync.WaitGroup
	for range times {
		all.Go(fn)
	}
	all.Wait()
}

func TestManyHARsTakeLittleMemory(t *testing.T) {
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	body := []byte(`{"groupName":"` + strings.Repeat("n", 60<<10) + `"}`)
	for range 300 {
		send(t, b, contract.GroupsCreate, body)
	}
	require.Greater(t, fetch(t, b, "/journal.har"), int64(10*mib))
	assert.Less(t, peakOf(t, func() { fetch(t, b, "/journal.har") }), 25)
	assert.Less(t, peakOf(t, func() { atOnce(6, func() { fetch(t, b, "/journal.har") }) }), 40)
}

func TestALargeStateTakesLittleMemory(t *testing.T) {
	b := simtest.StartScenario(t, simtest.FrozenRetail+"institutions:\n- institutionId: \"02688\"\n  generate: {users: 20000, accountsPerUser: 3}\n")
	assert.Less(t, peakOf(t, func() { assert.Greater(t, fetch(t, b, "/state"), int64(15*mib)) }), 40)
}

func TestManyLargeBodiesTakeLittleMemory(t *testing.T) {
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, simtest.FrozenRetail), Memory: memlimit.Limits{Bodies: 4 * mib}})
	tooLarge, large := bytes.Repeat([]byte("n"), 2*mib), []byte(`{"groupName":"`+strings.Repeat("n", mib-100)+`"}`)
	assert.Less(t, peakOf(t, func() {
		atOnce(200, func() { assert.Contains(t, []int{0, 413}, send(t, b, contract.GroupsCreate, tooLarge)) })
	}), 50)
	assert.Less(t, peakOf(t, func() {
		atOnce(50, func() { assert.Contains(t, []int{400, 503}, send(t, b, contract.GroupsCreate, large)) })
	}), 60)
}

func TestCallersCantFillTheMemory(t *testing.T) {
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, simtest.FrozenRetail), Memory: memlimit.Limits{WorldBytes: 8 * mib}})
	body := []byte(`{"additionalInfo":{"a":"` + strings.Repeat("n", mib-100) + `"}}`)
	count := map[int]int{}
	assert.Less(t, peakOf(t, func() {
		for range 60 {
			count[send(t, b, contract.AlertsCreatePreference, body)]++
		}
	}), 50)
	assert.Equal(t, map[int]int{201: 7, 507: 53}, count)
	assert.Equal(t, "BANKSIM_WORLD_FULL", contract.ErrorCode([]byte(b.Last().Response.Body)))
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, 201, send(t, b, contract.AlertsCreatePreference, body), "after a reset there is room again")
}

// Sandboxes share the room for what callers add: one that is full leaves none for the others, until it is reset or deleted.
func TestSandboxesShareTheMemory(t *testing.T) {
	const room = 8 * mib
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, simtest.FrozenRetail), Memory: memlimit.Limits{WorldBytes: room}})
	b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	other := b.In("other")
	body := []byte(`{"additionalInfo":{"a":"` + strings.Repeat("n", mib-100) + `"}}`)
	add := func(to *simtest.Bank) int { return send(t, to, contract.AlertsCreatePreference, body) }
	fill := func(to *simtest.Bank, most int) (accepted int) {
		for accepted < most && add(to) == 201 {
			accepted++
		}
		return accepted
	}
	assert.Equal(t, 7, fill(b, 10))
	require.Equal(t, 507, add(other))
	assert.Contains(t, other.Last().Decision.Message, "reset or delete sandboxes, or give it more memory")

	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, 4, fill(other, 4))
	assert.Equal(t, 3, fill(b, 10), "what the other one leaves")

	b.Control(204, "DELETE /v1/sandboxes/other", "")
	assert.Equal(t, 4, fill(b, 10), "what the other one had")
}
