package testkit

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// clock reads the bank's clock or, with a body, changes it. It returns the time that the clock shows then.
func (b *Bank) clock(method string, body any) time.Time {
	b.t.Helper()
	var clock api.Clock
	b.in(method, "/clock", body, &clock)
	return clock.Now
}

// Now returns the time by the bank's clock.
func (b *Bank) Now() time.Time {
	b.t.Helper()
	return b.clock(http.MethodGet, nil)
}

// Advance moves the bank's clock and returns the time that it shows then. Tokens expire by this clock, and windows of
// faults open.
func (b *Bank) Advance(d time.Duration) time.Time {
	b.t.Helper()
	by := d.String()
	return b.clock(http.MethodPost, api.ClockChange{Advance: &by})
}

// SetClock sets the bank's clock, to a time from year 1 to 9000.
func (b *Bank) SetClock(now time.Time) {
	b.t.Helper()
	b.clock(http.MethodPost, api.ClockChange{Set: &now})
}

// Freeze stops the bank's clock and returns the time that it shows.
func (b *Bank) Freeze() time.Time {
	b.t.Helper()
	return b.runClock(false)
}

// Unfreeze lets the bank's clock run along with real time again.
func (b *Bank) Unfreeze() {
	b.t.Helper()
	b.runClock(true)
}

func (b *Bank) runClock(run bool) time.Time {
	b.t.Helper()
	return b.clock(http.MethodPost, api.ClockChange{Run: &run})
}
