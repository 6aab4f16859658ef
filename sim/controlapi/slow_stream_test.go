package controlapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// slowReader is a client's end of a stream. Each write waits until a value comes from gate, if there is one.
type slowReader struct {
	query  string // of its request, such as "?after=1"
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

// underStreams runs a test of a control API with a sandbox "s" in fake time. follow opens a stream of it, which ends with
// the sandbox.
func underStreams(t *testing.T, test func(sb *sandbox.Sandbox, follow func(*slowReader), end func())) {
	t.Helper()
	sc := simtest.Scenario(t, simtest.FrozenRetail)
	synctest.Test(t, func(t *testing.T) {
		sandboxes := newRegistry(sc)
		defer sandboxes.Close()
		sb, err := sandboxes.Create(sandbox.Plan{Name: "s"})
		require.NoError(t, err)
		handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
		var streams sync.WaitGroup
		follow := func(s *slowReader) {
			s.header = http.Header{}
			streams.Go(func() {
				handler.ServeHTTP(s, httptest.NewRequest("GET", "/v1/sandboxes/s/journal/stream"+s.query, nil))
			})
			synctest.Wait()
		}
		test(sb, follow, func() {
			assert.NoError(t, sandboxes.Delete("s"))
			streams.Wait()
		})
	})
}

func add(sb *sandbox.Sandbox, count int) {
	for range count {
		sb.Now().Journal.Add(journal.Raw{Operation: "groups.list", Method: http.MethodGet, Status: 200})
	}
}

var (
	missed = regexp.MustCompile(`event: gap\ndata: \{"missed":(\d+)\}`)
	ids    = regexp.MustCompile(`(?m)^id: (\d+)$`)
)

// A stream with a filter has what matches, and a heartbeat while nothing does.
func TestAFilteredStream(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		lists, creates := &slowReader{query: "?operation=groups.list"}, &slowReader{query: "?operation=groups.create"}
		add(sb, 250)
		follow(lists)
		follow(creates)
		add(sb, 250)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		end()
		assert.Len(t, ids.FindAllString(lists.text.String(), -1), 500)
		assert.Empty(t, ids.FindAllString(creates.text.String(), -1))
		assert.Equal(t, 1, strings.Count(creates.text.String(), ": heartbeat"))
	})
}

// A stream whose client is slow is told what the journal no longer held when its turn came.
func TestASlowReaderLearnsWhatItMissed(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		s := &slowReader{gate: make(chan struct{})}
		follow(s)
		s.gate <- struct{}{} // the first comment
		add(sb, 1)
		synctest.Wait() // it is writing that
		add(sb, journal.DefaultEntries+500)
		close(s.gate)
		time.Sleep(time.Minute)
		synctest.Wait()
		end()
		assert.Equal(t, [][]string{{`event: gap` + "\n" + `data: {"missed":500}`, "500"}}, missed.FindAllStringSubmatch(s.text.String(), -1))
		assert.Len(t, ids.FindAllString(s.text.String(), -1), journal.DefaultEntries+1)
	})
}

// The number of streams is limited, and a stream that ends makes room for another.
func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	sandboxes := newRegistry(simtest.Scenario(t, simtest.FrozenRetail))
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
		_, err := sandboxes.Create(sandbox.Plan{Name: name})
		require.NoError(t, err)
		for range 50 {
			open(name)
		}
	}
	refused(sandbox.Default, "100 event streams are open")
	require.NoError(t, sandboxes.Delete("s0"))
	assert.Eventually(t, func() bool {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return strings.Contains(w.Body.String(), "banksim_control_streams 50\n")
	}, simtest.Patience, 10*time.Millisecond)
	open(sandbox.Default)
	close(draining)
	streams.Wait()
}
