package controlapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
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
	query   string // of its request, such as "?after=1"
	gate    chan struct{}
	flushes *atomic.Int64 // nil: not counted
	header  http.Header
	text    strings.Builder
}

func (s *slowReader) Header() http.Header { return s.header }
func (s *slowReader) WriteHeader(int)     {}

func (s *slowReader) Flush() {
	if s.flushes != nil {
		s.flushes.Add(1)
	}
}

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

// A stream whose client is slow skips ahead and reports how much it missed. What the journal held before is not skipped.
func TestSlowReadersSkipAhead(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		add(sb, 1500)
		s := &slowReader{gate: make(chan struct{})}
		follow(s)
		for !strings.Contains(s.text.String(), "id: 1500\n") {
			s.gate <- struct{}{}
			time.Sleep(time.Second) // of fake time, in which it begins the next write
			synctest.Wait()
		}
		add(sb, 1)
		synctest.Wait() // it is writing that
		add(sb, 7000)
		close(s.gate)
		time.Sleep(time.Second)
		end()

		assert.Equal(t, [][]string{{`event: gap` + "\n" + `data: {"missed":6899}`, "6899"}}, missed.FindAllStringSubmatch(s.text.String(), -1))
		var want, got []string
		for i := 1; i <= 8501; i++ {
			if i <= 1501 || i > 8400 {
				want = append(want, fmt.Sprint(i))
			}
		}
		for _, id := range ids.FindAllStringSubmatch(s.text.String(), -1) {
			got = append(got, id[1])
		}
		assert.Equal(t, want, got)
	})
}

// All streams together send a limited number of times, however many they are and however fast exchanges come.
func TestStreamsShareTheirPace(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		var flushes atomic.Int64
		for range 100 {
			follow(&slowReader{flushes: &flushes})
		}
		assert.EqualValues(t, 100, flushes.Swap(0), "the first comment of each")
		for range 1000 { // in a second
			add(sb, 3)
			time.Sleep(time.Millisecond)
		}
		assert.InDelta(t, 1000, flushes.Load(), 150)
		end()
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
	for i := range 5 {
		name := fmt.Sprintf("s%d", i)
		_, err := sandboxes.Create(sandbox.Plan{Name: name})
		require.NoError(t, err)
		for range 100 {
			open(name)
		}
		refused(name, map[bool]string{true: "500 event streams are open", false: "100 event streams of this sandbox are open"}[i == 4])
	}
	refused(sandbox.Default, "500 event streams are open")
	require.NoError(t, sandboxes.Delete("s0"))
	assert.Eventually(t, func() bool {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return strings.Contains(w.Body.String(), "banksim_control_streams 400\n")
	}, simtest.Patience, 10*time.Millisecond)
	open(sandbox.Default)
	close(draining)
	streams.Wait()
}
