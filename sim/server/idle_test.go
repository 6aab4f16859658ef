package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// idleBank is a control API with an idle timer, in fake time.
type idleBank struct {
	t      *testing.T
	timer  *idleTimer
	client *http.Client
}

// pipes is a listener whose connections stay in the process, so that they work in a synctest bubble with its fake time.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.waiting:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.waiting <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// underTimer runs a test of a control API whose timer reports after ten minutes.
func underTimer(t *testing.T, test func(*idleBank)) {
	t.Helper()
	sc, err := scenario.Load("empty")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
		defer sandboxes.Close()
		timer := newIdleTimer(10 * time.Minute)
		p := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		l, err := (&Server{log: slog.New(slog.DiscardHandler)}).newListener("test", port{net: p})
		require.NoError(t, err)
		l.http.Handler = timer.watch(controlapi.New(controlapi.Config{
			Sandboxes: sandboxes,
			Ready:     func() bool { return true },
			Log:       slog.New(slog.DiscardHandler),
			Hold:      timer.hold,
		}), notUse)
		go func() { _ = l.serve() }()
		transport := &http.Transport{DialContext: p.dial}
		defer func() {
			transport.CloseIdleConnections()
			l.close()
		}()
		test(&idleBank{t, timer, &http.Client{Transport: transport}})
	})
}

// get requests a path. It closes the answer unless that is a stream.
func (b *idleBank) get(path string) *http.Response {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, "http://localhost"+path, nil)
	require.NoError(b.t, err)
	res, err := b.client.Do(r)
	require.NoError(b.t, err)
	if res.Header.Get("Content-Type") != "text/event-stream" {
		_, err := io.Copy(io.Discard, res.Body)
		require.NoError(b.t, err)
		require.NoError(b.t, res.Body.Close())
	}
	return res
}

// idleAfter requires that the timer reports after a time, and not a moment earlier.
func (b *idleBank) idleAfter(d time.Duration) {
	b.t.Helper()
	b.busyFor(d - 1)
	time.Sleep(time.Nanosecond)
	synctest.Wait()
	select {
	case <-b.timer.idle:
	default:
		b.t.Fatalf("not idle after %s", d)
	}
}

// busyFor requires that the timer reports nothing for a time.
func (b *idleBank) busyFor(d time.Duration) {
	b.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	select {
	case <-b.timer.idle:
		b.t.Fatalf("idle within %s", d)
	default:
	}
}

// Each request restarts the timer, including one that is refused.
func TestRequestsRestartTheTimer(t *testing.T) {
	t.Parallel()
	underTimer(t, func(b *idleBank) {
		for _, path := range []string{"/v1/info", "/v1/sandboxes/default/state", "/nope"} {
			b.busyFor(9 * time.Minute)
			b.get(path)
		}
		b.busyFor(10*time.Minute - 1)
		b.get("/v1/info")
		b.idleAfter(10 * time.Minute)
	})
}

// keepalive opens a keepalive. It ends when its body is closed.
func (b *idleBank) keepalive(query string) io.Closer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, "http://localhost/v1/keepalive"+query, nil)
	require.NoError(b.t, err)
	res, err := b.client.Do(r)
	require.NoError(b.t, err)
	require.Equal(b.t, http.StatusOK, res.StatusCode)
	return res.Body
}

// As long as a keepalive is open, the simulator isn't idle. The last one decides how long it runs on.
func TestKeepalivesKeepTheSimulator(t *testing.T) {
	t.Parallel()
	underTimer(t, func(b *idleBank) {
		first, last := b.keepalive("?linger=3s"), b.keepalive("?linger=5s")
		b.busyFor(3 * time.Hour)
		require.NoError(t, first.Close())
		b.busyFor(3 * time.Hour)
		require.NoError(t, last.Close())
		b.idleAfter(5 * time.Second)
	})
}

// Memory is freed once after each time of use, when no request has begun for ten seconds. Probes are no use.
func TestMemoryIsFreedOnceNobodyCalls(t *testing.T) {
	t.Parallel()
	underTimer(t, func(b *idleBank) {
		var freed atomic.Int32
		end := make(chan struct{})
		defer close(end)
		go b.timer.freeMemory(end, func() { freed.Add(1) })
		for _, step := range []struct {
			path  string
			freed int32
		}{{"/v1/info", 0}, {"/v1/info", 0}, {"/healthz", 1}, {"/healthz", 1}, {"/v1/info", 1}, {"/readyz", 2}} {
			b.get(step.path)
			time.Sleep(freeAfter)
			synctest.Wait()
			require.Equal(b.t, step.freed, freed.Load(), step.path)
		}
	})
}
