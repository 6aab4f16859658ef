package explanation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Every refusal of the contract has a sentence.
func TestEveryRefusal(t *testing.T) {
	t.Parallel()
	policies := contract.NewPolicies(sim.DefaultBehavior())
	seen := 0
	for _, op := range contract.Document().Operations {
		for _, r := range append(op.Refusals(), op.Conditions()...) {
			entries := []string{r.Entry.ID, op.Family.ErrorCites[0].ID}
			if r.Rule == contract.Strictness {
				entries = append([]string{contract.EverywhereUnknownMembers.ID}, entries...)
			}
			why := explanation.New(journal.Exchange{
				Operation: op.Name,
				Request:   journal.Request{Method: op.Method, Path: op.Path},
				Response:  journal.Response{Status: r.Status},
				Decision: journal.Decision{Outcome: journal.Refused, Rule: string(r.Rule), Message: "this is wrong",
					Basis: string(r.Entry.Basis), Entries: entries},
			}, policies, explanation.Bank{World: sim.NewWorld(1, policies),
				Journal: journal.New(0, journal.NewBudget(0))})
			assert.True(
				t, strings.HasPrefix(why.Sentence, fmt.Sprintf("Refused with %d %s: ", r.Status, r.Code)), why.Sentence,
			)
			assert.Contains(t, why.Sentence, "this is wrong (rule "+string(r.Rule)+")")
			assert.NotRegexp(
				t,
				`  |%!|\.\.|[{}]|^\s|\s$`,
				strings.ReplaceAll(why.Sentence, "{status", ""),
				"%s",
				why.Sentence,
			)
			seen++
		}
	}
	assert.Greater(t, seen, 100)
}
