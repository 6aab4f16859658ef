package fault

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"time"
)

// MaxDelay bounds the sum of a request's delays (choice).
const MaxDelay = 5 * time.Minute

// Delay is how long to wait: a fixed time, a time from a range, or a time from a lognormal distribution. The parameters
// of the distribution or two of its percentiles are given. The JSON is "250ms", {"uniform": ["100ms", "2s"]},
// {"lognormal": {"median": "200ms", "sigma": 0.6}} or {"p50": "200ms", "p95": "800ms"}.
type Delay struct {
	Fixed     Duration     `json:"-"`
	Uniform   *[2]Duration `json:"uniform,omitzero"` // the shortest and the longest delay
	Lognormal *Lognormal   `json:"lognormal,omitzero"`
	P50       Duration     `json:"p50,omitzero"` // longer than half of the delays; given together with P95
	P95       Duration     `json:"p95,omitzero"` // longer than 95 of 100 delays
}

// Lognormal is a distribution of delays with a long tail. Half of the delays are shorter than Median. Sigma is the
// standard deviation of their logarithm.
type Lognormal struct {
	Median Duration `json:"median"`
	Sigma  float64  `json:"sigma"`
}

// maxSigma bounds the length of the tail (choice).
const maxSigma = 3

// p95 is the 95th percentile of the standard normal distribution.
const p95 = 1.6448536269514722

// tail returns the lognormal distribution, or nil if the delay is not drawn from one.
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

// delay checks a delay.
func (c *check) delay(d Delay) {
	const at = "then.delay"
	switch {
	case d.Uniform != nil:
		c.length(at+".uniform", "the end of uniform", d.Uniform[1])
		c.reject(d.Uniform[0] > d.Uniform[1], at+".uniform", "uniform begins after its end: swap the two")
	case d.Lognormal != nil:
		c.length(at+".lognormal.median", "median", d.Lognormal.Median)
	case d.P50 == 0 && d.P95 == 0:
		c.length(at, "delay", d.Fixed)
	case c.length(at+".p50", "p50", d.P50), c.length(at+".p95", "p95", d.P95):
	case c.reject(d.P95 <= d.P50, at+".p95",
		"p95 must be longer than p50, as 95 of 100 delays are shorter than it: write more than %s", d.P50):
	case c.reject(d.tail().Sigma > maxSigma, at+".p95",
		"p95 must be at most %d times as long as p50: shorten it, or lengthen p50", int(math.Exp(maxSigma*p95))):
	}
}

// length rejects a delay that is too long, or not positive.
func (c *check) length(at, name string, d Duration) (wrong bool) {
	return c.reject(d <= 0, at, "%s must be longer than 0, not %s", name, d) ||
		c.reject(time.Duration(d) > MaxDelay, at, "%s must be at most %s, not %s", name, MaxDelay, d)
}
