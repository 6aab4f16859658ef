package scenario

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// duration is the text of a length of time, as time.ParseDuration reads it.
type duration string

// parse returns the length, more than 0.
func (d duration) parse() (time.Duration, error) {
	parsed, err := time.ParseDuration(string(d))
	if err != nil {
		return 0, fmt.Errorf(`must be a duration of at most 292 years, such as "24h" or "90s", not %s`, phrase.Quote(string(d)))
	}
	if parsed <= 0 {
		return 0, fmt.Errorf(`must be longer than 0, not %s: write "24h", for example`, phrase.Quote(string(d)))
	}
	return parsed, nil
}

// or returns the length that a checked duration holds, or another one where it was left out.
func (d duration) or(other time.Duration) time.Duration {
	if parsed, err := d.parse(); err == nil {
		return parsed
	}
	return other
}

// timestamp is the text of a moment, as RFC 3339 writes it.
type timestamp string

func (t timestamp) parse() (time.Time, error) {
	parsed, err := time.Parse(time.RFC3339, string(t))
	if err != nil {
		return time.Time{}, fmt.Errorf("must be an RFC 3339 timestamp such as 2026-01-15T09:00:00Z, not %s", phrase.Quote(string(t)))
	}
	return parsed.UTC(), nil
}

// or returns the moment that a checked timestamp holds, or another one where it was left out.
func (t timestamp) or(other time.Time) time.Time {
	if parsed, err := t.parse(); err == nil {
		return parsed
	}
	return other
}

// alertField is one of sim.AlertFields.
type alertField string

// share is a part of a whole, from 0 to 1.
type share float64
