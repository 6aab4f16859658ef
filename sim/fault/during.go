package fault

import (
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// During is a window of virtual time: from one moment until another one, or for some time. Without From it begins at
// the start of the sandbox. Without Until and For it has no end. With Daily it is open for a part of each day only.
type During struct {
	// When the window begins: so long after the sandbox's start, or a time. Default: the start.
	From Moment `json:"from,omitzero" yaml:"from" jsonschema:"format=moment-or-zero"`
	// When it ends, written like from. Default: never.
	Until Moment `json:"until,omitzero" yaml:"until"`
	// How long it lasts, in place of until.
	For Duration `json:"for,omitzero" yaml:"for"`
	// The hours of each day in which it is open: up to the second time, which may be one of the next day.
	Daily string `json:"daily,omitzero" yaml:"daily" jsonschema:"title=two times of day with - between,pattern=^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$,example=09:00-17:00,example=22:00-06:00"`
	// The time zone of these hours, by its IANA name. They are the same hours in summer and in winter time.
	Zone string `json:"zone,omitzero" yaml:"zone" jsonschema:"minLength=1,format=time-zone,default=UTC,example=Europe/Berlin"`
}

// Moment is a moment of virtual time: some time after the sandbox's start or, if At isn't zero, a time of its clock.
// Its text is a duration, such as "1m", or a timestamp of RFC 3339, such as "2026-01-15T09:00:00Z".
type Moment struct {
	Offset Duration
	At     time.Time
}

// IsZero reports whether the moment is the sandbox's start, or absent.
func (m Moment) IsZero() bool { return m.Offset == 0 && m.At.IsZero() }

// isTime reports whether the moment is a time of the clock.
func (m Moment) isTime() bool { return !m.At.IsZero() }

// MarshalText writes the moment.
func (m Moment) MarshalText() ([]byte, error) {
	if m.isTime() {
		return m.At.MarshalText()
	}
	return m.Offset.MarshalText()
}

// UnmarshalText reads a moment.
func (m *Moment) UnmarshalText(text []byte) error {
	*m = Moment{}
	if m.Offset.UnmarshalText(text) == nil {
		return nil
	}
	var err error
	m.At, err = time.Parse(time.RFC3339, string(text))
	return err
}

// since returns how long after the moment a request comes.
func (m Moment) since(q *Query) time.Duration {
	if m.isTime() {
		return q.Now.Sub(m.At)
	}
	return q.Since - time.Duration(m.Offset)
}

// includes reports whether a request comes within the window.
func (d *During) includes(q *Query) bool {
	since := d.From.since(q)
	return since >= 0 && (d.Until.IsZero() || d.Until.since(q) < 0) && (d.For == 0 || since < time.Duration(d.For)) &&
		(d.Daily == "" || d.isOpenAt(q.Now))
}

// isOpenAt reports whether the time of day at a time is one of the hours. It takes UTC for a zone that this machine
// doesn't know.
func (d *During) isOpenAt(now time.Time) bool {
	zone, err := sim.ZoneNamed(d.Zone)
	if err != nil {
		zone = time.UTC
	}
	open, closed, _ := strings.Cut(d.Daily, "-")
	at := now.In(zone).Format("15:04")
	if open < closed {
		return open <= at && at < closed
	}
	return open <= at || at < closed
}
