package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
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
	t     *testing.T
	timer *idleTimer
	http.Handler
}

// underTimer runs a test of a control API whose timer reports after ten minutes.
func underTimer(t *testing.T, test func(*idleBank)) {
	t.Helper()
	t.Parallel()
	sc, err := scenario.Load("empty")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
		defer sandboxes.Close()
		timer := newIdleTimer(10 * time.Minute)
		test(&idleBank{t, timer, timer.watch(controlapi.New(controlapi.Config{
			Sandboxes: sandboxes,
			Ready:     func() bool { return true },
			Log:       slog.New(slog.DiscardHandler),
			Hold:      timer.hold,
		}), notUse)})
	})
}

// get requests a path.
func (b *idleBank) get(path string) {
	b.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
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
	underTimer(t, func(b *idleBank) {
		for _, path := range []string{"/v1/info", "/nope"} {
			b.busyFor(10*time.Minute - 1)
			b.get(path)
		}
		b.idleAfter(10 * time.Minute)
	})
}

// As long as a keepalive is open, the simulator isn't idle. The last one decides how long it runs on.
func TestKeepalivesKeepTheSimulator(t *testing.T) {
	underTimer(t, func(b *idleBank) {
		keepalive := func(linger string) (end func()) {
			ctx, end := context.WithCancel(b.t.Context())
			r := httptest.NewRequestWithContext(
				ctx, http.MethodPost, "http://localhost/v1/keepalive?linger="+linger, nil,
			)
			go b.ServeHTTP(httptest.NewRecorder(), r)
			return end
		}
		first, last := keepalive("3s"), keepalive("5s")
		b.busyFor(3 * time.Hour)
		first()
		b.timer.report() // the timer had fired just before the first one
		b.busyFor(3 * time.Hour)
		last()
		b.idleAfter(5 * time.Second)
	})
}

// Memory is freed once after each time of use, when no request has begun for ten seconds. Probes are no use.
func TestMemoryIsFreedOnceNobodyCalls(t *testing.T) {
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
