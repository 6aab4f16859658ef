package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/traffic"
)

var start = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// The running second is not shown, one without requests is, and none is counted twice once the ring has come round.
func TestLast(t *testing.T) {
	t.Parallel()
	m := new(traffic.Meter)
	assert.Len(t, m.Last(start, 60), 60)
	for second, status := range []int{200, 204, 302, 404, 503, 0, 599, 100} {
		m.Request(start.Add(time.Duration(second)*time.Second), status, 5*time.Microsecond)
	}
	m.Faults(start.Add(5*time.Second), 2)

	seconds := m.Last(start.Add(7*time.Second+999*time.Millisecond), 8)
	require.Len(t, seconds, 8)
	assert.Equal(t, traffic.Second{At: start.Add(-time.Second)}, seconds[0])
	took := traffic.Second{Requests: 1, P50: 5 * time.Microsecond, P95: 5 * time.Microsecond, Max: 5 * time.Microsecond}
	for i, want := range []traffic.Second{{Success: 1}, {Success: 1}, {Redirect: 1}, {ClientError: 1}, {ServerError: 1}, {Lost: 1, Faults: 2}, {ServerError: 1}} {
		want.At, want.Requests, want.P50, want.P95, want.Max = start.Add(time.Duration(i)*time.Second), took.Requests, took.P50, took.P95, took.Max
		assert.Equal(t, want, seconds[i+1])
	}
	assert.Len(t, m.Last(start, 1000), traffic.Kept)
	later := start.Add(traffic.Kept * time.Second)
	assert.Equal(t, 1, m.Last(later, traffic.Kept)[0].Requests, "the oldest is held")
	for _, s := range m.Last(later.Add(10*time.Second), traffic.Kept) {
		assert.Zero(t, s.Requests, "all are too long ago")
	}
	m.Request(later.Add(2*time.Second), 200, time.Second) // in the place of a second that is gone
	assert.Equal(t, 1, m.Last(later.Add(3*time.Second), 1)[0].Requests)
}

// Percentiles are at most a tenth too large, and never too small; the maximum is exact.
func TestPercentiles(t *testing.T) {
	t.Parallel()
	for _, longest := range []time.Duration{15 * time.Microsecond, 3 * time.Millisecond, 2 * time.Second, 90 * time.Second} {
		m := new(traffic.Meter)
		random := rand.New(rand.NewPCG(1, uint64(longest)))
		var all [100]time.Duration
		for i := range all {
			all[i] = time.Duration(float64(longest) * float64(i+1) / 100).Truncate(time.Microsecond)
		}
		for _, i := range random.Perm(100) {
			m.Request(start, 200, all[i])
		}
		got := m.Last(start.Add(time.Second), 1)[0]
		assert.Equal(t, all[99], got.Max)
		for percent, at := range map[int]time.Duration{50: got.P50, 95: got.P95} {
			exact := all[percent-1]
			assert.GreaterOrEqual(t, at, exact, "p%d up to %s", percent, longest)
			assert.LessOrEqual(t, at, exact+exact/10, "p%d up to %s", percent, longest)
		}
	}
	m := new(traffic.Meter)
	m.Request(start, 200, time.Hour)
	m.Request(start, 200, -time.Second) // a clock that was set back
	got := m.Last(start.Add(time.Second), 1)[0]
	assert.Equal(t, []time.Duration{0, time.Hour, time.Hour}, []time.Duration{got.P50, got.P95, got.Max})
}

// Whatever is counted at the same time, nothing is lost and nothing is counted to another second.
func TestConcurrentCounting(t *testing.T) {
	t.Parallel()
	const goroutines, requests, seconds = 8, 20_000, 40
	m := new(traffic.Meter)
	var clock atomic.Int64 // that all share: milliseconds
	var wanted [seconds + 1]atomic.Int64
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range requests {
				at := clock.Add(1) * seconds * 1000 / (goroutines * requests)
				wanted[at/1000].Add(1)
				m.Request(start.Add(time.Duration(at)*time.Millisecond), 200+100*(g%4), time.Duration(i))
				m.Faults(start.Add(time.Duration(at)*time.Millisecond), 1)
			}
		})
		all.Go(func() { m.Last(start.Add(seconds*time.Second), seconds) })
	}
	all.Wait()
	total := 0
	for i, s := range m.Last(start.Add((seconds+1)*time.Second), seconds+1) {
		assert.EqualValues(t, wanted[i].Load(), s.Requests, "second %d", i)
		assert.EqualValues(t, wanted[i].Load(), s.Faults, "second %d", i)
		total += s.Requests
	}
	assert.Equal(t, goroutines*requests, total)
}

func BenchmarkRequest(b *testing.B) {
	m := new(traffic.Meter)
	m.Request(start, 200, time.Millisecond)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		took := time.Duration(0)
		for pb.Next() {
			took += 37 * time.Microsecond
			m.Request(start, 200, took%time.Second)
		}
	})
}

func ExampleMeter_Last() {
	var m traffic.Meter
	m.Request(start, 200, 80*time.Microsecond)
	m.Request(start.Add(time.Second), 500, 90*time.Microsecond)
	for _, s := range m.Last(start.Add(2*time.Second), 2) {
		fmt.Println(s.At.Format(time.TimeOnly), s.Requests, s.Success, s.ServerError, s.Max)
	}
	// Output:
	// 09:00:00 1 1 0 80µs
	// 09:00:01 1 0 1 90µs
}
