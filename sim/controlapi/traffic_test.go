package controlapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// trafficAnswer is the answer of GET /v1/traffic.
type trafficAnswer struct {
	Now     time.Time `json:"now"`
	Seconds []struct {
		At        time.Time      `json:"at"`
		Requests  int            `json:"requests"`
		ByStatus  map[string]int `json:"byStatus"`
		Faults    int            `json:"faults"`
		P50Micros int64          `json:"p50Micros"`
		P95Micros int64          `json:"p95Micros"`
		MaxMicros int64          `json:"maxMicros"`
	} `json:"seconds"`
}

// The traffic has every request of every sandbox in its second, and each second before the running one.
func TestTraffic(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	b.ControlSandbox(201, "POST /faults", `[
		{"operation":"groups.list","when":{"nth":2},"then":{"status":503}},
		{"operation":"groups.list","when":{"nth":3},"then":{"status":302,"body":""}},
		{"operation":"groups.create","then":{"connection":"close"}},
		{"operation":"tokens.issue","then":{"delay":"7s"},"phase":"after"}]`)
	began := time.Now()
	for range 3 {
		simtest.ListGroups.Send(b)
	}
	_, err := simtest.CreateGroup.Try(b)
	require.Error(t, err)
	simtest.GetDisclosures.Send(b.In("other"))
	simtest.GetDisclosures.At("/nope").Send(b)
	simtest.ListGroups.At("/sandboxes/nope/x").Send(b)
	go func() { _, _ = simtest.IssueTokens.Try(b) }() // its client waits, its second is that of the decision
	want := map[string]int{"2xx": 3, "3xx": 1, "4xx": 2, "5xx": 1, "lost": 1}

	got := func() (sum map[string]int, faults int, slowest int64) {
		answer := simtest.Decode[trafficAnswer](t, b.Control(200, "GET /v1/traffic", ""))
		require.Len(t, answer.Seconds, 60)
		running := answer.Now.Truncate(time.Second)
		sum = map[string]int{}
		for i, s := range answer.Seconds {
			assert.Equal(t, running.Add(time.Duration(i-60)*time.Second), s.At)
			of := 0
			for class, count := range s.ByStatus {
				sum[class] += count
				of += count
			}
			assert.Equal(t, of, s.Requests)
			if s.Requests > 0 {
				assert.False(t, s.At.Add(time.Second).Before(began))
				assert.LessOrEqual(t, s.P50Micros, s.P95Micros)
				assert.LessOrEqual(t, s.P95Micros, s.MaxMicros)
				assert.Positive(t, s.MaxMicros)
			}
			faults += s.Faults
			slowest = max(slowest, s.MaxMicros)
		}
		return sum, faults, slowest
	}
	require.Eventually(t, func() bool { sum, _, _ := got(); return sum["2xx"] == want["2xx"] }, simtest.Patience, 10*time.Millisecond)
	sum, faults, slowest := got()
	assert.Equal(t, want, sum)
	assert.Equal(t, 4, faults)
	assert.GreaterOrEqual(t, slowest, int64(7_000_000), "with the delay of a fault")
	assert.Less(t, slowest, int64(8_000_000))

	for query, count := range map[string]int{"?seconds=1": 1, "?seconds=300": 300} {
		assert.Len(t, simtest.Decode[trafficAnswer](t, b.Control(200, "GET /v1/traffic"+query, "")).Seconds, count)
	}
	for _, query := range []string{"?seconds=0", "?seconds=301", "?seconds=x", "?second=5"} {
		b.Control(400, "GET /v1/traffic"+query, "")
	}
}
