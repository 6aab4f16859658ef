package fault

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// During is a window of virtual time: from one moment until another one, or for some time. Without From it begins with the
// sandbox, without Until and For it has no end.
type During struct {
	From  Moment   `json:"from,omitzero" yaml:"from" jsonschema_description:"When the window begins: so long after the start of the sandbox, or at this time of its clock. Default: at the start."`
	Until Moment   `json:"until,omitzero" yaml:"until" jsonschema_description:"When it ends, written like from. Default: after for, or never."`
	For   Duration `json:"for,omitzero" yaml:"for" jsonschema_description:"How long it is open, in place of until."`
}

// Moment is a moment of virtual time: some time after the sandbox's start or, if At isn't zero, a time of its clock. Its
// text is that of [time.ParseDuration] or of RFC 3339: "1m" or "2026-01-15T09:00:00Z".
type Moment struct {
	Offset Duration
	At     time.Time
}

// AfterStart returns the moment so long after the sandbox's start.
func AfterStart(offset time.Duration) Moment { return Moment{Offset: Duration(offset)} }

// AtTime returns the moment when the sandbox's clock shows a time.
func AtTime(t time.Time) Moment { return Moment{At: t} }

// IsZero reports whether the moment is the sandbox's start, or not given.
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
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil || at.IsZero() {
		return fmt.Errorf(`must be a duration such as "1m" or an RFC 3339 timestamp such as "2026-01-15T09:00:00Z", not %s`, phrase.Quote(string(text)))
	}
	m.At = at
	return nil
}

// isReached reports whether a request comes at the moment or later.
func (m Moment) isReached(q *Query) bool {
	if m.isTime() {
		return !q.Now.Before(m.At)
	}
	return q.Since >= time.Duration(m.Offset)
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
	return d.From.isReached(q) &&
		(d.Until.IsZero() || !d.Until.isReached(q)) &&
		(d.For == 0 || d.From.since(q) < time.Duration(d.For))
}

// during checks a window.
func (c *check) during(d During) {
	negative := false
	if d.From.Offset < 0 {
		c.add("when.during.from", "from must not be negative: it counts from the start of the sandbox, so write 0s or leave it out")
		negative = true
	}
	if d.Until.Offset < 0 {
		c.add("when.during.until", "until must be later than the start of the sandbox, not %s", time.Duration(d.Until.Offset))
		negative = true
	}
	if d.For < 0 {
		c.add("when.during.for", "for must be longer than 0, not %s", time.Duration(d.For))
	}
	switch {
	case d == During{}:
		c.add("when.during", "during says nothing: add from, until or for")
	case d.Until.IsZero() || negative:
	case d.For != 0:
		c.add("when.during.for", "for and until both say when the window ends: remove one of them")
	case !d.From.IsZero() && d.From.isTime() != d.Until.isTime():
		c.add("when.during.until", "from and until must both be times, or both count from the start of the sandbox: write until like from, or write for")
	case d.From.isTime() && !d.From.At.Before(d.Until.At), !d.Until.isTime() && d.From.Offset >= d.Until.Offset:
		c.add("when.during.until", "until must be later than from: write a later one, or swap the two")
	}
}
