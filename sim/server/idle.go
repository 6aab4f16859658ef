package server

import (
	"net/http"
	"sync"
	"time"
)

// notUse are the paths of the control API whose requests don't count as use of the simulator (choice): monitoring requests
// probes all the time, and a lifeline counts in a way of its own.
var notUse = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/v1/lifeline": true}

// idleTimer reports when nobody has used the simulator for a while: no request has begun, none was under way, and there was
// no lifeline. After the last lifeline that says how long the simulator is to run on, nothing else counts: whoever started
// the simulator is gone, and requests of an app that it left behind must not keep it.
type idleTimer struct {
	after time.Duration // 0: the timer never reports
	idle  chan struct{} // closed by the report, of which there is at most one

	mu        sync.Mutex
	open      int         // requests under way
	lifelines int         // that are held
	quiet     time.Time   // since when there is no request and no lifeline
	end       time.Time   // that the last lifeline has set; zero: none
	timer     *time.Timer // nil before start and after stop
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

// dueLocked returns when the simulator is idle unless something happens. Not ok: never.
func (i *idleTimer) dueLocked() (due time.Time, ok bool) {
	switch {
	case i.timer == nil || i.lifelines > 0:
		return time.Time{}, false
	case !i.end.IsZero():
		return i.end, true
	default:
		return i.quiet.Add(i.after), i.open == 0
	}
}

// report reports that the simulator is idle, if it is. Whatever ends later sets the timer again.
func (i *idleTimer) report() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if due, ok := i.dueLocked(); ok && !time.Now().Before(due) {
		i.timer = nil
		close(i.idle)
	}
}

// setLocked sets the timer.
func (i *idleTimer) setLocked() {
	if due, ok := i.dueLocked(); ok {
		i.timer.Reset(time.Until(due))
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
	i.setLocked()
}

// hold notes the beginning of a lifeline, and release its end. The last one decides how long the simulator runs on: for
// linger or, if that is below 0, until it was idle for long enough.
func (i *idleTimer) hold(linger time.Duration) (release func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lifelines++
	i.end = time.Time{}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.lifelines--
		i.quiet = time.Now()
		if i.lifelines == 0 && linger >= 0 {
			i.end = i.quiet.Add(linger)
		}
		i.setLocked()
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
