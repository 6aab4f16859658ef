package fault

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// MaxDelay bounds the sum of a request's delays (choice).
const MaxDelay = 5 * time.Minute

// Delay is how long to wait: a fixed time, a time drawn from a range, or one drawn from a lognormal distribution. Its
// JSON is "250ms", {"uniform": ["100ms", "2s"]} or {"lognormal": {"median": "200ms", "sigma": 0.6}}.
type Delay struct {
	Fixed     Duration
	Uniform   *[2]Duration // least and most
	Lognormal *Lognormal
}

// Lognormal is a distribution of delays with a long tail: half are shorter than Median; Sigma is the standard
// deviation of their logarithm.
type Lognormal struct {
	Median Duration `json:"median"`
	Sigma  float64  `json:"sigma"`
}

// Fixed returns a delay of a fixed time.
func Fixed(d time.Duration) *Delay { return &Delay{Fixed: Duration(d)} }

// Uniform returns a delay of any time between two, each as likely.
func Uniform(least, most time.Duration) *Delay {
	return &Delay{Uniform: &[2]Duration{Duration(least), Duration(most)}}
}

// LongTailed returns a delay with a lognormal distribution.
func LongTailed(median time.Duration, sigma float64) *Delay {
	return &Delay{Lognormal: &Lognormal{Duration(median), sigma}}
}

// drawn is the JSON of a delay that is drawn.
type drawn struct {
	Uniform   *[2]Duration `json:"uniform,omitzero"`
	Lognormal *Lognormal   `json:"lognormal,omitzero"`
}

// MarshalJSON writes the delay.
func (d Delay) MarshalJSON() ([]byte, error) {
	if d.Uniform == nil && d.Lognormal == nil {
		return json.Marshal(d.Fixed)
	}
	return json.Marshal(drawn{d.Uniform, d.Lognormal})
}

// UnmarshalJSON reads a delay.
func (d *Delay) UnmarshalJSON(data []byte) error {
	*d = Delay{}
	if data[0] == '"' {
		return json.Unmarshal(data, &d.Fixed)
	}
	var of drawn
	if err := wire.DecodeKnown(data, &of); err != nil {
		return err
	}
	if (of.Uniform == nil) == (of.Lognormal == nil) {
		return errors.New("delay must have exactly one of uniform and lognormal")
	}
	d.Uniform, d.Lognormal = of.Uniform, of.Lognormal
	return nil
}
