package bankapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// BenchmarkManySandboxes measures an exchange in process, with requests to all sandboxes in turn and the budget of
// their journals used up. With 20,000 sandboxes it may take twice as long as with 100. Where the system has /proc, it
// prints how many microseconds of CPU an exchange took ("us-CPU").
func BenchmarkManySandboxes(b *testing.B) {
	for _, count := range []int{100, 20_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			sandboxes := sandbox.NewRegistry(sandbox.Config{
				Scenario: simtest.Scenario(b, "extends: base\nseed: 7\n"), Limit: count,
				Budget: journal.NewBudget(8 << 20),
			})
			b.Cleanup(sandboxes.Close)
			for sandboxes.Len() < count {
				_, err := sandboxes.Create(b.Context(), sandbox.Plan{})
				require.NoError(b, err)
			}
			var paths []string
			for _, sb := range sandboxes.All() {
				paths = append(paths, "/sandboxes/"+sb.Name()+listGroups.Path)
			}
			handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
			sent := 0
			send := func() int {
				r := httptest.NewRequest(listGroups.Method, paths[sent%len(paths)], nil)
				r.Header = listGroups.Header
				sent++
				w := discarded{header: http.Header{}}
				handler.ServeHTTP(&w, r)
				return w.status
			}
			for sent < count || sandboxes.Evicted() == 0 {
				require.Equal(b, 200, send())
			}
			before := cpuTime(b, os.Getpid())
			for b.Loop() {
				send()
			}
			if took := cpuTime(b, os.Getpid()) - before; took > 0 {
				b.ReportMetric(1e6*took.Seconds()/float64(b.N), "us-CPU")
			}
		})
	}
}

// discarded is an answer of which only the status is kept.
type discarded struct {
	header http.Header
	status int
}

// Header returns the header.
func (d *discarded) Header() http.Header { return d.header }

// WriteHeader keeps the status.
func (d *discarded) WriteHeader(status int) { d.status = status }

// Write discards a part of the body.
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
