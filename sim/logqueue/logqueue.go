// Package logqueue lets a program write a log that is not read: it drops lines and counts them. Start at [Queue].
package logqueue

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const maxLines = 1024 // that wait (choice)

const stuckAfter = time.Second // that one write may take before the log counts as stuck (choice)

// Queue is an io.Writer that never waits. Each Write is one line. A goroutine writes the waiting lines together. Queue
// drops and counts lines that have no room or can't be written. All methods are safe for use by many goroutines.
type Queue struct {
	to      io.Writer
	done    chan struct{} // closed when the goroutine has ended
	dropped atomic.Uint64
	began   atomic.Int64 // when the write under way began (Unix nanoseconds), or 0 if there is none
	failing atomic.Bool  // whether the last write failed

	mu      sync.Mutex
	changed sync.Cond // signalled with each line, and at the end
	text    []byte    // of the lines that wait
	lines   int       // that wait
	closed  bool
}

// New returns a queue before a writer. It has to be closed.
func New(to io.Writer) *Queue {
	q := &Queue{to: to, done: make(chan struct{})}
	q.changed.L = &q.mu
	go q.run()
	return q
}

// Write puts a line into the queue, or drops it if there is no room or the queue is closed. It never fails.
func (q *Queue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.lines == maxLines {
		q.dropped.Add(1)
		return len(line), nil
	}
	q.text = append(q.text, line...)
	q.lines++
	q.changed.Signal()
	return len(line), nil
}

// take waits for lines, and returns them and their number. The next ones go into a buffer. It returns no lines once the
// queue is closed and empty.
func (q *Queue) take(buffer []byte) (text []byte, lines int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.lines == 0 && !q.closed {
		q.changed.Wait()
	}
	text, lines = q.text, q.lines
	q.text, q.lines = buffer[:0], 0
	return text, lines
}

func (q *Queue) run() {
	defer close(q.done)
	for text, lines := q.take(nil); lines > 0; text, lines = q.take(text) {
		q.began.Store(time.Now().UnixNano())
		_, err := q.to.Write(text)
		q.began.Store(0)
		q.failing.Store(err != nil)
		if err != nil {
			q.dropped.Add(uint64(lines))
		}
		time.Sleep(time.Millisecond) // so that a busy log is not written line by line (choice)
	}
}

// Dropped returns how many lines were dropped.
func (q *Queue) Dropped() uint64 { return q.dropped.Load() }

// Stuck reports whether the log is not being written: a write has taken longer than a second, or the last one failed.
func (q *Queue) Stuck() bool {
	began := q.began.Load()
	return q.failing.Load() || began != 0 && time.Now().UnixNano()-began > int64(stuckAfter)
}

// Close drops lines from here on. It reports whether those in the queue are written within a time.
func (q *Queue) Close(within time.Duration) bool {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.changed.Signal()
	select {
	case <-q.done:
		return true
	case <-time.After(within):
		return false
	}
}
