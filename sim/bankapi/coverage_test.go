package bankapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// allPoints returns the points of all operations.
func allPoints() (points []coverage.Point) {
	for _, m := range coverage.NewCounter().Run("").Points {
		points = append(points, m.Point)
	}
	return points
}

// counts are how often points were met.
type counts map[coverage.Point]coverage.Count

// metIn returns the points that were met in the sandbox of a bank, and adds those that could be to a set.
func metIn(b *simtest.Bank, possible map[coverage.Point]bool) counts {
	met := counts{}
	for _, m := range b.Sandbox.Coverage().Run("").Points {
		if m.Count != (coverage.Count{}) {
			met[m.Point] = m.Count
		}
		if m.Possible {
			possible[m.Point] = true
		}
	}
	return met
}

// faultFor returns the rule by which a fault answers with a point, to the request with a number.
func faultFor(t *testing.T, p coverage.Point, number int) string {
	then := fault.Then{Status: p.Status}
	if p.Kind == coverage.Injected {
		then.Error = &fault.Error{Code: p.Code}
	} else {
		then.Connection = &fault.Connection{Kind: fault.Kind(p.Connection), Hang: fault.Duration(1)}
	}
	rule, err := json.Marshal(fault.Rule{When: fault.When{Nth: number}, Phase: fault.Phase(p.Phase), Then: then})
	require.NoError(t, err)
	return string(rule)
}

// faultCoverage lets faults answer calls of an operation with all that no rule brings about, and returns what was met. The
// calls have neither credentials nor a body: the bank refuses them, and the change is nothing.
func faultCoverage(t *testing.T, op *contract.Operation) counts {
	t.Helper()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	var rules []string
	for _, p := range allPoints() {
		if p.Operation == op.Name && p.Dialect == string(op.Dialect) && (p.Kind == coverage.Injected || p.Kind == coverage.Connection) {
			rules = append(rules, faultFor(t, p, len(rules)+1))
		}
	}
	b.ControlSandbox(201, "POST /faults", "["+strings.Join(rules, ",")+"]")
	for range rules {
		b.Client.CloseIdleConnections() // net/http sends some requests again whose answer is lost on a used one
		_, _ = simtest.NewCall(op.Method, op.Path, "").Try(b)
	}
	return metIn(b, map[coverage.Point]bool{})
}

// reported returns what a report of coverage says of points that were met and of those that could be.
func reported(t *testing.T, met []counts, possible map[coverage.Point]bool) (summary coverage.Summary, text string) {
	t.Helper()
	sum := counts{}
	for _, one := range met {
		for p, n := range one {
			sum[p] = coverage.Count{Naturally: sum[p].Naturally + n.Naturally, Injected: sum[p].Injected + n.Injected}
		}
	}
	run := coverage.Run{ID: "golden"}
	for _, p := range allPoints() {
		run.Points = append(run.Points, coverage.Met{Point: p, Count: sum[p], Possible: possible[p]})
	}
	summary = coverage.Summarize(coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}}, false)
	var written bytes.Buffer
	require.NoError(t, report.Write(&written, report.Report{Format: report.Format, Coverage: &summary}, "text"))
	return summary, written.String()
}

// checkGoldenCoverage checks that the golden exchanges, each of which met something, meet every answer that an operation has under
// their switches, and every refusal of each of its rules. What only faults bring about is met by faults. A report names what an
// exchange alone shows, if that isn't there.
func checkGoldenCoverage(t *testing.T, exchanges []fixtures.Exchange, met []counts, possible map[coverage.Point]bool) {
	t.Helper()
	natural := slices.Clone(met)
	for _, op := range contract.AllSpoken() {
		met = append(met, faultCoverage(t, op))
	}
	summary, _ := reported(t, met, possible)
	assert.Empty(t, summary.NeverMet(), "add a golden exchange for each")
	assert.Equal(t, 100, summary.Total.PercentRounded)
	assert.Greater(t, summary.Total.Met, 900)
	for _, o := range summary.Operations {
		assert.True(t, o.Called, o.Operation)
		assert.Zero(t, o.Connections.NeverMet, o.Operation)
	}

	without := slices.IndexFunc(exchanges, func(e fixtures.Exchange) bool { return e.Name == "groups.create/400-group-id-taken" })
	require.Positive(t, without)
	summary, text := reported(t, slices.Delete(natural, without, without+1), possible)
	missing := coverage.Point{Operation: "groups.create", Dialect: "document", Kind: coverage.Refused, Status: 400, Code: "2004", Rule: "group-id-taken"}
	refused := slices.DeleteFunc(summary.NeverMet(), func(p coverage.Point) bool { return p.Kind == coverage.Injected })
	assert.Equal(t, []coverage.Point{missing}, refused)
	assert.Contains(t, text, report.Name(missing))
}

// What is counted is what the journal has: by operation, dialect and status, and as often as entries of the ledger are cited.
func TestCoverageAddsUpToTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	for i := range 5 {
		for _, name := range slices.Sorted(maps.Keys(simtest.Calls)) {
			call := simtest.Calls[name]
			for _, c := range []simtest.Call{call, call.Without("authorization"), call.WithBody("["), call.WithQuery(fmt.Sprintf("unknown=%d", i)), call.Adding("Banksim-Fault", "status=500")} {
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
		if injected := (answer{m.Operation, m.Dialect, m.Status, true}); m.Injected > 0 && counted[injected] == 0 { // each point has all of them
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
		"before": {Operation: "groups.create", Dialect: "document", Kind: coverage.Refused, Status: 503, Code: "BANKSIM_GENERATION_ENDED", Rule: "generation-ended"},
		"after":  {Operation: "groups.create", Dialect: "document", Kind: coverage.Accepted, Status: 200},
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
