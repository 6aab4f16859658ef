package memlimit

import (
	"runtime/debug"
	"sync"
	"time"
)

// When freed memory is returned to the system (choice).
const (
	// releaseFrom is how much must have been freed.
	releaseFrom = 8 * mib
	// releaseAfter is how long it waits for more, and for what still uses it.
	releaseAfter = time.Second
	// releasePause is the least time from one return to the next: each of them collects all garbage.
	releasePause = 5 * time.Second
)

// Releaser returns freed memory to the system soon after much of it was freed. The Go runtime alone would wait for its
// next collection, which may be minutes away where nothing happens. The zero value is ready for use by many goroutines.
type Releaser struct {
	mu      sync.Mutex
	freed   int64 // bytes since the last return
	planned bool
	last    time.Time
	free    func() // nil: debug.FreeOSMemory
}

// NewReleaser returns a releaser that returns memory by calling free.
func NewReleaser(free func()) *Releaser { return &Releaser{free: free} }

// Freed notes that nothing uses so many bytes any more.
func (r *Releaser) Freed(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freed += bytes
	if r.planned || r.freed < releaseFrom {
		return
	}
	r.planned = true
	time.AfterFunc(max(releaseAfter, time.Until(r.last.Add(releasePause))), r.release)
}

func (r *Releaser) release() {
	free := debug.FreeOSMemory
	r.mu.Lock()
	if r.free != nil {
		free = r.free
	}
	r.freed, r.planned, r.last = 0, false, time.Now()
	r.mu.Unlock()
	free()
}
