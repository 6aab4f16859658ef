package fault

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// MaxDelay bounds the sum of a request's delays (choice).
const MaxDelay = 5 * time.Minute

// Delay is how long to wait: a fixed time, a time drawn from a range, or one drawn from a lognormal distribution, which is
// given by its parameters or by two of its percentiles. Its JSON is "250ms", {"uniform": ["100ms", "2s"]},
// {"lognormal": {"median": "200ms", "sigma": 0.6}} or {"p50": "200ms", "p95": "800ms"}.
type Delay struct {
	Fixed       Duration
	Uniform     *[2]Duration // least and most
	Lognormal   *Lognormal
	Percentiles *Percentiles
}

// Lognormal is a distribution of delays with a long tail: half are shorter than Median; Sigma is the standard
// deviation of their logarithm.
type Lognormal struct {
	Median Duration `json:"median"`
	Sigma  float64  `json:"sigma"`
}

// maxSigma bounds the length of the tail (choice).
const maxSigma = 3

// Percentiles give a lognormal distribution of delays by what people measure: half are shorter than P50, and 95 of 100
// shorter than P95.
type Percentiles struct {
	P50, P95 Duration
}

// p95 is the 95th percentile of the standard normal distribution.
const p95 = 1.6448536269514722

// lognormal returns the distribution that has the percentiles.
func (p *Percentiles) lognormal() *Lognormal {
	return &Lognormal{p.P50, math.Log(float64(p.P95)/float64(p.P50)) / p95}
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

// ByPercentiles returns a delay of which half are shorter than a time, and 95 of 100 shorter than another one.
func ByPercentiles(p50, p95 time.Duration) *Delay {
	return &Delay{Percentiles: &Percentiles{Duration(p50), Duration(p95)}}
}

// drawn is the JSON of a delay that is drawn.
type drawn struct {
	Uniform   *[2]Duration `json:"uniform,omitzero"`
	Lognormal *Lognormal   `json:"lognormal,omitzero"`
	P50       *Duration    `json:"p50,omitzero"`
	P95       *Duration    `json:"p95,omitzero"`
}

// MarshalJSON writes the delay.
func (d Delay) MarshalJSON() ([]byte, error) {
	if p := d.Percentiles; p != nil {
		return json.Marshal(drawn{P50: &p.P50, P95: &p.P95})
	}
	if d.Uniform == nil && d.Lognormal == nil {
		return json.Marshal(d.Fixed)
	}
	return json.Marshal(drawn{Uniform: d.Uniform, Lognormal: d.Lognormal})
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
	if (of.P50 == nil) != (of.P95 == nil) {
		return errors.New("delay must have both of p50 and p95")
	}
	if of.P50 != nil {
		d.Percentiles = &Percentiles{*of.P50, *of.P95}
	}
	d.Uniform, d.Lognormal = of.Uniform, of.Lognormal
	if several(d.Uniform != nil, d.Lognormal != nil, d.Percentiles != nil) || *d == (Delay{}) {
		return errors.New("delay must have exactly one of uniform, lognormal, and p50 with p95")
	}
	return nil
}
