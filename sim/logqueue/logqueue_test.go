package logqueue_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/sim/logqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a log that a test blocks or breaks.
type sink struct {
	read chan struct{} // nil, or closed once somebody reads the log
	err  error

	mu   sync.Mutex
	text strings.Builder
}

// written returns what is in the log.
func (s *sink) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *sink) Write(p []byte) (int, error) {
	if s.read != nil {
		<-s.read
	}
	if s.err != nil {
		return 0, s.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// Lines arrive whole and in order, and Close waits for them.
func TestLines(t *testing.T) {
	t.Parallel()
	var log sink
	q := logqueue.New(&log)
	var want strings.Builder
	for i := range 1000 {
		n, err := fmt.Fprintf(io.MultiWriter(q, &want), "line %d\n", i)
		require.NoError(t, err)
		require.Positive(t, n)
	}
	assert.True(t, q.Close(time.Minute))
	assert.Equal(t, want.String(), log.written())
	assert.Zero(t, q.Dropped())
	_, err := q.Write([]byte("late\n"))
	assert.NoError(t, err)
	assert.EqualValues(t, 1, q.Dropped())
	assert.True(t, q.Close(0) || q.Close(time.Minute), "a second time")
}

// Where nobody reads, writers go on, and what doesn't fit is dropped and counted.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{read: make(chan struct{})}
		q := logqueue.New(&log)
		line := func(i int) string { return fmt.Sprintf("line %d\n", i) }
		want := line(0)
		_, _ = io.WriteString(q, line(0))
		synctest.Wait() // until it is being written
		for i := 1; i <= 1030; i++ {
			_, _ = io.WriteString(q, line(i))
			if i <= 1024 {
				want += line(i)
			}
		}
		assert.EqualValues(t, 6, q.Dropped())
		assert.False(t, q.Stuck(), "not yet")
		time.Sleep(2 * time.Second)
		assert.True(t, q.Stuck())

		close(log.read)
		time.Sleep(time.Second)
		assert.False(t, q.Stuck())
		_, _ = io.WriteString(q, line(2000))
		assert.True(t, q.Close(time.Second))
		assert.Equal(t, want+line(2000), log.written())
		assert.EqualValues(t, 6, q.Dropped())
	})
}

// A log that can't be written loses lines until it can.
func TestLogFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{err: errors.New("no space left")}
		q := logqueue.New(&log)
		for i := range 3 {
			_, _ = fmt.Fprintf(q, "lost %d\n", i)
			time.Sleep(time.Second)
		}
		assert.True(t, q.Stuck())
		assert.EqualValues(t, 3, q.Dropped())
		log.err = nil // the queue is waiting for a line
		_, _ = io.WriteString(q, "kept\n")
		time.Sleep(time.Second)
		assert.False(t, q.Stuck())
		assert.True(t, q.Close(time.Second))
		assert.Equal(t, "kept\n", log.written())
	})
}

// Close doesn't wait longer than it may.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{read: make(chan struct{})}
		q := logqueue.New(&log)
		_, _ = io.WriteString(q, "line\n")
		began := time.Now()
		assert.False(t, q.Close(2*time.Second))
		assert.Equal(t, 2*time.Second, time.Since(began))
		close(log.read)
		assert.True(t, q.Close(time.Second))
	})
}
