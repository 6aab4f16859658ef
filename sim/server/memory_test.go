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
