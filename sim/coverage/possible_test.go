package coverage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// possible returns the points of a kind of an operation that can be met after a request to it, in a bank with switches.
func possible(t *testing.T, op *contract.Operation, kind coverage.Kind, behavior string) (all []string) {
	t.Helper()
	bank := simtest.Scenario(t, simtest.FrozenRetail+"behavior: {"+behavior+"}\n")
	c := coverage.NewCounter().Sandbox("app", time.Now())
	c.Count(point(op, coverage.Point{Kind: coverage.Accepted, Status: 599}), nil, bank.World.Policies())
	for _, m := range c.Run("").Points {
		if m.Operation == op.Name && m.Kind == kind && m.Possible {
			all = append(all, strings.TrimSpace(
				fmt.Sprintf("%s %d %s %s%s%s", m.Dialect, m.Status, m.Code, m.Rule, m.Connection, m.Phase)))
		}
	}
	return all
}

// What can be met follows from the switches of the bank.
func TestPossible(t *testing.T) {
	t.Parallel()
	create, disclosures := contract.GroupsCreate, contract.EstatementsGetDisclosures
	const accepted, refused, injected = coverage.Accepted, coverage.Refused, coverage.Injected
	for _, test := range []struct {
		behavior string
		op       *contract.Operation
		kind     coverage.Kind
		want     string // some that can be met, and after a ! some that can't
		howMany  int    // 0: any number
	}{
		{"", create, accepted, "document 200", 1},
		{"groups: {createStatus: 201}", create, accepted, "document 201", 1},
		{"estatements: {partialUpdate: allow}", contract.EstatementsUpdateUser, accepted, "document 204, document 206", 2},
		{"", create, refused, "document 400 2004 group-exists, document 400 2000 institution-unknown, " +
			"!document 400 2004 group-id-taken", 0},
		{"strict: true", create, refused, "document 400 2004 group-exists, !document 400 2000 institution-unknown", 0},
		{"estatements: {bearerFailureStatus: 400}", disclosures, refused,
			"document 400 UXESTMT_10002 token-unknown, !document 401 UXESTMT_10002 token-unknown", 0},
		{"", create, injected, "document 500 2001, document 500 CMN_90001, document 500 CMN_90002", 3},
		{"estatements: {bearerFailureStatus: 400}", disclosures, injected, "document 401 UXESTMT_10002", 0},
		{"", disclosures, injected, "!document 401 UXESTMT_10002", 0}, // a rule brings it about
		{"", create, coverage.Connection, "document 0  resetbefore, document 0  hangafter, document 0  truncateafter, " +
			"!document 0  truncatebefore", 10},
	} {
		all := possible(t, test.op, test.kind, test.behavior)
		for p := range strings.SplitSeq(test.want, ", ") {
			if cannot, isImpossible := strings.CutPrefix(p, "!"); isImpossible {
				assert.NotContains(t, all, cannot, test.behavior)
			} else {
				assert.Contains(t, all, p, test.behavior)
			}
		}
		if test.howMany > 0 {
			assert.Len(t, all, test.howMany, test.behavior)
		}
	}
}
