package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// duration is a duration in the notation of [time.ParseDuration].
type duration string

// or returns the value of a checked duration, or the default if it was left out.
func (d duration) or(otherwise time.Duration) time.Duration {
	if parsed, err := time.ParseDuration(string(d)); err == nil {
		return parsed
	}
	return otherwise
}

// timestamp is a moment in the notation of RFC 3339.
type timestamp string

// or returns the value of a checked timestamp in UTC, or the default if it was left out.
func (t timestamp) or(otherwise time.Time) time.Time {
	if parsed, err := time.Parse(time.RFC3339, string(t)); err == nil {
		return parsed.UTC()
	}
	return otherwise
}

// moment returns a time in the notation of RFC 3339.
func moment(t time.Time) timestamp { return timestamp(t.UTC().Format(time.RFC3339Nano)) }

// clockStart is a timestamp, or startNow.
type clockStart string

// at returns what the clock shows first.
func (s clockStart) at(otherwise ClockStart) time.Time {
	switch {
	case s == startNow:
		return otherwise.Real.UTC().Truncate(time.Second)
	case s == "" && !otherwise.Default.IsZero():
		return otherwise.Default.UTC().Truncate(time.Second)
	}
	return timestamp(s).or(DefaultStart)
}

// share is a part of a whole, from 0 to 1.
type share float64

// formats check what the pattern of a text can't: that a day exists, that a duration is not too long. They are asked
// only about texts with the form of the pattern.
var formats = map[string]func(text string) error{
	"timestamp": checkTimestamp,
	"clock-start": func(text string) error {
		if text == startNow {
			return nil
		}
		return checkTimestamp(text)
	},
	"time-zone":        sim.CheckZone,
	"duration":         checkDuration,
	"duration-or-zero": checkDurationOrZero,
	"moment":           momentOr(checkDuration),
	"moment-or-zero":   momentOr(checkDurationOrZero),
}

// checkTimestamp also refuses a time whose year has five digits, or a sign, in UTC: no JSON could have it then.
func checkTimestamp(text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if year := at.UTC().Year(); err == nil && year >= 0 && year <= 9999 {
		return nil
	}
	return fmt.Errorf("must be an RFC 3339 timestamp such as 2026-01-15T09:00:00Z, not %s", wording.Quote(text))
}

func checkDuration(text string) error {
	parsed, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return checkDurationOrZero(text)
	case parsed <= 0:
		return fmt.Errorf(`must be longer than 0, such as "24h", not %s`, wording.Quote(text))
	}
	return nil
}

func checkDurationOrZero(text string) error {
	if _, err := time.ParseDuration(text); err != nil {
		return errors.New(`must be a duration of at most 292 years, such as "24h" or "90s", not ` + wording.Quote(text))
	}
	return nil
}

// momentOr returns a check of a timestamp, or else of a duration.
func momentOr(otherwise func(text string) error) func(text string) error {
	return func(text string) error {
		if strings.Contains(text, "-") {
			return checkTimestamp(text)
		}
		return otherwise(text)
	}
}

// orDefault returns the value of a member of a document, or the default if it is left out.
func orDefault[T any](member *T, otherwise T) T {
	if member == nil {
		return otherwise
	}
	return *member
}

// omitDefault returns a value, or nil if it is the default.
func omitDefault[T comparable](value, standard T) *T {
	if value == standard {
		return nil
	}
	return &value
}
