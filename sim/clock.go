package sim

import "time"

// Clock is a virtual clock. It is a value that turns a real time into a virtual one. It runs along with real time, or
// stands still. The zero Clock stands still at the zero time.
type Clock struct {
	virtual time.Time // the virtual time at real
	real    time.Time
	running bool
}

// NewClock returns a clock that shows start at a real time.
func NewClock(start time.Time, running bool, now time.Time) Clock {
	return Clock{virtual: start.UTC(), real: now, running: running}
}

// Now returns the virtual time (UTC) at a real time.
func (c Clock) Now(now time.Time) time.Time {
	if !c.running {
		return c.virtual
	}
	return c.virtual.Add(now.Sub(c.real))
}

// Running reports whether the clock runs along with real time.
func (c Clock) Running() bool { return c.running }

// Advance returns the clock moved by d, forwards or (d negative) backwards.
func (c Clock) Advance(d time.Duration, now time.Time) Clock {
	return NewClock(c.Now(now).Add(d), c.running, now)
}

// Set returns the clock showing t.
func (c Clock) Set(t, now time.Time) Clock { return NewClock(t, c.running, now) }

// Run returns the clock from its present time on: it runs, or stands still if run is false.
func (c Clock) Run(run bool, now time.Time) Clock { return NewClock(c.Now(now), run, now) }
