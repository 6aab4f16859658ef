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
		if verdict.Answer != nil {
			failed++
		}
		faults = counted
	}
	return failed
}

// Every operation fails in flaky and rate-limited as often as their descriptions say.
func TestBuiltInFaultsReachEveryOperation(t *testing.T) {
	t.Parallel()
	for name, bounds := range map[string][2]int{"flaky": {10, 30}, "rate-limited": {20, 20}} {
		s := load(t, name)
		for _, op := range contract.AllOperations() {
			failed := failures(s, op)
			assert.True(
				t, bounds[0] <= failed && failed <= bounds[1],
				"%d of 100 requests to %s (%s) fail: add a fault to scenarios/%s.yaml", failed, op.Name, op.Dialect,
				name,
			)
		}
	}
}

// The first change by every operation that changes the bank is committed, and its answer is lost.
func TestLostAnswersReachEveryChange(t *testing.T) {
	t.Parallel()
	s := load(t, "lost-answers")
	for _, op := range contract.AllOperations() {
		query := &fault.Query{Operation: op.Name, Dialect: string(op.Dialect)}
		first, counted := fault.NewSet(s.Faults, s.Seed).Decide(query)
		second, _ := counted.Decide(query)
		lost := first.Answer
		assert.Equal(t, op.Changes, lost != nil, "%s: add a fault to scenarios/lost-answers.yaml", op.Name)
		assert.True(t, lost == nil || lost.Phase == fault.After && lost.Rule.Then.Connection != nil, op.Name)
		assert.Nil(t, second.Answer, op.Name)
	}
}

// strictest maps a switch to its strictest value: the bank refuses the most requests, or tells the client the least.
var strictest = map[string]string{
	"tokens.revokeResponse":     "noContent",
	"tokens.unknownToken":       "error",
	"tokens.accessTokenAlone":   "false", // more tokens stop working
	"tokens.refreshGrace":       "0s",
	"tokens.refreshReuse":       "endGrant",
	"estatements.correlationId": "uuid",
	"estatements.partialUpdate": "allow", // a client must also understand 206
	"estatements.user":          "hostUserId",
	"groups.auth":               "required",
	"groups.duplicateName":      "reject",
	"groups.experience":         "omit",
	"groups.nameCase":           "insensitive", // more names are duplicates
	"groups.transactionIdReuse": "reject",
	"groups.unknownSort":        "error",
	"alerts.auth":               "required",
	"alerts.contradiction":      "reject",
	"alerts.headers":            "required",
	"alerts.knownChannelsOnly":  "true",
	"cors.credentials":          "false",
	"cors.origins":              "",

	// A status is no stricter than another. These are the ones that the default bank doesn't have.
	"alerts.createStatus":             "200",
	"estatements.bearerFailureStatus": "400",
	"estatements.updateAccountStatus": "204",
	"groups.createStatus":             "201",
}

// noStrictest maps a switch without a strictest value to the reason.
var noStrictest = map[string]string{
	"dialect":                     "each of the two descriptions asks for something that the other doesn't",
	"strict":                      "it answers 501 instead of the refusals that other switches choose",
	"refusals":                    "it accepts what others refuse",
	"messages":                    "a text is as strict as any other",
	"faultHeader":                 "only the simulator has the header",
	"headers.exchange":            "only the simulator has the header",
	"headers.scenario":            "only the simulator has the header",
	"limits.rows":                 "the lowest limit leaves no room to test",
	"limits.bodyKiB":              "the lowest limit leaves no room to test",
	"limits.uploadKiB":            "the lowest limit leaves no room to test",
	"tokens.accessLifetime":       "there is no shortest time: 15 minutes is short",
	"tokens.refreshLifetime":      "there is no shortest time: a day is short",
	"tokens.lockAfter":            "one wrong password would lock the user of the next test",
	"jobs.createdFor":             "there is no longest time",
	"jobs.processingFor":          "there is no longest time",
	"estatements.statusUpdatedAt": "neither value refuses a request",
	"groups.clientGroupId":        "ignore fails a client that relies on its id, and honor one that sends an id twice",
	"groups.nameLimit":            "the lowest limit leaves no usable names",
	"groups.descriptionLimit":     "the lowest limit leaves no usable descriptions",
	"groups.defaultPageSize":      "pages of one element are not realistic",
	"groups.maxPageSize":          "pages of one element are not realistic: 100 is low",
	"groups.sortProperties":       "at least one property must stay, and each choice fails other clients",
	"alerts.requiredFields":       "no client sends all members: every alert needs the three that strict requires",
}

// Every switch of strict has its strictest value, unless there is no such value.
func TestStrictIsTheStrictest(t *testing.T) {
	t.Parallel()
	behavior, keys := load(t, "strict").World.Behavior(), []string{}
	for _, s := range contract.Switches() {
		keys = append(keys, s.Key)
		value, isOrdered := strictest[s.Key]
		_, isException := noStrictest[s.Key]
		if isOrdered {
			assert.Equal(t, value, s.Value(behavior), "%s in scenarios/strict.yaml", s.Key)
		}
		assert.NotEqual(t, isOrdered, isException, "name %s either in strictest or in noStrictest", s.Key)
	}
	assert.Subset(t, keys, slices.Collect(maps.Keys(strictest)))
	assert.Subset(t, keys, slices.Collect(maps.Keys(noStrictest)))
}
