package logqueue_test

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	q := logqueue.New(&log, 0)
	var want strings.Builder
	for i := range 20_000 {
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

// A line is written at once. What comes soon after it is written together: when a while has passed, there is much of it, or the
// queue is closed.
func TestLinesAreGathered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(q *logqueue.Queue)
		took time.Duration
	}{
		"a while": {func(*logqueue.Queue) { time.Sleep(5 * time.Millisecond) }, 5 * time.Millisecond},
		"much":    {func(q *logqueue.Queue) { _, _ = io.WriteString(q, strings.Repeat("x", 16<<10)+"\n") }, 0},
		"closed":  {func(q *logqueue.Queue) { assert.True(t, q.Close(time.Second)) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log sink
				q := logqueue.New(&log, 0)
				want := ""
				for range 2 {
					time.Sleep(time.Second)
					want += "first\n"
					_, _ = io.WriteString(q, "first\n")
					synctest.Wait()
					assert.Equal(t, want, log.written(), "at once")
				}
				for range 10 {
					_, _ = io.WriteString(q, "next\n")
					synctest.Wait()
				}
				assert.Equal(t, want, log.written(), "gathered")
				began := time.Now()
				test.end(q)
				synctest.Wait()
				assert.Contains(t, log.written(), want+strings.Repeat("next\n", 10))
				assert.Equal(t, test.took, time.Since(began))
				assert.True(t, q.Close(time.Second))
			})
		})
	}
}

// Where nobody reads, writers go on, and what doesn't fit is dropped. The log says where lines are missing, and how many.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{read: make(chan struct{})}
		q := logqueue.New(&log, 30)
		q.Notice(func(dropped uint64) []byte { return fmt.Appendf(nil, "missing: %d\n", dropped) })
		write := func(from, to int) {
			for i := from; i <= to; i++ {
				_, _ = fmt.Fprintf(q, "line %02d\n", i)
			}
		}
		write(1, 1)
		synctest.Wait() // until line 1 is being written
		write(2, 8)
		_, _ = io.WriteString(q, "x\n") // there would be room, but not in order
		assert.EqualValues(t, 5, q.Dropped())
		assert.False(t, q.Stuck(), "not yet")
		time.Sleep(2 * time.Second)
		assert.True(t, q.Stuck())

		close(log.read)
		synctest.Wait()
		assert.False(t, q.Stuck())
		write(9, 9)
		assert.True(t, q.Close(time.Second))
		assert.Equal(t, "line 01\nline 02\nline 03\nline 04\nmissing: 5\nline 09\n", log.written())
		assert.EqualValues(t, 5, q.Dropped())
	})
}

// A log that can't be written loses lines; once it can, it says how many.
func TestLogFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{err: errors.New("no space left")}
		q := logqueue.New(&log, 0)
		for i := range 3 {
			_, _ = fmt.Fprintf(q, "lost %d\n", i)
			synctest.Wait()
		}
		assert.True(t, q.Stuck())
		assert.EqualValues(t, 3, q.Dropped())
		log.err = nil // the queue is waiting for a line
		_, _ = io.WriteString(q, "kept\n")
		synctest.Wait()
		assert.False(t, q.Stuck())
		assert.True(t, q.Close(time.Second))
		assert.Equal(t, "3 lines of the log were dropped\nkept\n", log.written())
	})
}

// A line that is larger than the queue is dropped, and those after it are kept.
func TestLargeLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log sink
		q := logqueue.New(&log, 100)
		_, _ = io.WriteString(q, strings.Repeat("x", 100)+"\n")
		synctest.Wait()
		_, _ = io.WriteString(q, "kept\n")
		assert.True(t, q.Close(time.Second))
		assert.Equal(t, "1 lines of the log were dropped\nkept\n", log.written())
	})
}

// Close doesn't wait longer than it may.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := sink{read: make(chan struct{})}
		q := logqueue.New(&log, 0)
		_, _ = io.WriteString(q, "line\n")
		began := time.Now()
		assert.False(t, q.Close(2*time.Second))
		assert.Equal(t, 2*time.Second, time.Since(began))
		close(log.read)
		assert.True(t, q.Close(time.Second))
	})
}

// A pipe that nobody reads holds 64 KiB, and one whose reader has left fails.
func TestPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	q := logqueue.New(w, 64<<10)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 1000 {
				_, _ = q.Write(line)
			}
		})
	}
	writers.Wait()
	assert.Greater(t, q.Dropped(), uint64(7000))
	require.Eventually(t, q.Stuck, time.Minute, time.Millisecond)
	require.NoError(t, r.Close())
	assert.True(t, q.Close(time.Minute), "the reader has left: nothing is waited for")
	assert.True(t, q.Stuck())
	require.NoError(t, w.Close())
}
