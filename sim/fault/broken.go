package fault

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How long and how many broken requests are remembered (choice). A client that retries by itself does so at once.
const (
	RetryWindow = time.Second
	maxBroken   = 64 // the latest
)

// Breaks reports whether the client loses the answer to a request of the method, or a part of it, with the connection. Then it
// may send the request again on another one. Of an answer to HEAD, which has no body, nothing is cut.
func (k Kind) Breaks(method string) bool {
	switch k {
	case Malformed, Trickle:
		return false
	case Truncate:
		return method != http.MethodHead
	}
	return true
}

// Broken remembers for a moment the requests whose connections faults have broken, so that a retry of one is recognized. The
// zero value remembers none. All methods are safe for use by many goroutines.
type Broken struct {
	some atomic.Bool // whether there are any; without, a look takes no lock

	mu     sync.Mutex
	latest []*Breakage // in the order in which they came
}

// Breakage is a request whose connection a fault breaks.
type Breakage struct {
	Request    uint64 // what the request asks for, as a hash
	Connection any    // its identity
	Fault      string // the name of the rule
	Kind       Kind
	Exchange   string // the id of the exchange in the journal

	ended time.Time // when the connection was broken; zero: it is about to be
}

// Add remembers a request before its connection is broken. The function that it returns is called once that is done: from
// then on, it is remembered for RetryWindow.
func (b *Broken) Add(at Breakage) (ended func(time.Time)) {
	added := &at
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.latest) == maxBroken {
		b.latest = slices.Delete(b.latest, 0, 1)
	}
	b.latest = append(b.latest, added)
	b.some.Store(true)
	return func(now time.Time) {
		b.mu.Lock()
		defer b.mu.Unlock()
		added.ended = now
	}
}

// Empty reports whether none is remembered.
func (b *Broken) Empty() bool { return !b.some.Load() }

// RetryOf returns the last breakage of which a request on a connection is a retry: the same request on another connection.
func (b *Broken) RetryOf(request uint64, connection any, now time.Time) (Breakage, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latest = slices.DeleteFunc(b.latest, func(was *Breakage) bool {
		return !was.ended.IsZero() && now.Sub(was.ended) > RetryWindow
	})
	b.some.Store(len(b.latest) > 0)
	for _, was := range slices.Backward(b.latest) {
		if was.Request == request && was.Connection != connection {
			return *was, true
		}
	}
	return Breakage{}, false
}
