package testkit

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// During is a window of the bank's virtual time, counted from its start.
type During struct {
	From time.Duration
	For  time.Duration // 0: without end
}

// Delay is how long an answer is late: one of its members is set. The delays of all faults that fire for a request are five
// minutes at most together; see also the time limit of [Bank.Client].
type Delay struct {
	Fixed     time.Duration
	Uniform   [2]time.Duration // the shortest and the longest, each time between them as likely
	Lognormal Lognormal
}

// Lognormal is a distribution of delays with a long tail, as of a busy service: half of them are shorter than Median,
// and Sigma is the standard deviation of their logarithm.
type Lognormal struct {
	Median time.Duration
	Sigma  float64
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
		From duration `json:"from,omitzero"`
		For  duration `json:"for,omitzero"`
	}
	drawnJSON struct {
		Uniform   [2]duration   `json:"uniform,omitzero"`
		Lognormal lognormalJSON `json:"lognormal,omitzero"`
	}
	lognormalJSON struct {
		Median duration `json:"median"`
		Sigma  float64  `json:"sigma"`
	}
)

// MarshalJSON encodes the window as in {"from": "30s", "for": "1m"}.
func (d During) MarshalJSON() ([]byte, error) {
	return wire.Encode(duringJSON{duration(d.From), duration(d.For)})
}

// UnmarshalJSON decodes a window.
func (d *During) UnmarshalJSON(data []byte) error {
	var window duringJSON
	err := json.Unmarshal(data, &window)
	*d = During{time.Duration(window.From), time.Duration(window.For)}
	return err
}

// MarshalJSON encodes the delay as "250ms", {"uniform": ["100ms", "2s"]} or {"lognormal": {"median": "200ms", "sigma": 0.6}}.
func (d Delay) MarshalJSON() ([]byte, error) {
	drawn := drawnJSON{
		Uniform:   [2]duration{duration(d.Uniform[0]), duration(d.Uniform[1])},
		Lognormal: lognormalJSON{duration(d.Lognormal.Median), d.Lognormal.Sigma},
	}
	switch {
	case drawn == drawnJSON{}:
		return wire.Encode(duration(d.Fixed))
	case d.Fixed != 0:
		return nil, errors.New("a Delay has one of Fixed, Uniform and Lognormal, not several")
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
	return err
}
