package logqueue_test

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/logqueue"
)

// counted is a log in a file that counts how often it is written.
type counted struct {
	*os.File
	writes atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.File.Write(p)
}

// BenchmarkLines writes a line every 20 microseconds, as a busy server does. It reports how many lines go into one write of the
// log ("lines/write"), and what the line takes of its writer's time.
func BenchmarkLines(b *testing.B) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(b, err)
	defer null.Close()
	log := counted{File: null}
	q := logqueue.New(&log, 0)
	line := []byte(strings.Repeat("x", 199) + "\n")
	var lines, took int64
	for b.Loop() {
		began := time.Now()
		_, _ = q.Write(line)
		written := time.Now()
		took += written.Sub(began).Nanoseconds()
		for lines++; time.Since(began) < 20*time.Microsecond; { // the rest of a request
		}
	}
	require.True(b, q.Close(time.Minute))
	b.ReportMetric(float64(took)/float64(lines), "ns/line")
	b.ReportMetric(float64(lines)/float64(log.writes.Load()), "lines/write")
	b.ReportMetric(0, "ns/op")
}
