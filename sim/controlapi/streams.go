package controlapi

import (
	"context"
	"net/http"
	"sync"
)

// How many event streams are open at most (choice).
const (
	maxStreams        = 500
	maxSandboxStreams = 100 // of one sandbox
)

// streamCount counts the open event streams.
type streamCount struct {
	mu    sync.Mutex
	total int
	of    map[string]int // by the name of the sandbox
}

func newStreamCount() *streamCount { return &streamCount{of: map[string]int{}} }

// enter counts a stream in until leave is called. It refuses (429) one too many.
func (c *streamCount) enter(sandbox string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.total >= maxStreams:
		return nil, refuse(http.StatusTooManyRequests, "%d event streams are open, as many as the simulator has: close some", maxStreams)
	case c.of[sandbox] >= maxSandboxStreams:
		return nil, refuse(http.StatusTooManyRequests, "%d event streams of this sandbox are open, as many as it has: close some", maxSandboxStreams)
	}
	c.total++
	c.of[sandbox]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.total--
		if c.of[sandbox]--; c.of[sandbox] == 0 {
			delete(c.of, sandbox)
		}
	}, nil
}

// open returns how many streams are open.
func (c *streamCount) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// limitSendBuffer limits the send buffer of a request's connection, if that is known.
func limitSendBuffer(ctx context.Context) {
	if conn, ok := ctx.Value(connKey{}).(interface{ SetWriteBuffer(int) error }); ok {
		_ = conn.SetWriteBuffer(sendBuffer) // without it, the stream only takes more memory
	}
}
