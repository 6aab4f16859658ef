package sim

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// ResetTime says when a bank returns to its start by itself, by the clock on the wall (choice). The zero ResetTime is
// never.
// The comments and tags also describe resets in a scenario.
type ResetTime struct {
	// The time of each day. Where clocks are set forward over it, the bank is reset just beside the gap.
	Daily string `json:"daily" yaml:"daily" jsonschema:"required,title=a time of day,pattern=^([01][0-9]|2[0-3]):[0-5][0-9]$,example=04:00" doc:"The time of each day, such as 04:00."`
	// The time zone of that time, by its IANA name.
	Zone string `json:"zone,omitzero" yaml:"zone" jsonschema:"minLength=1,format=time-zone,default=UTC,example=Europe/Berlin" doc:"Its time zone, such as Europe/Berlin. Default: UTC."`
}

// CheckZone returns an error if a text is no IANA name of a time zone.
func CheckZone(name string) error {
	if _, err := ZoneNamed(name); err != nil || name == "Local" {
		return fmt.Errorf("must be a time zone such as Europe/Berlin or UTC, not %q", name)
	}
	return nil
}

// zones are the time zones that were loaded, by name: loading one takes long.
var zones sync.Map

// ZoneNamed returns a time zone. An empty name stands for UTC.
func ZoneNamed(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		zones.Store(name, zone)
	}
	return zone, err
}

// Check returns an error if the time or the zone is wrong.
func (r ResetTime) Check() error {
	if _, err := time.Parse("15:04", r.Daily); err != nil || len(r.Daily) != len("15:04") {
		return fmt.Errorf("daily must be a time of day such as 04:00, not %q", r.Daily)
	}
	if err := CheckZone(r.Zone); err != nil {
		return fmt.Errorf("zone %w", err)
	}
	return nil
}

// Last returns the newest of the times up to now. It returns the zero time for the zero ResetTime, and for a zone that
// isn't known here.
func (r ResetTime) Last(now time.Time) time.Time {
	at := r.onDay(now, 1)
	for day := 0; at.After(now); day-- {
		at = r.onDay(now, day)
	}
	return at
}

// Next returns the first of the times after now, or the zero time as Last does.
func (r ResetTime) Next(now time.Time) time.Time {
	at := r.onDay(now, -1)
	for day := 0; !at.IsZero() && !at.After(now); day++ {
		at = r.onDay(now, day)
	}
	return at
}

// onDay returns the time of the day that is so many days after today.
func (r ResetTime) onDay(today time.Time, days int) time.Time {
	if r == (ResetTime{}) {
		return time.Time{}
	}
	clock, err := time.Parse("15:04", r.Daily)
	zone, zoneErr := ZoneNamed(r.Zone)
	if cmp.Or(err, zoneErr) != nil {
		return time.Time{}
	}
	year, month, day := today.In(zone).Date()
	return time.Date(year, month, day+days, clock.Hour(), clock.Minute(), 0, 0, zone)
}
