package container

import (
	"strings"
	"sync"
	"testing"

	"github.com/testcontainers/testcontainers-go"
)

// WithLogs copies the simulator's log to a test's log, until the test ends.
func WithLogs(t testing.TB) testcontainers.CustomizeRequestOption {
	l := &testLog{t: t}
	t.Cleanup(l.end)
	return func(r *testcontainers.GenericContainerRequest) error {
		if r.LogConsumerCfg == nil {
			r.LogConsumerCfg = &testcontainers.LogConsumerConfig{}
		}
		r.LogConsumerCfg.Consumers = append(r.LogConsumerCfg.Consumers, l)
		return nil
	}
}

// testLog copies a container's log to a test's. The container may outlive the test, and logging to a test that has ended
// panics.
type testLog struct {
	t testing.TB

	mu    sync.Mutex
	ended bool
}

// Accept logs a line.
func (l *testLog) Accept(line testcontainers.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.t.Logf("banksim: %s", strings.TrimSpace(string(line.Content)))
	}
}

// end stops the copying.
func (l *testLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}
