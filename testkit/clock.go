package testkit

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Now returns the time by the bank's clock.
func (b *Bank) Now() time.Time {
	b.t.Helper()
	var clock api.Clock
	b.must("Now", http.MethodGet, "/clock", nil, &clock)
	return clock.Now
}

// Advance moves the bank's clock on and returns the time that it shows then. Tokens expire by this clock, jobs end, and
// windows of faults open. [Snapshot.Restore] and [Bank.Reset] move it back.
func (b *Bank) Advance(d time.Duration) time.Time {
	b.t.Helper()
	if d < 0 {
		b.fatalf("Advance(%v): it takes a time from 0: Reset and Snapshot.Restore move the clock back", d)
	}
	by, clock := d.String(), api.Clock{}
	b.must("Advance", http.MethodPost, "/clock", api.ClockChange{Advance: &by}, &clock)
	return clock.Now
}
