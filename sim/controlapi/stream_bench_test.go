package controlapi_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// The streams of the benchmark, over several sandboxes because each has a limit of its own.
const (
	benchSandboxes = 5
	benchStreams   = 500
)

// BenchmarkStalledStreams measures requests without streams and with as many as a simulator has, whose clients never read,
// in turn. It reports requests a second for both, and the second as a share of the first. After ten seconds the stalled
// streams are disconnected: each turn opens new ones.
func BenchmarkStalledStreams(b *testing.B) {
	bank := simtest.StartScenario(b, simtest.FrozenRetail)
	var banks []*simtest.Bank
	for i := range benchSandboxes {
		name := fmt.Sprintf("s%d", i)
		_, err := bank.Sandboxes.Create(sandbox.Plan{Name: name})
		require.NoError(b, err)
		banks = append(banks, bank.In(name))
	}
	var without, with, turns float64
	for b.Loop() {
		without += requestsASecond(b, banks)
		closeAll := stall(b, banks)
		with += requestsASecond(b, banks)
		closeAll()
		turns++
	}
	b.ReportMetric(without/turns, "req/s-without")
	b.ReportMetric(with/turns, "req/s-with-500")
	b.ReportMetric(with/without, "share")
	b.ReportMetric(0, "ns/op")
}

// requestsASecond sends requests for three seconds.
func requestsASecond(b *testing.B, banks []*simtest.Bank) float64 {
	b.Helper()
	const clients, lasts = 8, 3 * time.Second
	began := time.Now()
	counts := make([]int, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for ; time.Since(began) < lasts; counts[c]++ {
				to := banks[(c+counts[c])%len(banks)]
				if res, err := simtest.GetDisclosures.Try(to); err != nil || res.StatusCode != http.StatusOK {
					b.Errorf("%v %v", res, err)
					return
				}
			}
		})
	}
	all.Wait()
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return float64(sum) / time.Since(began).Seconds()
}

// stall opens streams that are never read.
func stall(b *testing.B, banks []*simtest.Bank) (closeAll func()) {
	b.Helper()
	var open []net.Conn
	for i := range benchStreams {
		to := banks[i%len(banks)]
		conn, err := net.Dial("tcp", strings.TrimPrefix(to.Server.ControlURL(), "http://"))
		require.NoError(b, err)
		_, err = fmt.Fprintf(conn, "GET %s/journal/stream?after=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", to.ControlPath(), to.Journal().Last())
		require.NoError(b, err)
		open = append(open, conn)
	}
	return func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}
}

// BenchmarkOpenConsole measures requests without a console, and with the calls of one that shows the overview and, in another
// tab, a journal, in turn. It reports requests a second for both, and the second as a share of the first.
func BenchmarkOpenConsole(b *testing.B) {
	bank := simtest.StartScenario(b, simtest.FrozenRetail)
	// What the pages ask for all the time, and how often.
	polls := map[string]time.Duration{
		bank.ControlPath() + "/faults": 2 * time.Second,
		"/v1/info":                     5 * time.Second,
		bank.ControlPath():             5 * time.Second,
	}
	for _, filter := range []string{"", "text=acc-1001", "text=nowhere"} {
		b.Run(cmp.Or(filter, "all"), func(b *testing.B) {
			var without, with, turns float64
			for b.Loop() {
				without += requestsASecond(b, []*simtest.Bank{bank})
				ctx, leave := context.WithCancel(b.Context())
				var open sync.WaitGroup
				for path, every := range polls {
					open.Go(func() {
						for ctx.Err() == nil {
							read(ctx, bank.Server.ControlURL()+path)
							select {
							case <-time.After(every):
							case <-ctx.Done():
							}
						}
					})
				}
				open.Go(func() {
					read(ctx, fmt.Sprintf("%s%s/journal/stream?after=%d&perSecond=20&%s", bank.Server.ControlURL(), bank.ControlPath(), bank.Journal().Last(), filter))
				})
				with += requestsASecond(b, []*simtest.Bank{bank})
				leave()
				open.Wait()
				turns++
			}
			b.ReportMetric(without/turns, "req/s-without")
			b.ReportMetric(with/turns, "req/s-with")
			b.ReportMetric(with/without, "share")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// read reads an answer until it or the context ends.
func read(ctx context.Context, url string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	if res, err := http.DefaultClient.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}
