package controlapi

import (
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// keptBatches is how many batches of exchanges are kept for other streams (choice).
const keptBatches = 32

// batch is a part of a journal as the text of a stream. Streams share it.
type batch struct {
	text        []byte // events, without that of the gap
	gap         uint64 // how many exchanges before the first are no longer held
	first, last uint64 // the numbers of its exchanges; 0: it has none
	limited     bool   // there were more when it was made
}

// batches makes batches and keeps the last ones: streams of one journal mostly need the same, and making them takes much
// longer than writing them.
type batches struct {
	mu   sync.Mutex
	kept map[batchKey]*keptBatch
	keys []batchKey // of kept, the oldest first
}

type batchKey struct {
	of    *journal.Journal
	after uint64
}

type keptBatch struct {
	mu sync.Mutex // held while the batch is made
	batch
}

func newBatches() *batches { return &batches{kept: map[batchKey]*keptBatch{}} }

// get returns the exchanges of a journal after a number, as far as they are one batch; it may have none. It returns io.EOF
// once the journal is closed.
func (b *batches) get(of *journal.Journal, after uint64) (batch, error) {
	k := b.keep(batchKey{of, after})
	k.mu.Lock()
	defer k.mu.Unlock()
	oldest, newest := of.Held()
	if k.first > 0 && k.first >= oldest && (k.limited || k.last == newest) {
		return k.batch, nil
	}
	made, err := newBatch(of, after)
	k.batch = made
	return made, err
}

// keep returns the kept batch of a key, or a new one in place of the oldest.
func (b *batches) keep(key batchKey) *keptBatch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k, ok := b.kept[key]; ok {
		return k
	}
	if len(b.keys) == keptBatches {
		delete(b.kept, b.keys[0])
		b.keys = append(b.keys[:0], b.keys[1:]...)
	}
	k := &keptBatch{}
	b.kept[key] = k
	b.keys = append(b.keys, key)
	return k
}

func newBatch(of *journal.Journal, after uint64) (batch, error) {
	exchanges, gap, err := of.Batch(after)
	if err != nil || len(exchanges) == 0 {
		return batch{}, err
	}
	made := batch{gap: gap, first: exchanges[0].Number(), last: exchanges[len(exchanges)-1].Number()}
	for _, x := range exchanges {
		if made.text, err = appendExchange(made.text, x); err != nil {
			return batch{}, err
		}
	}
	made.limited = made.last < of.Last()
	return made, nil
}
