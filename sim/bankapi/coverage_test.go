package bankapi_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A request that a reset overtakes while a fault delays it has met the refusal, and not what it would have met.
func TestCoverageOfRequestsDuringAReset(t *testing.T) {
	t.Parallel()
	for phase, want := range map[string]coverage.Point{
		"before": {Operation: "groups.create", Dialect: "document", Kind: coverage.Refused, Status: 503, Code: "BANKSIM_GENERATION_ENDED",
			Rule: "generation-ended"},
		"after": {Operation: "groups.create", Dialect: "document", Kind: coverage.Accepted, Status: 200},
	} {
		b := delayed(t, phase)
		during(t, b, []simtest.Call{createGroup}, b.Sandbox.Reset)
		run := b.Sandbox.Coverage().Run("")
		var met []coverage.Met
		for _, m := range slices.Concat(run.Points, run.Besides) {
			if m.Count != (coverage.Count{}) {
				m.Possible = false
				met = append(met, m)
			}
		}
		assert.Equal(t, []coverage.Met{{Point: want, Count: coverage.Count{Naturally: 1}}}, met, phase)
	}
}
