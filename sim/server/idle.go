package server

import (
	"net/http"
	"sync"
	"time"
)

// probes are the paths of the control API that monitoring requests all the time. Such a request doesn't count as use of
// the simulator (choice).
var probes = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// idleTimer reports when nobody has used the simulator for a while: no request has begun, and none was under way.
type idleTimer struct {
	after time.Duration // 0: the timer never reports
	idle  chan struct{} // closed by the report, of which there is at most one

	mu    sync.Mutex
	open  int         // requests under way
	quiet time.Time   // since when there is none
	timer *time.Timer // nil before start and after stop
}

func newIdleTimer(after time.Duration) *idleTimer {
	return &idleTimer{after: after, idle: make(chan struct{})}
}

// start starts the timer.
func (i *idleTimer) start() {
	if i.after == 0 {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.quiet = time.Now()
	i.timer = time.AfterFunc(i.after, i.report)
}

// stop stops the timer.
func (i *idleTimer) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}

// report reports that the simulator is idle, unless a request is under way or ended a moment ago. The end of a request
// restarts the timer.
func (i *idleTimer) report() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil && i.open == 0 && time.Since(i.quiet) >= i.after {
		i.timer = nil
		close(i.idle)
	}
}

// enter notes the beginning of a request, and leave its end.
func (i *idleTimer) enter() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
}

func (i *idleTimer) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open--
	i.quiet = time.Now()
	if i.timer != nil {
		i.timer.Reset(i.after)
	}
}

// watch returns a handler that notes the requests to the next one, except those to exempt paths.
func (i *idleTimer) watch(next http.Handler, exempt map[string]bool) http.Handler {
	if i.after == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !exempt[r.URL.Path] {
			i.enter()
			defer i.leave()
		}
		next.ServeHTTP(w, r)
	})
}
