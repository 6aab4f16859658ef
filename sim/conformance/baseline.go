package conformance

import (
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Baseline are drifts that are known. Only others count.
type Baseline struct {
	Drifts []Drift `json:"drifts"`
}

// ReadBaseline reads a baseline as [Baseline.Encode] writes it.
func ReadBaseline(data []byte) (*Baseline, error) {
	var b Baseline
	if err := wire.DecodeKnown(data, &b); err != nil {
		return nil, fmt.Errorf("not a baseline as --write-baseline writes it: %w", err)
	}
	return &b, nil
}

// Encode returns the baseline as JSON.
func (b Baseline) Encode() ([]byte, error) { return wire.EncodeIndented(b) }

// Baseline returns the drifts of the report, known or not, and those of an earlier baseline (nil: there is none) whose
// exchanges it has no answer for.
func (r Report) Baseline(earlier *Baseline) Baseline {
	b := Baseline{Drifts: []Drift{}}
	answered := map[string]bool{}
	for _, result := range r.Results {
		answered[result.Exchange] = result.Skipped == "" && result.Error == ""
		b.Drifts = slices.Concat(b.Drifts, result.Known, result.Drifts)
	}
	if earlier != nil {
		for _, d := range earlier.Drifts {
			if !answered[d.Exchange] && !slices.ContainsFunc(b.Drifts, d.same) {
				b.Drifts = append(b.Drifts, d)
			}
		}
	}
	return b
}

// same reports whether two drifts are at the same place. What the service answered there may differ, as times do.
func (d Drift) same(other Drift) bool {
	return d.Exchange == other.Exchange && d.Entry == other.Entry && d.Place == other.Place
}

// sort separates the drifts of a result that are ignored or known from the others, and finds known ones that have vanished.
func (r *replayer) sort(result *Result) {
	var known []Drift
	if r.Baseline != nil {
		known = r.Baseline.Drifts
	}
	all := result.Drifts
	result.Drifts = nil
	for _, d := range all {
		switch {
		case slices.Contains(r.Ignore, d.Entry):
			result.Ignored = append(result.Ignored, d)
		case slices.ContainsFunc(known, d.same):
			result.Known = append(result.Known, d)
		default:
			result.Drifts = append(result.Drifts, d)
		}
	}
	for _, d := range known {
		if d.Exchange == result.Exchange && result.Skipped == "" && result.Error == "" && !slices.ContainsFunc(all, d.same) {
			result.Vanished = append(result.Vanished, d)
		}
	}
}
