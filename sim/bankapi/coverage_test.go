package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// goldenCoverage is what replayed golden exchanges met.
type goldenCoverage struct {
	exchanges []fixtures.Exchange
	met       []map[coverage.Point]bool // by each of them
	possible  map[coverage.Point]bool   // in any of their banks
}

func replayForCoverage(t *testing.T) goldenCoverage {
	t.Helper()
	all, err := fixtures.Load()
	require.NoError(t, err)
	if simtest.Race {
		all = simtest.Sample(all)
	}
	g := goldenCoverage{exchanges: all, possible: map[coverage.Point]bool{}}
	for _, e := range all {
		b, _ := simtest.GoldenBank(t, e)
		b.SendGolden(e.Request)
		met := map[coverage.Point]bool{}
		for _, m := range b.Sandbox.Coverage().Run("", "", b.Sandbox.CreatedAt(), "").Points {
			if m.Count != (coverage.Count{}) {
				met[m.Point] = true
			}
			if m.Possible {
				g.possible[m.Point] = true
			}
		}
		g.met = append(g.met, met)
	}
	return g
}

// missing returns the points of a kind that no exchange met, but one is left out.
func (g goldenCoverage) missing(without int, kinds ...coverage.Kind) (missing []coverage.Point) {
	for _, p := range coverage.Points() {
		if !g.possible[p] {
			continue
		}
		found := false
		for _, k := range kinds {
			found = found || p.Kind == k
		}
		if !found {
			continue
		}
		found = false
		for i, met := range g.met {
			found = found || i != without && met[p]
		}
		if !found {
			missing = append(missing, p)
		}
	}
	return missing
}

func TestGoldenExchangesMeetEveryAnswer(t *testing.T) {
	t.Parallel()
	g := replayForCoverage(t)
	for _, p := range g.missing(-1, coverage.Accepted, coverage.Refused) {
		t.Errorf("not met: %v", p)
	}
	n := 0
	for p := range g.possible { if p.Kind != coverage.Connection { n++ } }
	t.Log(n)
	assert.NotEmpty(t, g.possible)
}
