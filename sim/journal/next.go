package journal

import (
	"context"
	"io"
)

// batch is how many exchanges Next returns at most.
const batch = 100

// Next returns the oldest exchanges after a number, at most 100, and waits where there are none yet. gap is how many
// between the number and the first of them are no longer held. It returns io.EOF once the journal is closed, and the
// context's error when the context ends.
//
// A number that this journal hasn't reached comes from another journal (before a reset): Next then starts at the
// beginning.
func (j *Journal) Next(ctx context.Context, after uint64) (exchanges []Exchange, gap uint64, err error) {
	if after > j.Last() {
		after = 0
	}
	for {
		entries, first, changed, err := j.since(after)
		if err != nil {
			return nil, 0, err
		}
		if len(entries) > 0 {
			exchanges = make([]Exchange, len(entries))
			for i, e := range entries {
				exchanges[i] = e.exchange()
			}
			return exchanges, first - 1 - after, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
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
		return append(entries, held[:min(len(held), batch)]...), held[0].number, nil, nil
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return nil, 0, j.changed, nil
}
