package logqueue

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Limits (choice).
const (
	// DefaultBytes is how many bytes wait at most; as many may be in the write under way.
	DefaultBytes = 1 << 20
	// pieceBytes is how much is written at once, so that a slow reader is not taken for one that has stopped.
	pieceBytes = 16 << 10
	// gatherFor is how long lines are gathered after a write, so that a busy log is not written line by line.
	gatherFor = 5 * time.Millisecond
	// stuckAfter is how long one write may take before the log counts as stuck.
	stuckAfter = time.Second
)

// Queue is an io.Writer that never waits. Each Write is one line. All methods are safe for use by many goroutines.
type Queue struct {
	to    io.Writer
	limit int
	done  chan struct{} // closed when the goroutine that writes has ended
	wake  chan struct{} // has room for one: ends the waiting of that goroutine

	mu      sync.Mutex
	idle    bool // whether the goroutine waits for a line: else it writes, or gathers lines
	waiting batch
	closed  bool
	notice  func(dropped uint64) []byte
	dropped uint64    // lines, ever
	began   time.Time // when the write under way began; zero: there is none
	failing bool      // whether the last write failed
}

// batch is lines that are written at once.
type batch struct {
	text   []byte
	missed uint64 // lines that were dropped after these, because there was no room
}

// New returns a queue before a writer, for so many bytes; 0: DefaultBytes. The queue has to be closed.
func New(to io.Writer, limit int) *Queue {
	if limit == 0 {
		limit = DefaultBytes
	}
	q := &Queue{to: to, limit: limit, done: make(chan struct{}), wake: make(chan struct{}, 1), notice: plainNotice}
	go q.run()
	return q
}

func plainNotice(dropped uint64) []byte {
	return fmt.Appendf(nil, "%d lines of the log were dropped\n", dropped)
}

// Notice sets how the log says that lines were dropped: the function returns a line.
func (q *Queue) Notice(notice func(dropped uint64) []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.notice = notice
}

// Write puts a line into the queue, or drops it if there is no room or the queue is closed. It never fails.
func (q *Queue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// After a dropped line no other one follows in the batch, so that the notice is where lines are missing.
	if q.closed || q.waiting.missed > 0 || len(q.waiting.text)+len(line) > q.limit {
		q.dropped++
		q.waiting.missed++
	} else {
		q.waiting.text = append(q.waiting.text, line...)
	}
	if q.idle || q.urgentLocked() {
		q.wakeLocked()
	}
	return len(line), nil
}

// urgentLocked reports whether no more lines are to be gathered.
func (q *Queue) urgentLocked() bool {
	return q.closed || q.failing || q.waiting.missed > 0 || len(q.waiting.text) >= pieceBytes
}

func (q *Queue) wakeLocked() {
	q.idle = false
	select {
	case q.wake <- struct{}{}:
	default: // it is to wake up already
	}
}

// run writes what waits, until the queue is closed and nothing waits any more.
func (q *Queue) run() {
	defer close(q.done)
	var lost uint64 // lines that no notice has reported yet
	var spare []byte
	for {
		b, ok := q.take(spare)
		if !ok {
			return
		}
		lost = q.report(lost)
		lost = q.report(lost + q.write(b.text) + b.missed)
		spare = b.text[:0]
		q.gather()
	}
}

// gather waits while lines come.
func (q *Queue) gather() {
	q.mu.Lock()
	urgent := q.urgentLocked()
	q.mu.Unlock()
	if urgent {
		return
	}
	select {
	case <-time.After(gatherFor):
	case <-q.wake:
	}
}

// take waits for lines and takes them out of the queue, in exchange for an empty buffer.
func (q *Queue) take(spare []byte) (b batch, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting.text) == 0 && q.waiting.missed == 0 {
		if q.closed {
			return batch{}, false
		}
		q.idle = true
		q.mu.Unlock()
		<-q.wake
		q.mu.Lock()
	}
	b, q.waiting, q.idle = q.waiting, batch{text: spare}, false
	return b, true
}

// report writes the notice for lost lines, and returns how many are still to be reported.
func (q *Queue) report(lost uint64) uint64 {
	if lost == 0 {
		return 0
	}
	q.mu.Lock()
	notice := q.notice
	q.mu.Unlock()
	if n, _ := q.send(notice(lost)); n == 0 {
		return lost
	}
	return 0
}

// write writes lines in pieces, and returns how many of them were lost.
func (q *Queue) write(text []byte) (lost uint64) {
	for len(text) > 0 {
		piece := text[:min(len(text), pieceBytes)]
		n, err := q.send(piece)
		if text = text[n:]; err != nil {
			break
		}
	}
	lost = uint64(bytes.Count(text, []byte("\n")))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped += lost
	return lost
}

// send writes to the log, and keeps whether it is stuck.
func (q *Queue) send(text []byte) (n int, err error) {
	q.mu.Lock()
	q.began = time.Now()
	q.mu.Unlock()
	n, err = q.to.Write(text)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.began, q.failing = time.Time{}, err != nil
	return n, err
}

// Dropped returns how many lines were dropped.
func (q *Queue) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// Stuck reports whether the log is not being written: a write has taken longer than a second, or the last one failed.
func (q *Queue) Stuck() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failing || !q.began.IsZero() && time.Since(q.began) > stuckAfter
}

// Close drops what is written from here on, and waits until the lines in the queue are written, but no longer than a
// time. It reports whether the queue is empty.
func (q *Queue) Close(within time.Duration) bool {
	q.mu.Lock()
	q.closed = true
	q.wakeLocked()
	q.mu.Unlock()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
		return false
	}
}
