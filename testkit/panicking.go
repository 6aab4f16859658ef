package testkit

import "runtime"

// panicking reports whether the goroutine that runs a test's cleanups is panicking. Then package testing has not marked the
// test as failed yet, and recover returns nothing, because package testing calls the cleanups.
func panicking() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}
