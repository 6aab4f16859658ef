package scenario_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// failures returns how many of the first 100 requests to an operation get an answer from a fault.
func failures(s *scenario.Scenario, op *contract.Operation) int {
	faults, failed := fault.NewSet(s.Faults, s.Seed), 0
	for range 100 {
		verdict, counted := faults.Decide(&fault.Query{Operation: op.Name, Dialect: string(op.Dialect)})
		if verdict.Answer() != nil {
			failed++
		}
		faults = counted
	}
	return failed
}

// Every operation fails in flaky and rate-limited as often as their descriptions say.
func TestBuiltInFaultsReachEveryOperation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		least, most int               // of the failures in 100 requests
		exceptions  map[string]string // operations that never fail, with the reason
	}{
		"flaky":        {least: 10, most: 30},
		"rate-limited": {least: 20, most: 20},
	} {
		s := load(t, name)
		for _, op := range contract.AllOperations() {
			failed := failures(s, op)
			if _, never := test.exceptions[op.Name]; never {
				assert.Zero(t, failed, "%s is an exception, but %s has a fault for it", op.Name, name)
				continue
			}
			assert.True(t, test.least <= failed && failed <= test.most,
				"%d of 100 requests to %s (%s) fail: add a fault to scenarios/%s.yaml, or name the exception",
				failed, op.Name, op.Dialect, name)
		}
		assert.Subset(t, contract.Names(), slices.Collect(maps.Keys(test.exceptions)), name)
	}
}
