package testkit

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// During is a window of the bank's virtual time. It begins at From, counted from the bank's start, or at Begin. It ends
// after For, or at End; if neither is set, it has no end.
type During struct {
	From  time.Duration
	For   time.Duration
	Begin time.Time // on the bank's clock, in place of From
	End   time.Time // on the bank's clock, in place of For
}

// Delay is how long an answer is late: one of its members is set. The delays of all faults that fire for a request are five
// minutes at most together; see also the time limit of [Bank.Client].
type Delay struct {
	Fixed       time.Duration
	Uniform     [2]time.Duration // the shortest and the longest, each time between them as likely
	Lognormal   Lognormal
	Percentiles Percentiles
}

// Lognormal is a distribution of delays with a long tail, as of a busy service: half of them are shorter than Median,
// and Sigma is the standard deviation of their logarithm.
type Lognormal struct {
	Median time.Duration
	Sigma  float64
}

// Percentiles give a distribution of delays with a long tail by what is measured: half of them are shorter than P50, and 95
// of 100 shorter than P95.
type Percentiles struct {
	P50 time.Duration
	P95 time.Duration
}

// duration is a time.Duration that JSON writes as time.ParseDuration reads it: "250ms".
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

// The JSON of windows and delays.
type (
	duringJSON struct {
		From  moment   `json:"from,omitzero"`
		Until moment   `json:"until,omitzero"`
		For   duration `json:"for,omitzero"`
	}
	drawnJSON struct {
		Uniform   [2]duration   `json:"uniform,omitzero"`
		Lognormal lognormalJSON `json:"lognormal,omitzero"`
		P50       duration      `json:"p50,omitzero"`
		P95       duration      `json:"p95,omitzero"`
	}
	lognormalJSON struct {
		Median duration `json:"median"`
		Sigma  float64  `json:"sigma"`
	}
)

// moment is a time since the bank's start or, if it is not zero, one on its clock.
type moment struct {
	since duration
	at    time.Time
}

func (m moment) MarshalText() ([]byte, error) {
	if !m.at.IsZero() {
		return m.at.MarshalText()
	}
	return m.since.MarshalText()
}

func (m *moment) UnmarshalText(text []byte) error {
	*m = moment{}
	if m.since.UnmarshalText(text) == nil {
		return nil
	}
	return m.at.UnmarshalText(text)
}

// MarshalJSON encodes the window as in {"from": "30s", "for": "1m"}.
func (d During) MarshalJSON() ([]byte, error) {
	switch {
	case d.From != 0 && !d.Begin.IsZero():
		return nil, errors.New("a During has one of From and Begin, not both")
	case d.For != 0 && !d.End.IsZero():
		return nil, errors.New("a During has one of For and End, not both")
	}
	return wire.Encode(duringJSON{moment{duration(d.From), d.Begin}, moment{at: d.End}, duration(d.For)})
}

// UnmarshalJSON decodes a window.
func (d *During) UnmarshalJSON(data []byte) error {
	var window duringJSON
	err := json.Unmarshal(data, &window)
	*d = During{From: time.Duration(window.From.since), For: time.Duration(window.For), Begin: window.From.at, End: window.Until.at}
	if window.Until.since != 0 { // counted from the start, as From is
		d.For = time.Duration(window.Until.since - window.From.since)
	}
	return err
}

// MarshalJSON encodes the delay as "250ms", {"uniform": ["100ms", "2s"]}, {"lognormal": {"median": "200ms", "sigma":
// 0.6}} or {"p50": "200ms", "p95": "800ms"}.
func (d Delay) MarshalJSON() ([]byte, error) {
	drawn := drawnJSON{
		Uniform:   [2]duration{duration(d.Uniform[0]), duration(d.Uniform[1])},
		Lognormal: lognormalJSON{duration(d.Lognormal.Median), d.Lognormal.Sigma},
		P50:       duration(d.Percentiles.P50),
		P95:       duration(d.Percentiles.P95),
	}
	switch {
	case drawn == drawnJSON{}:
		return wire.Encode(duration(d.Fixed))
	case d.Fixed != 0:
		return nil, errors.New("a Delay has one of Fixed, Uniform, Lognormal and Percentiles, not several")
	}
	return wire.Encode(drawn)
}

// UnmarshalJSON decodes a delay.
func (d *Delay) UnmarshalJSON(data []byte) error {
	*d = Delay{}
	if data[0] == '"' {
		var fixed duration
		err := json.Unmarshal(data, &fixed)
		d.Fixed = time.Duration(fixed)
		return err
	}
	var drawn drawnJSON
	err := json.Unmarshal(data, &drawn)
	d.Uniform = [2]time.Duration{time.Duration(drawn.Uniform[0]), time.Duration(drawn.Uniform[1])}
	d.Lognormal = Lognormal{time.Duration(drawn.Lognormal.Median), drawn.Lognormal.Sigma}
	d.Percentiles = Percentiles{time.Duration(drawn.P50), time.Duration(drawn.P95)}
	return err
}
