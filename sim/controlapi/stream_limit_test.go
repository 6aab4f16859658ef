package controlapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// slowReader is a client's end of a stream. Each write waits until a value comes from gate, if there is one.
type slowReader struct {
	gate   chan struct{}
	header http.Header
	text   strings.Builder
}

func (s *slowReader) Header() http.Header { return s.header }
func (s *slowReader) WriteHeader(int)     {}

func (s *slowReader) Flush() {}

func (s *slowReader) Write(text []byte) (int, error) {
	if s.gate != nil {
		<-s.gate
	}
	return s.text.Write(text)
}

// The number of streams is limited, and a stream that ends makes room for another.
func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	defer sandboxes.Close()
	draining := make(chan struct{})
	handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Draining: draining, Log: slog.New(slog.DiscardHandler)})
	var streams sync.WaitGroup
	open := func(name string) {
		opened := &slowReader{gate: make(chan struct{}), header: http.Header{}}
		streams.Go(func() {
			handler.ServeHTTP(opened, httptest.NewRequest("GET", "/v1/sandboxes/"+name+"/journal/stream", nil))
		})
		opened.gate <- struct{}{} // it flushes its first comment
		close(opened.gate)
	}
	refused := func(name, detail string) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/v1/sandboxes/"+name+"/journal/stream", nil))
		assert.Equal(t, 429, w.Code)
		assert.Equal(t, "5", w.Header().Get("Retry-After"))
		assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
		assert.Contains(t, w.Body.String(), detail)
	}
	for i := range 2 {
		name := fmt.Sprintf("s%d", i)
		_, err := sandboxes.Create(t.Context(), sandbox.Plan{Name: name})
		require.NoError(t, err)
		for range 50 {
			open(name)
		}
	}
	refused(sandbox.Default, "100 event streams are open")
	s0, err := sandboxes.Find(t.Context(), "s0")
	require.NoError(t, err)
	require.NoError(t, sandboxes.Delete(t.Context(), s0))
	gone, leave := context.WithCancel(t.Context())
	leave()
	assert.Eventually(t, func() bool {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(gone, "GET", "/v1/sandboxes/default/journal/stream", nil))
		return w.Code == 200
	}, simtest.Patience, 10*time.Millisecond)
	open(sandbox.Default)
	close(draining)
	streams.Wait()
}

// timed is a client's end of a stream that notes the time limits of its writes.
type timed struct {
	slowReader
	limits []time.Duration // from now on; 0 where a limit is taken away
}

func (c *timed) SetWriteDeadline(at time.Time) error {
	limit := time.Duration(0)
	if !at.IsZero() {
		limit = time.Until(at)
	}
	c.limits = append(c.limits, limit)
	return nil
}

// A client has ten seconds to read what a stream writes, and any time between two events.
func TestStreamWritesHaveALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sandboxes := simtest.Registry(t, simtest.FrozenRetail)
		defer sandboxes.Close()
		gone, leave := context.WithCancel(t.Context())
		leave()
		client := &timed{slowReader: slowReader{header: http.Header{}}}
		handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
		handler.ServeHTTP(client,
			httptest.NewRequestWithContext(gone, "GET", "/v1/sandboxes/default/journal/stream", nil))
		require.Contains(t, client.text.String(), ": stream of sandbox default")
		ofTheCall := client.limits[0] // until the first byte
		assert.Equal(t, []time.Duration{ofTheCall, 10 * time.Second, 0, 10 * time.Second, 0}, client.limits)
	})
}
