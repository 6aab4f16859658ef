package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// pipes is a listener whose connections are within the process, so that time can be made up around them.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.waiting:
		return conn, nil
	case <-p.closed:
		return nil, errors.New("closed")
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
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

// idleBank is a control API under watch, in made-up time.
type idleBank struct {
	t      *testing.T
	watch  *idleWatch
	client *http.Client
}

// underWatch runs a test of a control API whose watch tells after ten minutes.
func underWatch(t *testing.T, test func(*idleBank)) {
	t.Helper()
	sc, err := scenario.Load("empty")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
		defer sandboxes.Close()
		watch := newIdleWatch(10 * time.Minute)
		log := slog.New(slog.DiscardHandler)
		handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Ready: func() bool { return true }, Log: log})
		connections := &pipes{make(chan net.Conn), make(chan struct{})}
		l := newListener(connections, watch.watch(handler, probes), log)
		go func() { _ = l.http.Serve(connections) }()
		transport := &http.Transport{DialContext: connections.dial}
		defer func() {
			watch.end()
			transport.CloseIdleConnections()
			_ = l.http.Close()
		}()
		watch.begin()
		test(&idleBank{t, watch, &http.Client{Transport: transport}})
	})
}

// get asks for a path and closes the answer, or hands it on where it is a stream.
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

// idleAt requires that the watch tells after so long, and not a moment earlier.
func (b *idleBank) idleAt(d time.Duration) {
	b.t.Helper()
	b.busyFor(d - 1)
	time.Sleep(time.Nanosecond)
	synctest.Wait()
	select {
	case <-b.watch.idle:
	default:
		b.t.Fatalf("not idle after %s", d)
	}
}

func (b *idleBank) busyFor(d time.Duration) {
	b.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	select {
	case <-b.watch.idle:
		b.t.Fatalf("idle within %s", d)
	default:
	}
}

func TestIdleWithoutARequest(t *testing.T) {
	underWatch(t, func(b *idleBank) { b.idleAt(10 * time.Minute) })
}

// Each request puts the end off, one that is refused, too.
func TestRequestsPutIdlenessOff(t *testing.T) {
	underWatch(t, func(b *idleBank) {
		for _, path := range []string{"/v1/info", "/v1/sandboxes/default/state", "/nope"} {
			b.busyFor(9 * time.Minute)
			b.get(path)
		}
		b.busyFor(10*time.Minute - 1)
		b.get("/v1/info")
		b.idleAt(10 * time.Minute)
	})
}

// Who only looks whether the simulator is well doesn't use it.
func TestProbesDoNotPutIdlenessOff(t *testing.T) {
	for path := range probes {
		underWatch(t, func(b *idleBank) {
			for range 9 {
				b.busyFor(time.Minute)
				assert.Equal(t, 200, b.get(path).StatusCode)
			}
			b.idleAt(time.Minute)
		})
	}
}

// A stream that somebody follows is use for as long as it is open, beside others or alone.
func TestOpenStreamsAreUse(t *testing.T) {
	underWatch(t, func(b *idleBank) {
		stream := b.get("/v1/sandboxes/default/journal/stream")
		another := b.get("/v1/sandboxes/default/journal/stream")
		go func() { _, _ = io.Copy(io.Discard, stream.Body) }() // its heartbeats
		go func() { _, _ = io.Copy(io.Discard, another.Body) }()
		b.busyFor(3 * time.Hour)
		require.NoError(t, another.Body.Close())
		b.get("/v1/info")
		b.busyFor(time.Hour)
		require.NoError(t, stream.Body.Close())
		b.idleAt(10 * time.Minute)
	})
}

// Without a time to wait, and after its end, a watch tells nothing.
func TestNoWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never, ended := newIdleWatch(0), newIdleWatch(time.Minute)
		never.begin()
		ended.begin()
		ended.end()
		time.Sleep(1000 * time.Hour)
		for _, watch := range []*idleWatch{never, ended} {
			select {
			case <-watch.idle:
				t.Fatal("it told")
			default:
			}
		}
	})
}
