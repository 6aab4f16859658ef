package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A bank is reset once a day, at the time of its zone, also on the days that are an hour shorter or longer.
func TestResetTime(t *testing.T) {
	for _, test := range []struct {
		resets     sim.ResetTime
		now        string
		last, next string
	}{
		{sim.ResetTime{Daily: "04:00"}, "2026-11-29T04:00:00Z", "2026-11-29T04:00:00Z", "2026-11-30T04:00:00Z"},
		{sim.ResetTime{Daily: "04:00"}, "2026-11-29T03:59:59Z", "2026-11-28T04:00:00Z", "2026-11-29T04:00:00Z"},
		// The zone's day has begun before that of UTC, and the month before that of the zone.
		{sim.ResetTime{Daily: "00:30", Zone: "Pacific/Auckland"}, "2026-06-30T12:30:00Z",
			"2026-06-30T12:30:00Z", "2026-07-01T12:30:00Z"},
		{sim.ResetTime{Daily: "23:30", Zone: "Pacific/Honolulu"}, "2026-07-01T00:00:00Z",
			"2026-06-30T09:30:00Z", "2026-07-01T09:30:00Z"},
		// Clocks are set forward on 2026-03-29 at 02:00, and back on 2026-10-25 at 03:00.
		{sim.ResetTime{Daily: "04:00", Zone: "Europe/Berlin"}, "2026-03-28T12:00:00Z",
			"2026-03-28T03:00:00Z", "2026-03-29T02:00:00Z"},
		{sim.ResetTime{Daily: "04:00", Zone: "Europe/Berlin"}, "2026-10-25T12:00:00Z",
			"2026-10-25T03:00:00Z", "2026-10-26T03:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		require.NoError(t, err)
		require.NoError(t, test.resets.Check())
		assert.Equal(t, test.last, test.resets.Last(now).UTC().Format(time.RFC3339), test)
		assert.Equal(t, test.next, test.resets.Next(now).UTC().Format(time.RFC3339), test)
	}
	for _, day := range []string{"2026-03-29", "2026-10-25"} { // 02:30 isn't there, and is there twice
		midnight, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		seen := map[int64]bool{}
		for now := midnight.Add(-time.Hour); now.Before(midnight.Add(22 * time.Hour)); now = now.Add(time.Minute) {
			seen[sim.ResetTime{Daily: "02:30", Zone: "Europe/Berlin"}.Last(now).Unix()] = true
		}
		assert.Len(t, seen, 2, "that of the day before, and one of %s", day)
	}
	assert.Zero(t, sim.ResetTime{}.Last(time.Now()))
	assert.Zero(t, sim.ResetTime{}.Next(time.Now()))
	for want, wrong := range map[string]sim.ResetTime{
		`daily must be a time of day such as 04:00, not "4:00"`:                       {Daily: "4:00"},
		`daily must be a time of day such as 04:00, not "24:00"`:                      {Daily: "24:00"},
		`daily must be a time of day such as 04:00, not ""`:                           {Zone: "UTC"},
		`zone must be a time zone such as Europe/Berlin or UTC, not "Europe/Nowhere"`: {Daily: "04:00", Zone: "Europe/Nowhere"},
		`zone must be a time zone such as Europe/Berlin or UTC, not "Local"`:          {Daily: "04:00", Zone: "Local"},
	} {
		assert.EqualError(t, wrong.Check(), want)
	}
}
