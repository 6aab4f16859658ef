// Package batch collects calls that arrive while others are under way, so that one commit serves them all.
package batch

import (
	"context"
	"slices"
	"sync"
)

// Queue has a function process items in rounds. While a round is under way, new items wait. The next round takes them
// together, first come first served. The methods of a queue may be called by many goroutines.
type Queue[T any] struct {
	limit   int
	isAlone func(T) bool
	process func(*Round[T])

	mu      sync.Mutex
	waiting []*entry[T]
	busy    bool // whether a goroutine runs the rounds
}

type entry[T any] struct {
	item T
	done chan struct{}
}

// New returns a queue. A round has at most limit items. If isAlone is true of an item, it has a round to itself. One
// goroutine at a time calls process. A panic of process ends the program.
func New[T any](limit int, isAlone func(T) bool, process func(*Round[T])) *Queue[T] {
	return &Queue[T]{limit: limit, isAlone: isAlone, process: process}
}

// Do waits until the item is processed. If the context ends while the item still waits for its round, Do takes the item
// back and returns the error of the context.
func (q *Queue[T]) Do(ctx context.Context, item T) error {
	e := &entry[T]{item: item, done: make(chan struct{})}
	q.add(e)
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
	}
	if q.takeBack(e) {
		return ctx.Err()
	}
	<-e.done
	return nil
}

func (q *Queue[T]) add(e *entry[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, e)
	if !q.busy {
		q.busy = true
		go q.run()
	}
}

// takeBack removes an item that still waits, and reports whether it did.
func (q *Queue[T]) takeBack(e *entry[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, e)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// run processes rounds until no item waits.
func (q *Queue[T]) run() {
	for r := q.next(); r != nil; r = q.next() {
		q.process(r)
		for _, e := range r.entries {
			close(e.done)
		}
	}
}

// next returns the next round, or nil if no item waits.
func (q *Queue[T]) next() *Round[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &Round[T]{queue: q}
	r.joinLocked()
	if len(r.entries) == 0 {
		q.busy = false
		return nil
	}
	return r
}

// Round is items that are processed together.
type Round[T any] struct {
	queue   *Queue[T]
	entries []*entry[T]
}

// Items returns the items, oldest first.
func (r *Round[T]) Items() []T {
	items := make([]T, len(r.entries))
	for i, e := range r.entries {
		items[i] = e.item
	}
	return items
}

// Join adds the items that have come since the round began. It is for a round that had to wait before its work could
// begin.
func (r *Round[T]) Join() {
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	r.joinLocked()
}

// joinLocked takes waiting items, as long as they may be in one round.
func (r *Round[T]) joinLocked() {
	q := r.queue
	for len(q.waiting) > 0 && len(r.entries) < q.limit {
		first := q.waiting[0]
		if len(r.entries) > 0 && (q.isAlone(first.item) || q.isAlone(r.entries[0].item)) {
			return
		}
		r.entries, q.waiting = append(r.entries, first), q.waiting[1:]
	}
}
