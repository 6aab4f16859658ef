package bankapi

import (
	"context"
	"sync"
	"time"
)

// Limits of the request bodies that are being read and answered (choice).
const (
	// DefaultBodies is how many bytes they have together, at most.
	DefaultBodies = 64 << 20
	// smallBody is the size up to which a body takes no share of that.
	smallBody = 4 << 10
	// bodyWait is how long a body waits for others to be answered.
	bodyWait = 10 * time.Second
)

// inFlight bounds the bytes of all bodies that are in memory. Bodies get their turns in order.
type inFlight struct {
	most int64

	mu      sync.Mutex
	free    int64
	waiting []*waiting // the first come first
}

type waiting struct {
	bytes int64
	turn  chan struct{} // closed when the bytes are taken
}

func newInFlight(most int64) *inFlight {
	if most <= 0 {
		most = DefaultBodies
	}
	most = max(most, maxBody)
	return &inFlight{most: most, free: most}
}

// take takes bytes, at most all that there are, and returns how to give them back. It fails if there is no room in time.
func (f *inFlight) take(ctx context.Context, bytes int64) (giveBack func(), ok bool) {
	if bytes <= smallBody {
		return func() {}, true
	}
	bytes = min(bytes, f.most)
	giveBack = func() { f.give(bytes) }
	f.mu.Lock()
	if len(f.waiting) == 0 && f.free >= bytes {
		f.free -= bytes
		f.mu.Unlock()
		return giveBack, true
	}
	own := &waiting{bytes, make(chan struct{})}
	f.waiting = append(f.waiting, own)
	f.mu.Unlock()

	timer := time.NewTimer(bodyWait)
	defer timer.Stop()
	select {
	case <-own.turn:
		return giveBack, true
	case <-ctx.Done():
	case <-timer.C:
	}
	f.leave(own)
	return nil, false
}

// leave stops waiting. A turn that came meanwhile is given to the next.
func (f *inFlight) leave(own *waiting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, w := range f.waiting {
		if w == own {
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
			f.turnsLocked()
			return
		}
	}
	f.free += own.bytes
	f.turnsLocked()
}

func (f *inFlight) give(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free += bytes
	f.turnsLocked()
}

// turnsLocked gives turns to those who come first, as long as there is room.
func (f *inFlight) turnsLocked() {
	for len(f.waiting) > 0 && f.waiting[0].bytes <= f.free {
		first := f.waiting[0]
		f.waiting = f.waiting[1:]
		f.free -= first.bytes
		close(first.turn)
	}
}
