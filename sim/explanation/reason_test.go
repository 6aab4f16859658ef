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

// The text about every refusal of the contract has its status, its code and its rule.
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
			assert.Equal(t, "this is wrong", why.Cause)
			answer := fmt.Sprintf("%d %s", r.Status, r.Code)
			assert.True(t, strings.HasSuffix(why.Title, " → "+answer), why.Title)
			assert.Contains(t, why.FullText(false), "\nDecision\n  refused with "+answer+"\n")
			assert.Contains(t, why.FullText(false), "\n  rule "+string(r.Rule)+"\n")
			seen++
		}
	}
	assert.Greater(t, seen, 100)
}
