package contract_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The golden exchanges show all that the contract states, each fact at least once, and nothing that it doesn't have.
// This is the rule by which they are selected: a new one is worth its file if it shows something here that no other
// does.
func TestGoldenExchangesShowTheContract(t *testing.T) {
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	demanded, shown, needed := demandedFacts(), map[string]int{}, 0
	for _, e := range exchanges {
		checkKnown(t, e)
		for _, fact := range factsIn(t, e) {
			shown[fact]++
		}
	}
	for fact := range demanded {
		assert.Positive(t, shown[fact], "no golden exchange shows: %s", fact)
	}
	for _, e := range exchanges {
		if slices.ContainsFunc(factsIn(t, e), func(fact string) bool { return demanded[fact] && shown[fact] == 1 }) {
			needed++
		}
	}
	assert.LessOrEqual(t, len(exchanges), 550, "readers go through them")
	t.Logf("%d exchanges show %d facts; %d of them show one that no other does", len(exchanges), len(demanded), needed)
}

// demandedFacts returns what the golden exchanges have to show: each rule of a family, in each dialect where the
// dialects differ, each entry of each operation that it is about, in the public dialect where it differs, each value of
// each switch, and each status of success.
func demandedFacts() map[string]bool {
	facts := map[string]bool{}
	demand := func(format string, args ...any) { facts[fmt.Sprintf(format, args...)] = true }
	for _, op := range contract.AllOperations() {
		for _, a := range op.Answers {
			demand("%s in %s answers %d", op.Name, op.Dialect, a.Status)
		}
		for _, e := range op.Uses {
			demand("%s of %s", e.ID, op.Name)
		}
		for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
			if r.Entry.Unshown == "" && r.Rule != contract.Strictness && slices.Contains(op.Refuses, r.Rule) {
				demand("%s of %s", r.Entry.ID, op.Name)
			}
			// One dialect is enough for the conditions.
			isCondition := !slices.Contains(op.Refuses, r.Rule)
			inDialect := op.Dialect == sim.DialectDocument || !isCondition
			if r.Entry.Unshown == "" && r.Rule != contract.Strictness && inDialect {
				demand("%s in %s refuses %s", familyOf(op.Name), refusingDialect(op.Name, op.Dialect), r.Rule)
			}
		}
	}
	for _, e := range contract.Ledger() {
		if e.Unshown != "" {
			continue
		}
		demand("%s by default", e.ID)
		if e.Public != nil {
			demand("%s in public", e.ID)
		}
		if e.Switch != nil {
			for _, a := range e.Setting(document(sim.DefaultBehavior())).Alternatives {
				demand("%s with %s", e.ID, a.Value)
			}
		}
	}
	return facts
}

// refusingDialect returns the dialect in which a rule of an operation's family has to be shown: either will do if the
// family is declared once for both.
func refusingDialect(operation string, d sim.Dialect) sim.Dialect {
	op, public := contract.Document().Operation(operation), contract.Public().Operation(operation)
	if op != nil && reflect.DeepEqual(op.Family.Refusals, public.Family.Refusals) {
		return "either"
	}
	return d
}

func familyOf(operation string) string {
	family, _, _ := strings.Cut(operation, ".")
	return family
}

// factsIn returns what a golden exchange shows.
func factsIn(t *testing.T, exchange fixtures.Exchange) (facts []string) {
	t.Helper()
	operation, dialect := exchange.Operation(), exchange.InDialect()
	if exchange.Rule != "" {
		facts = append(facts,
			fmt.Sprintf("%s in %s refuses %s", familyOf(operation), refusingDialect(operation, dialect), exchange.Rule))
	} else {
		facts = append(facts, fmt.Sprintf("%s in %s answers %d", operation, dialect, exchange.Answer.Status))
	}
	for _, id := range append(exchange.Entries, exchange.Shows...) {
		e, ok := contract.FindEntry(id)
		if !assert.True(t, ok, "%s uses %s, which the ledger doesn't have", exchange.Name, id) {
			continue
		}
		assert.Empty(t, e.Unshown, "%s shows %s", exchange.Name, id)
		assert.True(t, e.Concerns(operation) || operation == "unknown", "%s uses %s", exchange.Name, id)
		facts = append(facts, fmt.Sprintf("%s of %s", id, operation))
		if dialect == sim.DialectPublic {
			facts = append(facts, id+" in public")
		}
		switch value := switched(t, exchange, e); {
		case value == "":
			facts = append(facts, id+" by default")
		case strings.HasPrefix(e.Setting(document(sim.DefaultBehavior())).Alternatives[0].Value, "<"): // any value
			facts = append(facts, fmt.Sprintf("%s with %s", id, e.Setting(document(sim.DefaultBehavior())).Alternatives[0].Value))
		default:
			facts = append(facts, fmt.Sprintf("%s with %s", id, value))
		}
	}
	return facts
}

// switched returns the value that an exchange's behaviour gives to an entry's switch; empty: the default.
func switched(t *testing.T, exchange fixtures.Exchange, e *contract.Entry) string {
	if e.Switch == nil || exchange.Behavior == nil {
		return ""
	}
	var behavior map[string]any
	require.NoError(t, json.Unmarshal(exchange.Behavior, &behavior))
	value := any(behavior)
	for key := range strings.SplitSeq(e.Switch.Key, ".") {
		members, _ := value.(map[string]any)
		if value = members[key]; value == nil {
			return ""
		}
	}
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return strings.Trim(string(text), `"`)
}

// checkKnown checks that the contract has the answer of a golden exchange.
func checkKnown(t *testing.T, e fixtures.Exchange) {
	t.Helper()
	op := contract.In(e.InDialect()).Operation(e.Operation())
	if op == nil {
		assert.Equal(t, "unknown", e.Operation(), e.Name)
		return
	}
	if e.Answer.Status < 300 {
		assert.True(t, op.Succeeds(e.Answer.Status), "%s: the contract has no %d", e.Name, e.Answer.Status)
		return
	}
	refusals := slices.Concat(op.Refusals(), op.Conditions())
	at := slices.IndexFunc(refusals, func(r contract.Refusal) bool { return string(r.Rule) == e.Rule })
	if assert.GreaterOrEqual(t, at, 0, "%s: the operation has no rule %s", e.Name, e.Rule) {
		assert.Contains(t, op.Family.Statuses(refusals[at]), e.Answer.Status, e.Name)
		assert.Equal(t, refusals[at].Code, contract.ErrorCode(e.Answer.JSON), e.Name)
	}
}
