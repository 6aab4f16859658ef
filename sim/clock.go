package sim

import "time"

// Clock is a virtual clock as a value: it is asked with the real time and answers with the virtual one. It
// either runs along with real time or stands still. The zero Clock stands still at the zero time.
type Clock struct {
	virtual time.Time // the virtual time at real
	real    time.Time
	running bool
}

// NewClock returns a clock that shows start at the real time given.
func NewClock(start time.Time, running bool, real time.Time) Clock {
	return Clock{virtual: start.UTC(), real: real, running: running}
}

// Now returns the virtual time (UTC) at a real time.
func (c Clock) Now(real time.Time) time.Time {
	if !c.running {
		return c.virtual
	}
	return c.virtual.Add(real.Sub(c.real))
}

// Running reports whether the clock runs along with real time.
func (c Clock) Running() bool { return c.running }

// Advance returns the clock moved by d, forwards or (d negative) backwards.
func (c Clock) Advance(d time.Duration, real time.Time) Clock {
	return NewClock(c.Now(real).Add(d), c.running, real)
}

// Set returns the clock showing t.
func (c Clock) Set(t, real time.Time) Clock { return NewClock(t, c.running, real) }

// Run returns the clock running, or standing still where run is false, from its present time on.
func (c Clock) Run(run bool, real time.Time) Clock { return NewClock(c.Now(real), run, real) }
