package bankapi_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What is counted is what the journal has: by operation, dialect and status, and as often as entries of the ledger are cited.
func TestCoverageAddsUpToTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	for i := range 5 {
		for _, name := range slices.Sorted(maps.Keys(simtest.Calls)) {
			call := simtest.Calls[name]
			for _, c := range []simtest.Call{call, call.Without("authorization"), call.WithBody("["),
				call.WithQuery(fmt.Sprintf("unknown=%d", i)), call.Adding("Banksim-Fault", "status=500")} {
				c.Send(b)
			}
		}
	}
	type answer struct {
		operation, dialect string
		status             int
		injected           bool
	}
	inJournal, entries := map[answer]uint64{}, map[string]uint64{}
	for _, x := range b.Journal().Page(journal.Query{}).Exchanges {
		inJournal[answer{x.Operation, x.Dialect, x.Response.Status, x.Fault != nil}]++
		for _, id := range x.Decision.Entries {
			entries[id]++
		}
	}
	run := b.Sandbox.Coverage().Run("")
	counted := map[answer]uint64{}
	add := func(m coverage.Met) {
		if m.Naturally > 0 {
			counted[answer{m.Operation, m.Dialect, m.Status, false}] += m.Naturally
		}
		// each point has all of them
		if injected := (answer{m.Operation, m.Dialect, m.Status, true}); m.Injected > 0 && counted[injected] == 0 {
			counted[injected] = m.Injected
		}
	}
	for _, m := range slices.Concat(run.Points, run.Besides) {
		add(m)
	}
	assert.Equal(t, inJournal, counted)
	assert.Equal(t, entries, run.Entries)
}

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
