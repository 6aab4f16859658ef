package explore_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// goodName matches the names of failures: they are parts of the names of subtests, and of paths.
var goodName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// The failures of each operation in each dialect have names of their own, are rules that a bank takes, and their errors
// are those that its description lists.
func TestFailuresOfAllOperations(t *testing.T) {
	for _, op := range contract.AllOperations() {
		all := explore.Failures(op, nil)
		assert.Less(t, len(all), 20, "%s: so many take too long", op.Name)
		seen := map[string]bool{}
		for _, f := range all {
			name := op.Name + " " + f.Name
			assert.False(t, seen[f.Name], "%s is there twice", name)
			seen[f.Name] = true
			assert.Regexp(t, goodName, f.Name)
			assert.Regexp(t, `^[A-Z].*\.$`, f.About, name)
			run := explore.Run{
				Faults: []explore.FailingCall{
					{Call: explore.Call{Operation: op.Name, Dialect: string(op.Dialect), Number: 1},
						Failure: f},
				},
			}
			assert.Empty(t, fault.Check(run.Rules()), name)
			assert.Equal(t, f.Committed, op.Changes && f.Phase == fault.After, name)
			if f.Then.Status != 0 {
				assert.True(t, op.Lists(f.Then.Status), "%s: it isn't listed", name)
			}
		}
		for _, name := range []string{"reset", "timeout"} {
			assert.True(t, seen[name], "%s: %s", op.Name, name)
		}
		for _, name := range []string{"answer-lost-after-commit", "timeout-after-commit", "500-after-commit"} {
			assert.Equal(t, op.Changes, seen[name], "%s: %s", op.Name, name)
		}
		for _, status := range op.Errors {
			assert.True(t, slices.ContainsFunc(all, func(f explore.Failure) bool {
				return strings.HasPrefix(f.Name, fmt.Sprint(status, "_"))
			}), "%s %d", op.Name, status)
		}
	}
}

// The YAML of a run is the faults of a scenario: the rules of the run.
func TestYAML(t *testing.T) {
	t.Parallel()
	undisturbed := explore.Observation{Ended: explore.Passed, Exchanges: made("groups.list a 1")}
	e, err := explore.New(explore.Options{}, undisturbed, undisturbed)
	require.NoError(t, err)
	for _, op := range contract.AllOperations() {
		call := explore.Call{Operation: op.Name, Dialect: string(op.Dialect), Number: 3}
		var run explore.Run
		for _, f := range explore.Failures(op, nil) {
			run.Faults = append(run.Faults, explore.FailingCall{Call: call, Failure: f})
		}
		text := e.Done(run, explore.Observation{}).YAML
		sc, err := scenario.Parse("explored.yaml", []byte(simtest.FrozenRetail+text))
		if assert.NoError(t, err, text) {
			assert.JSONEq(t, simtest.JSON(run.Rules()), simtest.JSON(sc.Faults), text)
		}
	}
}
