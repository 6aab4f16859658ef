package memlimit_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/memlimit"
)

// read returns a value that the Go runtime measures.
func read(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// goal returns how large the heap may get before the next collection, in MiB above what the last one has found in use.
func goal() int64 { return (read("/gc/heap/goal:bytes") - read("/gc/heap/live:bytes")) / mib }

// A heap that is smaller than its room grows by that, and one that is larger to twice its size. It is not parallel: the
// percentage is the process's.
func TestTheHeapHasRoom(t *testing.T) {
	growsBy := func(least, most int64) func() bool {
		return func() bool {
			runtime.GC() // after which the growth is set
			return goal() >= least && goal() <= most
		}
	}
	stop := memlimit.KeepRoom(100 * mib)
	assert.Eventually(t, growsBy(75, 110), 10*time.Second, time.Millisecond)

	large := make([]byte, 300*mib)
	assert.Eventually(t, growsBy(290, 330), 10*time.Second, time.Millisecond)
	runtime.KeepAlive(large)
	large = nil
	assert.Eventually(t, growsBy(75, 110), 10*time.Second, time.Millisecond)

	stop()
	assert.Eventually(t, growsBy(0, 30), 10*time.Second, time.Millisecond)
	for range 3 { // it stays so
		assert.True(t, growsBy(0, 30)())
	}
}
