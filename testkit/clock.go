package testkit

import (
	"net/http"
	"time"
)

// clockChange is the body of the call that changes the clock.
type clockChange struct {
	Advance string     `json:"advance,omitzero"`
	Set     *time.Time `json:"set,omitzero"`
	Run     *bool      `json:"run,omitzero"`
}

// clock reads the bank's clock or, with a body, changes it. It returns the time that the clock shows then.
func (b *Bank) clock(method string, body any) time.Time {
	b.t.Helper()
	var clock struct{ Now time.Time }
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
	return b.clock(http.MethodPost, clockChange{Advance: d.String()})
}

// SetClock sets the bank's clock, to a time from year 1 to 9000.
func (b *Bank) SetClock(now time.Time) {
	b.t.Helper()
	b.clock(http.MethodPost, clockChange{Set: &now})
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
	return b.clock(http.MethodPost, clockChange{Run: &run})
}
