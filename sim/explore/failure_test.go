package explore_test

import (
	"regexp"
	"strconv"
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

func names(all []explore.Failure) string {
	var list []string
	for _, f := range all {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

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
			assert.Regexp(t, regexp.MustCompile(`(^| )`+strconv.Itoa(status)), names(all), op.Name)
		}
	}
}

func TestFailures(t *testing.T) {
	const connections = " reset timeout truncated malformed"
	for _, test := range []struct {
		op   *contract.Operation
		want string
	}{
		{contract.GroupsList, "401_expired 500_2001 500_CMN_90002" + connections},
		{contract.GroupsCreate, "400_2000 400_2004 401_expired 500_2001 500_CMN_90002" + connections +
			" answer-lost-after-commit timeout-after-commit 500-after-commit"},
		{contract.EstatementsUpdateUser,
			"400_UXESTMT_11010 400_UXESTMT_88889 400_UXESTMT_11013 401_expired 401_UXESTMT_10002 403_UXESTMT_10003 404_UXESTMT_88888" +
				" 500_UXESTMT_30001 500_CMN_90002 503_UXESTMT_30003 reset timeout answer-lost-after-commit timeout-after-commit " +
				"500-after-commit"},
	} {
		assert.Equal(t, test.want, names(explore.Failures(test.op, nil)), test.op.Name)
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
