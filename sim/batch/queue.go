// Package batch collects calls that arrive while others are under way, so that one commit serves them all.
package batch

import (
	"context"
	"slices"
	"sync"
)

// Queue has a function process items in batches. While a batch is under way, new items wait; the next batch takes them
// together, in the order in which they came. Its methods may be called by many goroutines.
type Queue[T any] struct {
	limit   int
	process func(*Batch[T])

	mu      sync.Mutex
	waiting []*entry[T]
	busy    bool // whether a goroutine takes what waits
}

type entry[T any] struct {
	item T
	done chan struct{}
}

// New returns a queue whose batches have at most limit items. The function process is called by one goroutine at a time.
// It must not panic.
func New[T any](limit int, process func(*Batch[T])) *Queue[T] {
	return &Queue[T]{limit: limit, process: process}
}

// Do waits until the item is processed. If the context ends while the item still waits for its batch, Do takes the item
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

// run processes batches until no item waits.
func (q *Queue[T]) run() {
	for b := (&Batch[T]{queue: q}); b.next(); b = (&Batch[T]{queue: q}) {
		q.process(b)
		for _, e := range b.entries {
			close(e.done)
		}
	}
}

// Batch is items that are processed together.
type Batch[T any] struct {
	queue   *Queue[T]
	entries []*entry[T]
}

// next takes the items that wait, and reports whether there are any.
func (b *Batch[T]) next() bool {
	q := b.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	b.takeLocked(min(q.limit, len(q.waiting)))
	q.busy = len(b.entries) > 0
	return q.busy
}

// takeLocked takes so many of the items that wait.
func (b *Batch[T]) takeLocked(count int) {
	q := b.queue
	b.entries = append(b.entries, q.waiting[:count]...)
	q.waiting = slices.Delete(q.waiting, 0, count)
}

// Items returns the items of the batch, in the order in which they came.
func (b *Batch[T]) Items() []T {
	items := make([]T, len(b.entries))
	for i, e := range b.entries {
		items[i] = e.item
	}
	return items
}

// Join takes into the batch what has come since it began, up to an item that can't join, and returns it. It is for a batch
// that had to wait before its work could begin.
func (b *Batch[T]) Join(canJoin func(T) bool) []T {
	q := b.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	before, count := len(b.entries), 0
	for count < len(q.waiting) && before+count < q.limit && canJoin(q.waiting[count].item) {
		count++
	}
	b.takeLocked(count)
	return b.Items()[before:]
}
