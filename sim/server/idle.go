package server

import (
	"net/http"
	"sync"
	"time"
)

// probes are the paths of the control API that something asks for again and again by itself, whether or not anybody
// uses the simulator. They are no use of it (choice).
var probes = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// idleWatch tells when nobody has used the simulator for a while: no request has begun, and none was under way.
type idleWatch struct {
	after time.Duration // 0: it never tells
	idle  chan struct{} // closed when it tells, once

	mu    sync.Mutex
	open  int         // requests under way
	quiet time.Time   // since when there is none
	timer *time.Timer // nil before the watch begins and after its end
}

func newIdleWatch(after time.Duration) *idleWatch {
	return &idleWatch{after: after, idle: make(chan struct{})}
}

// begin starts the watch: the while is counted from here.
func (i *idleWatch) begin() {
	if i.after == 0 {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.quiet = time.Now()
	i.timer = time.AfterFunc(i.after, i.look)
}

// end stops the watch.
func (i *idleWatch) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}

// look tells that it has been quiet, unless a request is under way or was until just now. The end of each sets the
// timer anew.
func (i *idleWatch) look() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil && i.open == 0 && time.Since(i.quiet) >= i.after {
		i.timer = nil
		close(i.idle)
	}
}

// enter and leave stand around a request.
func (i *idleWatch) enter() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
}

func (i *idleWatch) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open--
	i.quiet = time.Now()
	if i.timer != nil {
		i.timer.Reset(i.after)
	}
}

// watch notes the requests for a handler, but for those whose path is exempt.
func (i *idleWatch) watch(next http.Handler, exempt map[string]bool) http.Handler {
	if i.after == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if exempt[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		i.enter()
		defer i.leave()
		next.ServeHTTP(w, r)
	})
}
