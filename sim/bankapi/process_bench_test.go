package bankapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// BenchmarkOneProcess sends requests to the simulator, and to a bare net/http handler that writes the same bytes, in the process of
// the benchmark. So it can count what a request allocates, net/http included ("allocs", "B"), and a CPU profile of it has the steps
// of a request. How fast both are beside each other is BenchmarkServeBesideBare's: here, the client is part of what is measured.
func BenchmarkOneProcess(b *testing.B) {
	for _, op := range besideBare {
		b.Run(op.name, func(b *testing.B) {
			bank := loggingBank(b)
			sample := op.Send(bank)
			require.Less(b, sample.StatusCode, 300, sample.Body)
			sample.Header.Del("Date") // which net/http writes by itself
			bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				for name, values := range sample.Header {
					w.Header()[name] = values
				}
				_, _ = io.WriteString(w, sample.Body)
			}))
			defer bare.Close()
			sent := 1
			b.Run("banksim", func(b *testing.B) { sent += benchmarkOneProcess(b, bank.Server.ServiceURL(), op.Call, sent) })
			b.Run("bare", func(b *testing.B) { benchmarkOneProcess(b, bare.URL, op.Call, 0) })
		})
	}
}

// loggingBank returns a simulator whose log goes through a queue into a file, as that of the program does.
func loggingBank(b *testing.B) *simtest.Bank {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	require.NoError(b, err)
	lines := logqueue.New(file)
	b.Cleanup(func() {
		require.True(b, lines.Close(simtest.Patience))
		require.NoError(b, file.Close())
	})
	return simtest.Start(b, server.Config{Log: slog.New(slog.NewTextHandler(lines, nil))})
}

// benchmarkOneProcess measures one server, and returns how many requests it has sent.
func benchmarkOneProcess(b *testing.B, url string, op simtest.Call, before int) (sent int) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // tests have another one
	client := dialConnections(b, url, serveConnections)
	client.round(b, op, serveBefore, before)
	sent = serveConnections * serveBefore
	var took time.Duration
	var allocs, bytes uint64
	requests := 0
	for b.Loop() {
		prepared := client.prepare(b, op, serveBatch, before+sent)
		allocsBefore, bytesBefore := allocated()
		took += client.send(b, prepared).took
		allocsAfter, bytesAfter := allocated()
		allocs, bytes = allocs+allocsAfter-allocsBefore, bytes+bytesAfter-bytesBefore
		requests += serveConnections * serveBatch
		sent += serveConnections * serveBatch
	}
	b.ReportMetric(float64(allocs)/float64(requests), "allocs")
	b.ReportMetric(float64(bytes)/float64(requests), "B")
	b.ReportMetric(float64(requests)/took.Seconds(), "req/s")
	b.ReportMetric(0, "ns/op")
	return sent
}

// allocated returns how many objects and bytes this process has allocated.
func allocated() (objects, bytes uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs, m.TotalAlloc
}
