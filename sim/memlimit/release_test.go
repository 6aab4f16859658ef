package memlimit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/memlimit"
)

// Much memory is returned within a second, but not more often than every five; little is left to the runtime.
func TestFreedMemoryIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		r := memlimit.NewReleaser(func() { at = append(at, time.Since(start)) })
		for range 1000 {
			r.Freed(1000)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, at)

		start = time.Now()
		r.Freed(100 * mib)
		r.Freed(100 * mib)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.Freed(100 * mib)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []time.Duration{time.Second, 6 * time.Second}, at)
	})
}
