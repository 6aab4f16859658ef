package crash

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// interval is the time from one stack in the log to the next (choice).
const interval = time.Second

// Log logs panics. Its zero value is ready for use, by many goroutines.
type Log struct {
	mu       sync.Mutex
	resting  bool   // whether a stack was logged less than the interval ago
	withheld uint64 // panics since then
}

// Report logs a panic with its stack and with attributes that describe the request. The function that has recovered calls
// it.
func (l *Log) Report(to *slog.Logger, panicked any, attributes ...any) {
	if l.withhold() {
		return
	}
	time.AfterFunc(interval, func() { l.rest(to) })
	to.Error("panic", append(attributes, "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))...)
}

// withhold reports whether it is too early for another stack.
func (l *Log) withhold() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resting {
		l.withheld++
		return true
	}
	l.resting = true
	return false
}

// rest ends an interval. It logs how many panics were not logged in it.
func (l *Log) rest(to *slog.Logger) {
	l.mu.Lock()
	withheld := l.withheld
	l.resting, l.withheld = false, 0
	l.mu.Unlock()
	if withheld > 0 {
		to.Error("more panics, whose stacks were not logged", "count", withheld)
	}
}
