package fault

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"time"
)

// MaxDelay bounds the sum of a request's delays (choice).
const MaxDelay = 5 * time.Minute

// Delay is how long to wait: a fixed time, a time drawn from a range, or one drawn from a lognormal distribution,
// which is given by its parameters or by two of its percentiles. Its JSON is "250ms", {"uniform": ["100ms", "2s"]},
// {"lognormal": {"median": "200ms", "sigma": 0.6}} or {"p50": "200ms", "p95": "800ms"}.
type Delay struct {
	Fixed     Duration     `json:"-"`
	Uniform   *[2]Duration `json:"uniform,omitzero"` // least and most
	Lognormal *Lognormal   `json:"lognormal,omitzero"`
	P50       Duration     `json:"p50,omitzero"` // half of the delays are shorter; with P95
	P95       Duration     `json:"p95,omitzero"` // 95 of 100 are shorter
}

// Lognormal is a distribution of delays with a long tail: half are shorter than Median; Sigma is the standard
// deviation of their logarithm.
type Lognormal struct {
	Median Duration `json:"median"`
	Sigma  float64  `json:"sigma"`
}

// maxSigma bounds the length of the tail (choice).
const maxSigma = 3

// p95 is the 95th percentile of the standard normal distribution.
const p95 = 1.6448536269514722

// tail returns the lognormal distribution; nil: the delay has none.
func (d *Delay) tail() *Lognormal {
	if d.P95 == 0 {
		return d.Lognormal
	}
	return &Lognormal{d.P50, math.Log(float64(d.P95)/float64(d.P50)) / p95}
}

// length returns how long the delay is this time, at most MaxDelay.
func (d *Delay) length(draw *rand.Rand) time.Duration {
	tail := d.tail()
	switch {
	case d.Uniform != nil:
		return time.Duration(d.Uniform[0]) + time.Duration(draw.Int64N(int64(d.Uniform[1]-d.Uniform[0])+1))
	case tail != nil:
		return time.Duration(min(float64(tail.Median)*math.Exp(tail.Sigma*draw.NormFloat64()), float64(MaxDelay)))
	}
	return time.Duration(d.Fixed)
}

// MarshalJSON writes the delay.
func (d Delay) MarshalJSON() ([]byte, error) {
	if d == (Delay{Fixed: d.Fixed}) {
		return json.Marshal(d.Fixed)
	}
	type drawn Delay
	return json.Marshal(drawn(d))
}

// UnmarshalJSON reads a delay.
func (d *Delay) UnmarshalJSON(data []byte) error {
	*d = Delay{}
	if data[0] == '"' {
		return json.Unmarshal(data, &d.Fixed)
	}
	type drawn Delay
	return json.Unmarshal(data, (*drawn)(d))
}
