package scenario

import (
	"errors"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// duration is a duration in the notation of [time.ParseDuration].
type duration string

// parse returns the duration, which is longer than 0.
func (d duration) parse() (time.Duration, error) {
	parsed, err := time.ParseDuration(string(d))
	if err != nil {
		return 0, fmt.Errorf(`must be a duration of at most 292 years, such as "24h" or "90s", not %s`, phrase.Quote(string(d)))
	}
	if parsed <= 0 {
		return 0, fmt.Errorf(`must be longer than 0, such as "24h", not %s`, phrase.Quote(string(d)))
	}
	return parsed, nil
}

// or returns the value of a checked duration, or the default if it was left out.
func (d duration) or(otherwise time.Duration) time.Duration {
	if parsed, err := d.parse(); err == nil {
		return parsed
	}
	return otherwise
}

// timestamp is a moment in the notation of RFC 3339.
type timestamp string

func (t timestamp) parse() (time.Time, error) {
	parsed, err := time.Parse(time.RFC3339, string(t))
	if err != nil {
		message := "must be an RFC 3339 timestamp such as 2026-01-15T09:00:00Z, not " + phrase.Quote(string(t))
		if wrong := timestampFault(string(t)); wrong != "" {
			message += ": " + wrong
		}
		return time.Time{}, errors.New(message)
	}
	return parsed.UTC(), nil
}

// or returns the value of a checked timestamp, or the default if it was left out.
func (t timestamp) or(otherwise time.Time) time.Time {
	if t == "" {
		return otherwise
	}
	if parsed, err := t.parse(); err == nil {
		return parsed
	}
	return otherwise
}

// share is a part of a whole, from 0 to 1.
type share float64
