package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// herd is a registry with a sandbox that is written to.
type herd struct {
	*sandbox.Registry
	written *sandbox.Sandbox
	writes  int
}

func newHerd(b *testing.B, users int) *herd {
	b.Helper()
	h := &herd{Registry: sandbox.NewRegistry(sandbox.Config{
		Scenario: parse(b, fmt.Sprintf("extends: base\ninstitutions: [{institutionId: '02688', generate: {users: %d}}]\n", users)),
	})}
	b.Cleanup(h.Close)
	h.written = h.Default()
	return h
}

// batch does something a number of times and returns how long that took, without the write before it and the deletions
// after it.
func (h *herd) batch(b *testing.B, times int, do func(*herd) *sandbox.Sandbox) time.Duration {
	b.Helper()
	h.writes++
	require.NoError(b, h.written.Change(func(m sandbox.Moment) error {
		_, _, err := m.World.UpdateUserPreference(sim.Caller{InstitutionID: institution}, "1001", sim.Preference{Activate: h.writes%2 == 0})
		return err
	}))
	made := make([]*sandbox.Sandbox, times)
	started := time.Now()
	for i := range made {
		made[i] = do(h)
	}
	took := time.Since(started)
	for _, s := range made {
		if s != h.written {
			require.NoError(b, h.Delete(s.Name()))
		}
	}
	return took
}

// BenchmarkSandboxes creates, forks and resets sandboxes over a scenario with few users and over one with many, in turn. It
// reports how many microseconds each took, and the ratio of the two ("times").
func BenchmarkSandboxes(b *testing.B) {
	const batch = 100
	few, many := newHerd(b, 10), newHerd(b, 100_000)
	for name, do := range map[string]func(*herd) *sandbox.Sandbox{
		"create": func(h *herd) *sandbox.Sandbox { return create(b, h.Registry, sandbox.Plan{}) },
		"fork": func(h *herd) *sandbox.Sandbox {
			fork, err := h.Fork(h.written, "")
			require.NoError(b, err)
			return fork
		},
		"reset": func(h *herd) *sandbox.Sandbox {
			h.written.Reset()
			return h.written
		},
	} {
		b.Run(name, func(b *testing.B) {
			var tookFew, tookMany time.Duration
			acts := 0
			for b.Loop() {
				tookFew += few.batch(b, batch, do)
				tookMany += many.batch(b, batch, do)
				acts += batch
			}
			b.ReportMetric(float64(tookFew.Nanoseconds())/1e3/float64(acts), "us-over-10-users")
			b.ReportMetric(float64(tookMany.Nanoseconds())/1e3/float64(acts), "us-over-100000-users")
			b.ReportMetric(tookMany.Seconds()/tookFew.Seconds(), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}
