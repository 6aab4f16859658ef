package fault

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"time"
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

// length returns how long the delay is this time, at most MaxDelay.
func (d *Delay) length(draw *rand.Rand) time.Duration {
	tail := d.Lognormal
	if d.Percentiles != nil {
		tail = d.Percentiles.lognormal()
	}
	switch {
	case d.Uniform != nil:
		return time.Duration(d.Uniform[0]) + time.Duration(draw.Int64N(int64(d.Uniform[1]-d.Uniform[0])+1))
	case tail != nil:
		return time.Duration(min(float64(tail.Median)*math.Exp(tail.Sigma*draw.NormFloat64()), float64(MaxDelay)))
	}
	return time.Duration(d.Fixed)
}

// randomDelay is the JSON of a delay that is drawn.
type randomDelay struct {
	Uniform   *[2]Duration `json:"uniform,omitzero"`
	Lognormal *Lognormal   `json:"lognormal,omitzero"`
	P50       *Duration    `json:"p50,omitzero"`
	P95       *Duration    `json:"p95,omitzero"`
}

// MarshalJSON writes the delay.
func (d Delay) MarshalJSON() ([]byte, error) {
	if p := d.Percentiles; p != nil {
		return json.Marshal(randomDelay{P50: &p.P50, P95: &p.P95})
	}
	if d.Uniform == nil && d.Lognormal == nil {
		return json.Marshal(d.Fixed)
	}
	return json.Marshal(randomDelay{Uniform: d.Uniform, Lognormal: d.Lognormal})
}

// UnmarshalJSON reads a delay.
func (d *Delay) UnmarshalJSON(data []byte) error {
	*d = Delay{}
	if data[0] == '"' {
		return json.Unmarshal(data, &d.Fixed)
	}
	var of randomDelay
	if err := json.Unmarshal(data, &of); err != nil {
		return err
	}
	d.Uniform, d.Lognormal = of.Uniform, of.Lognormal
	if of.P50 != nil && of.P95 != nil {
		d.Percentiles = &Percentiles{*of.P50, *of.P95}
	}
	return nil
}
