package server

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// notUse are the paths of the control API whose requests don't count as use of the simulator (choice): monitoring
// requests probes all the time, and a keepalive counts in a way of its own.
var notUse = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/v1/keepalive": true}

// idleTimer reports when the simulator was not used for a while: no request began or was under way, and there was no
// keepalive. A keepalive may say how long the simulator runs on after it. When the last such keepalive ends, nothing
// else counts: the program that started the simulator is gone, and requests of an app must not keep it alive.
type idleTimer struct {
	used  atomic.Bool   // whether a request has begun since freeMemory looked
	after time.Duration // 0 means that the timer never reports
	idle  chan string   // gets the reason of the report

	mu         sync.Mutex
	open       int         // requests under way
	keepalives int         // that are held
	end        time.Time   // that the last keepalive has set, or zero if none has
	timer      *time.Timer // or nil if it never reports, or has reported
}

func newIdleTimer(after time.Duration) *idleTimer {
	i := &idleTimer{after: after, idle: make(chan string, 1)}
	if after > 0 {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.timer = time.AfterFunc(after, i.report)
	}
	return i
}

// report reports that the simulator is idle, unless it is used since the timer has fired.
func (i *idleTimer) report() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil && i.keepalives == 0 && (i.open == 0 || !i.end.IsZero()) && !time.Now().Before(i.end) {
		i.timer = nil
		reason := fmt.Sprintf("no request for %s", i.after)
		if !i.end.IsZero() {
			reason = "the program that started it has ended"
		}
		i.idle <- reason
	}
}

// count counts requests and keepalives that begin or, below 0, end. The last keepalive sets an end unless linger is
// below 0.
func (i *idleTimer) count(requests, keepalives int, linger time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open += requests
	i.keepalives += keepalives
	switch {
	case keepalives > 0:
		i.end = time.Time{}
	case keepalives < 0 && i.keepalives == 0 && linger >= 0:
		i.end = time.Now().Add(linger)
	}
	switch {
	case i.timer == nil:
	case i.keepalives == 0 && !i.end.IsZero():
		i.timer.Reset(time.Until(i.end))
	case i.keepalives == 0 && i.open == 0:
		i.timer.Reset(i.after)
	default:
		i.timer.Stop()
	}
}

// hold notes the beginning of a keepalive, and release its end. The last one decides how long the simulator runs on:
// for linger or, if that is below 0, until it was idle for long enough.
func (i *idleTimer) hold(linger time.Duration) (release func()) {
	i.count(0, 1, 0)
	return func() { i.count(0, -1, linger) }
}

// watch returns a handler that notes the requests to the next one, except those to exempt paths.
func (i *idleTimer) watch(next http.Handler, exempt map[string]bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !exempt[r.URL.Path] {
			i.used.Store(true)
			if i.after > 0 {
				i.count(1, 0, 0)
				defer i.count(-1, 0, 0)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// freeAfter is how long no request may have begun before memory is freed (choice).
const freeAfter = 10 * time.Second

// freeMemory calls free once after each time of use, when no request has begun for freeAfter. It ends with the channel.
func (i *idleTimer) freeMemory(end <-chan struct{}, free func()) {
	ticker := time.NewTicker(freeAfter)
	defer ticker.Stop()
	for wasUsed := true; ; { // by the start
		select {
		case <-end:
			return
		case <-ticker.C:
		}
		isUsed := i.used.Swap(false)
		if wasUsed && !isUsed {
			free()
		}
		wasUsed = isUsed
	}
}
