// Package logqueue keeps a log that nobody reads from stopping those who write it. It is no log of its own: it drops and counts
// lines. Start at Queue.
package logqueue

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const maxLines = 1024 // that wait (choice)

const stuckAfter = time.Second // that one write may take before the log counts as stuck (choice)

// Queue is an io.Writer that never waits. Each Write is one line, which a goroutine writes on. Lines that don't fit or can't be
// written are dropped and counted. All methods are safe for use by many goroutines.
type Queue struct {
	to      io.Writer
	lines   chan []byte
	done    chan struct{} // closed when the goroutine has ended
	dropped atomic.Uint64
	began   atomic.Int64 // when the write under way began (Unix nanoseconds); 0: there is none
	failing atomic.Bool  // whether the last write failed

	mu     sync.Mutex
	closed bool
}

// New returns a queue before a writer. It has to be closed.
func New(to io.Writer) *Queue {
	q := &Queue{to: to, lines: make(chan []byte, maxLines), done: make(chan struct{})}
	go q.run()
	return q
}

// Write puts a line into the queue, or drops it if there is no room or the queue is closed. It never fails.
func (q *Queue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.lines) == maxLines { // nobody adds another one meanwhile
		q.dropped.Add(1)
	} else {
		q.lines <- append([]byte(nil), line...)
	}
	return len(line), nil
}

func (q *Queue) run() {
	defer close(q.done)
	for batch := range q.lines {
		lines := uint64(1)
		for ; len(q.lines) > 0; lines++ {
			batch = append(batch, <-q.lines...) // nobody else takes one
		}
		q.began.Store(time.Now().UnixNano())
		_, err := q.to.Write(batch)
		q.began.Store(0)
		q.failing.Store(err != nil)
		if err != nil {
			q.dropped.Add(lines)
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
	if !q.closed {
		q.closed = true
		close(q.lines)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
		return true
	case <-time.After(within):
		return false
	}
}
