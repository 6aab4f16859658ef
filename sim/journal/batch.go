package journal

import (
	"context"
	"io"
)

// What Batch returns at most (choice). A caller that is slow to write it holds it for long.
const (
	batch      = 100
	batchBytes = 32 << 10 // as held by the journal; a larger exchange is returned alone
)

// Batch returns the oldest exchanges after a number, at most 100; none where there are none yet. gap is how many between the
// number and the first of them are no longer held. It returns io.EOF once the journal is closed.
func (j *Journal) Batch(after uint64) (exchanges []Exchange, gap uint64, err error) {
	entries, first, _, err := j.since(after)
	if err != nil || len(entries) == 0 {
		return nil, 0, err
	}
	exchanges = make([]Exchange, len(entries))
	for i, e := range entries {
		exchanges[i] = e.exchange()
	}
	return exchanges, first - 1 - after, nil
}

// Wait waits until there are exchanges after a number. It returns io.EOF once the journal is closed, and the context's error
// when the context ends.
func (j *Journal) Wait(ctx context.Context, after uint64) error {
	for {
		entries, _, changed, err := j.since(after)
		if err != nil || len(entries) > 0 {
			return err
		}
		if err := wait(ctx, changed); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// since returns a batch of the entries after a number, and the number of the first one. Where there are none,
// changed is closed with the next change.
func (j *Journal) since(after uint64) (entries []*entry, first uint64, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, 0, nil, io.EOF
	}
	held := j.afterLocked(after)
	if held = held[:firstPending(held)]; len(held) > 0 {
		return append(entries, held[:batchOf(held)]...), held[0].number, nil, nil
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return nil, 0, j.changed, nil
}

// batchOf returns how many of the entries a batch has: at least one.
func batchOf(held []*entry) int {
	bytes := int64(0)
	for i, e := range held[:min(len(held), batch)] {
		if bytes += e.cost; bytes > batchBytes && i > 0 {
			return i
		}
	}
	return min(len(held), batch)
}
